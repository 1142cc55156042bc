// SPDX-License-Identifier: Apache-2.0

/// How a board file names pixels of a small framebuffer as a light.
///
///     fb:RPi-Sense FB             all pixels, of the framebuffer with the kernel's name for it
///     fb:RPi-Sense FB:0,7         one pixel: column 0, row 7
///     fb:RPi-Sense FB:0,0,8x2     a rectangle of 8 columns and 2 rows
///     fb:fb1:3,3                  by number
package struct FramebufferName: Sendable, Hashable, CustomStringConvertible {
    /// `name` of the framebuffer in `/sys/class/graphics`, or `fbN`.
    package let device: String
    /// Which pixels; nil for all.
    package let area: PixelArea?

    package init(parsing text: String) throws(DeviceNameError) {
        guard let body = text.suffix(after: "fb:"), !body.isEmpty else {
            throw DeviceNameError(name: text, expected: Self.expected)
        }
        guard let colon = body.lastIndex(of: ":") else {
            device = body
            area = nil
            return
        }
        guard colon > body.startIndex, let area = PixelArea(parsing: String(body[body.index(after: colon)...])) else {
            throw DeviceNameError(name: text, expected: Self.expected)
        }
        device = String(body[..<colon])
        self.area = area
    }

    package var description: String {
        guard let area else { return "fb:\(device)" }
        let size = area.width == 1 && area.height == 1 ? "" : ",\(area.width)x\(area.height)"
        return "fb:\(device):\(area.x),\(area.y)\(size)"
    }

    private static let expected = "fb:NAME, fb:NAME:x,y or fb:NAME:x,y,WxH (names: /sys/class/graphics/fb*/name)"
}
