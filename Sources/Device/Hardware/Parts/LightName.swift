// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// How a board file names a light: a folder of the kernel's LED class, a GPIO line, pixels of a
/// framebuffer, or three of them for red, green and blue, joined by ` + `.
///
///     /sys/class/leds/prompt
///     /dev/gpiochip0:17          gpio:LABEL:17          line:GPIO17:active-low
///     fb:RPi-Sense FB:0,7
///     /dev/gpiochip0:17 + /dev/gpiochip0:27 + /dev/gpiochip0:22
package struct LightName: Sendable, Hashable {
    /// One light of one colour, or one with several colours.
    package enum Part: Sendable, Hashable {
        /// A folder with `brightness`, as in `/sys/class/leds`.
        case folder(String)
        case line(GPIOLineName)
        case pixels(FramebufferName)
    }

    /// One, or three for red, green and blue.
    package let parts: [Part]

    package init(parsing text: String) throws(DeviceNameError) {
        var parts: [Part] = []
        for name in Self.names(text) { parts.append(try Part(parsing: name)) }
        guard parts.count == 1 || parts.count == 3 else {
            throw DeviceNameError(name: text, expected: "one light, or three (red + green + blue)")
        }
        self.parts = parts
    }

    /// Opens the light, which is dark. Throws GPIOError for lines, SystemError for everything else.
    package func open() throws -> any Indicator {
        let lights = try parts.map { try $0.open() }
        return lights.count == 3 ? CombinedLED(red: lights[0], green: lights[1], blue: lights[2]) : lights[0]
    }

    /// The names between pluses that have a space on both sides.
    private static func names(_ text: String) -> [String] {
        var names: [String] = [""]
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if word == "+" {
                names.append("")
            } else {
                names[names.count - 1] += names[names.count - 1].isEmpty ? String(word) : " \(word)"
            }
        }
        return names.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }
}

extension LightName.Part {
    package init(parsing text: String) throws(DeviceNameError) {
        if text.hasPrefix("fb:") {
            self = .pixels(try FramebufferName(parsing: text))
        } else if text.hasPrefix("/") && !text.hasPrefix("/dev/") {
            self = .folder(text)
        } else if text.contains(":") {
            self = .line(try GPIOLineName(parsing: text))
        } else {
            throw DeviceNameError(
                name: text, expected: "/sys/class/leds/NAME, a line such as /dev/gpiochip0:17, or fb:NAME:x,y")
        }
    }

    package func open() throws -> any Indicator {
        switch self {
        case .folder(let path): try SysfsLED(directory: path)
        case .line(let name): GPIOLED(try name.output())
        case .pixels(let name): try FramebufferLED(name)
        }
    }
}

extension LightName.Part {
    /// The group that may drive it.
    package var group: String? {
        switch self {
        case .folder(let path): DeviceGroup.of(path)
        case .line: DeviceGroup.of("/dev/gpiochip")
        case .pixels: DeviceGroup.of("/dev/fb")
        }
    }
}
