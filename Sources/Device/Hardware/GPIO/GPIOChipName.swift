// SPDX-License-Identifier: Apache-2.0
import CGPIO
import CLinux
import SystemKit

/// `/dev/gpiochip0`, `gpiochip0`, or `gpio:LABEL` with the label that `gpiodetect` prints in
/// brackets, which outlives a change of board (Raspberry Pi 4 to 5) or kernel.
package typealias GPIOChipName = DeviceName<GPIOChipKind>

package enum GPIOChipKind: DeviceKind {
    package static let prefix = "gpio:"
    package static let expected = "/dev/gpiochipN or gpio:LABEL (as `gpiodetect` prints them)"

    /// The device file of `/dev/...` or `gpiochipN`; nil for other texts.
    package static func path(_ text: String) -> String? {
        if text.hasPrefix("/dev/"), text.count > 5 { return text }
        return text.suffix(after: "gpiochip").flatMap(UInt32.init).map { _ in "/dev/\(text)" }
    }

    /// More than any board has: a Raspberry Pi 5 has 14.
    fileprivate static let most = 64
}

extension DeviceName<GPIOChipKind> {
    /// The chip's device file; a label is looked for among the chips of `/dev`.
    package func path() throws(GPIOError) -> String {
        switch place {
        case .path(let path): return path
        case .named(let label):
            if let chip = Self.present().first(where: { $0.label == label }) { return chip.path }
            throw Self.absent(description, place: description)
        }
    }

    /// The chips of this machine in the order of their numbers; a chip that may not be opened
    /// has an empty label.
    static func present() -> [(path: String, label: String)] {
        (0..<Kind.most).compactMap { number in
            let path = "/dev/gpiochip\(number)"
            guard access(path, F_OK) == 0 else { return nil }
            return (path, text { cgpio_chip_label(path, $0, $1) } ?? "")
        }
    }

    /// Why nothing of that name was found: it may be on a chip that may not be opened.
    static func absent(_ name: String, place: String) -> GPIOError {
        let chips = present()
        for chip in chips {
            do throws(SystemError) { _ = try Descriptor(opening: chip.path, flags: O_RDWR) } catch {
                if [EACCES, EPERM].contains(error.code) { return GPIOError(chip: chip.path, lines: [], cause: error) }
            }
        }
        return GPIOError(
            chip: name, lines: [], cause: SystemError(code: ENODEV, operation: "find", place: place),
            present: chips.map { "\($0.path) [\($0.label)]" })
    }

    /// What a C function leaves in a buffer for a name of the kernel's GPIO interface;
    /// nil when it fails.
    static func text(_ fill: (UnsafeMutablePointer<CChar>, Int) -> CInt) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(CGPIO_NAME_SIZE))
        guard buffer.withUnsafeMutableBufferPointer({ $0.baseAddress.map { fill($0, Int(CGPIO_NAME_SIZE)) } }) == 0
        else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
