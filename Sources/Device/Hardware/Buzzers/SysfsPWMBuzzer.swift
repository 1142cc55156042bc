// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// A piezo on a PWM channel of the kernel: `period` and `duty_cycle` in nanoseconds, `enable`.
package final class SysfsPWMBuzzer: Buzzer {
    /// Hertz that can be heard; a piezo is loudest at 2 to 4 kHz.
    private static let frequencies = 20.0...20_000.0
    private let channel: AttributeFolder

    /// Takes a channel such as `/sys/class/pwm/pwmchip0/pwm0`, exports it where needed,
    /// and silences it.
    ///
    /// A channel that was just exported belongs to root alone until udev has handled the kernel's
    /// event and given it to its group (pwm_export_child of the kernel's drivers/pwm/sysfs.c:
    /// KOBJ_CHANGE of the chip, after the files are there). Blocks until then, for `patience` at
    /// most.
    package init(directory: String, patience: Duration = .seconds(2)) throws(SystemError) {
        channel = AttributeFolder(path: directory)
        if !channel.has("enable") { try Self.export(directory) }
        try awaitGroup(patience)
        try silence()
    }

    private static let attributes = ["period", "duty_cycle", "enable"]
    private static let pollInterval: Duration = .milliseconds(20)

    /// Waits until all three may be written; anything else that is wrong shows at the first write.
    private func awaitGroup(_ patience: Duration) throws(SystemError) {
        var left = patience
        while Self.attributes.contains(where: isRefused), left > .zero {
            _ = poll(nil, 0, CInt(clamping: Self.pollInterval.milliseconds))
            left -= Self.pollInterval
        }
    }

    private func isRefused(_ attribute: String) -> Bool {
        do throws(SystemError) {
            _ = try Descriptor(opening: "\(channel.path)/\(attribute)", flags: O_WRONLY)
            return false
        } catch {
            return error.code == EACCES
        }
    }

    deinit { close() }

    package var hasPitch: Bool { true }

    /// A square wave of half duty. Throws EINVAL outside `frequencies`, and what
    /// the kernel refuses.
    package func tone(frequency: Double?) throws(SystemError) {
        guard let frequency else { return try silence() }
        guard Self.frequencies.contains(frequency) else {
            throw SystemError(code: EINVAL, operation: "sound \(frequency) Hz on", place: channel.path)
        }
        let period = Int((1e9 / frequency).rounded())
        try channel.write("duty_cycle", "0")  // the kernel refuses a period below the duty cycle
        try channel.write("period", "\(period)")
        try channel.write("duty_cycle", "\(period / 2)")
        try channel.write("enable", "1")
    }

    /// Silences it; that the channel is gone is no error.
    package func close() { try? silence() }

    /// A channel that never had a period refuses a duty cycle, and before Linux 6.11 `enable`, too.
    private func silence() throws(SystemError) {
        if (try? channel.read("enable")) == "1" { try channel.write("duty_cycle", "0") }
        try channel.write("enable", "0")
    }

    private static func export(_ directory: String) throws(SystemError) {
        let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, name.hasPrefix("pwm") else {
            throw SystemError(code: ENOENT, operation: "find PWM channel", place: directory)
        }
        let chip = AttributeFolder(path: parts.dropLast().joined(separator: "/"))
        try chip.write("export", String(name.dropFirst(3)))
    }
}
