// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// A piezo on a PWM channel of the kernel: `period` and `duty_cycle` in nanoseconds, `enable`. `PartOpener`
/// makes it where the board file names a PWM channel.
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

    private static let attributes = ["enable", "period", "duty_cycle"]
    private static let pollInterval: Duration = .milliseconds(20)

    /// Waits until all three may be written; throws where one may not even then.
    private func awaitGroup(_ patience: Duration) throws(SystemError) {
        var left = patience
        while true {
            do throws(SystemError) { return try openAll() } catch {
                guard error.code == EACCES, left > .zero else { throw error }
            }
            _ = poll(nil, 0, CInt(clamping: Self.pollInterval.milliseconds))
            left -= Self.pollInterval
        }
    }

    private func openAll() throws(SystemError) {
        for attribute in Self.attributes {
            _ = try Descriptor(opening: "\(channel.path)/\(attribute)", flags: O_WRONLY)
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
        // The kernel refuses a period below the duty cycle, and a duty cycle before the first period.
        if try channel.read("duty_cycle") != "0" { try channel.write("duty_cycle", "0") }
        try channel.write("period", "\(period)")
        try channel.write("duty_cycle", "\(period / 2)")
        try channel.write("enable", "1")
    }

    /// Silences it; that the channel is gone is no error.
    package func close() { try? silence() }

    /// Writes nothing to a channel that is off: one that never had a period would refuse it before
    /// Linux 6.11 (`__pwm_apply` of the kernel's drivers/pwm/core.c).
    private func silence() throws(SystemError) {
        guard try channel.read("enable") != "0" else { return }
        try channel.write("duty_cycle", "0")
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
