// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A light of the kernel's LED class: `brightness`, and `multi_intensity` where it has colours. `LightName`
/// opens it.
package final class SysfsLED: Indicator {
    private let folder: AttributeFolder
    private let brightest: Int
    /// The names of `multi_intensity`'s numbers in their order, from `multi_index`;
    /// empty for one colour.
    private let components: [String]

    /// Takes a light such as `/sys/class/leds/prompt` from the kernel's own trigger
    /// and turns it off.
    package init(directory: String) throws(SystemError) {
        folder = AttributeFolder(path: directory)
        brightest = (try? folder.read("max_brightness")).flatMap { Int($0) } ?? 255
        components = ((try? folder.read("multi_index")) ?? "").split(separator: " ").map(String.init)
        if folder.has("trigger") { try folder.write("trigger", "none") }
        try show(.off)
    }

    deinit { close() }

    /// True where the kernel names components in `multi_index`.
    package var isColoured: Bool { !components.isEmpty }

    /// Scaled from 0...255 to the light's `max_brightness`.
    package func show(_ colour: LightColour) throws(SystemError) {
        guard isColoured else { return try folder.write("brightness", scaled(colour.brightness)) }
        try folder.write("multi_intensity", components.map { scaled(colour.component($0)) }.joined(separator: " "))
        try folder.write("brightness", colour == .off ? "0" : "\(brightest)")
    }

    /// Turns the light off and ignores an error: the device may be gone. `show` still works afterwards.
    package func close() { try? show(.off) }

    private func scaled(_ value: UInt8) -> String { "\((Int(value) * brightest + 127) / 255)" }
}

extension LightColour {
    fileprivate func component(_ name: String) -> UInt8 {
        switch name {
        case "red": red
        case "green": green
        case "blue": blue
        case "white": min(red, green, blue)
        default: 0
        }
    }
}
