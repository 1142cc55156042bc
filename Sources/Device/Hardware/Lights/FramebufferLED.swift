// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Pixels of a framebuffer as one coloured light; others may use the rest of the picture. `LightName` opens it.
package final class FramebufferLED: Indicator {
    private let framebuffer: Framebuffer
    private let area: PixelArea

    /// The pixels of `area`, which become dark; all of them where it is nil. Throws EINVAL when it
    /// is not within the picture.
    package init(_ framebuffer: Framebuffer, area: PixelArea? = nil) throws(SystemError) {
        self.framebuffer = framebuffer
        self.area = area ?? framebuffer.area
        try show(.off)
    }

    package convenience init(_ name: FramebufferName) throws(SystemError) {
        try self.init(try Framebuffer(named: name.device), area: name.area)
    }

    deinit { close() }

    package var isColoured: Bool { true }
    /// The pixels take the colour, as near to it as the framebuffer's format comes.
    package func show(_ colour: LightColour) throws(SystemError) { try framebuffer.fill(area, colour) }
    /// Turns the pixels dark and ignores an error: the framebuffer may be gone. `show` still works afterwards.
    package func close() { try? show(.off) }
}
