// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// How a board file names an input device: a device file such as `/dev/input/event0` or
/// `/dev/input/by-id/...`, or `input:NAME` with the name by which the kernel knows it, such
/// as `input:Raspberry Pi Sense HAT Joystick`. Event numbers change from boot to boot; names
/// and links do not.
package struct InputDeviceName: Sendable, Hashable, CustomStringConvertible {
    /// The two ways to name one.
    package enum Place: Sendable, Hashable {
        /// A device file, or a link to one.
        case path(String)
        /// The kernel's name; the first event device that has it.
        case named(String)
    }

    /// What the name stands for.
    package let place: Place

    /// Throws when the text names no input device. Nothing is opened.
    package init(parsing text: String) throws(DeviceNameError) {
        if let name = text.suffix(after: "input:"), !name.isEmpty {
            place = .named(name)
        } else if text.hasPrefix("/"), text.count > 1 {
            place = .path(text)
        } else {
            throw DeviceNameError(name: text, expected: "/dev/input/eventN, /dev/input/by-id/... or input:NAME")
        }
    }

    /// The name as it is written in a board file.
    package var description: String {
        switch place {
        case .path(let path): path
        case .named(let name): "input:\(name)"
        }
    }

    /// The device file, looked up now. The folders are parameters for tests.
    package func path(
        classFolder: String = "/sys/class/input", deviceFolder: String = "/dev/input"
    ) throws(SystemError) -> String {
        switch place {
        case .path(let path): return path
        case .named(let name):
            let present = Self.names(in: classFolder)
            if let found = present.first(where: { $0.name == name }) { return "\(deviceFolder)/\(found.number)" }
            let there = present.map { "\($0.number) '\($0.name)'" }.joined(separator: ", ")
            let place = "an input device named '\(name)'" + (there.isEmpty ? "" : " (there are: \(there))")
            throw SystemError(code: ENODEV, operation: "find", place: place)
        }
    }

    /// The event devices of this machine in the order of their numbers.
    private static func names(in folder: String) -> [(number: String, name: String)] {
        (0..<mostDevices).compactMap { number in
            let device = AttributeFolder(path: "\(folder)/event\(number)/device")
            return (try? device.read("name")).map { ("event\(number)", $0) }
        }
    }

    /// More than any board has.
    private static let mostDevices = 64
}
