// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// A device file such as `/dev/input/event0` or `/dev/input/by-id/...`, or `input:NAME` with the name
/// by which the kernel knows it, such as `input:Raspberry Pi Sense HAT Joystick`: the first event
/// device that has it.
package typealias InputDeviceName = DeviceName<InputDeviceKind>

package enum InputDeviceKind: DeviceKind {
    package static let prefix = "input:"
    package static let expected = "/dev/input/eventN, /dev/input/by-id/... or input:NAME"

    package static func path(_ text: String) -> String? { text.hasPrefix("/") && text.count > 1 ? text : nil }

    /// More than any board has.
    fileprivate static let most = 64
}

extension DeviceName<InputDeviceKind> {
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
        (0..<Kind.most).compactMap { number in
            let device = AttributeFolder(path: "\(folder)/event\(number)/device")
            return (try? device.read("name")).map { ("event\(number)", $0) }
        }
    }
}
