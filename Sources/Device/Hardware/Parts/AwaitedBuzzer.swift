// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// A buzzer or a motor that may be missing. Once it is there, it sounds as it was last asked to. `BoardDevices`
/// makes it.
///
/// `part` looks for it, when its owner polls it. One that refuses counts as missing and is opened again; an
/// unsupported pitch (EINVAL) is no sign of that. Any thread.
package final class AwaitedBuzzer: Buzzer {
    package let part: AwaitedPart<any Buzzer>
    /// As the board file says: one that is not there cannot be asked.
    package let hasPitch: Bool
    private let clock: any StudyClock
    private let wanted: WantedState<Double?>

    package init(
        _ name: String, hasPitch: Bool, clock: any StudyClock, open: @escaping @Sendable () throws -> any Buzzer
    ) {
        let wanted = WantedState(Double?.none)
        self.wanted = wanted
        self.hasPitch = hasPitch
        self.clock = clock
        part = AwaitedPart(name, at: clock.monotonic) {
            let buzzer = try open()
            if let frequency = wanted.value { try buzzer.tone(frequency: frequency) }
            return buzzer
        } found: { buzzer in
            // It may have been asked for another tone while `open` ran.
            try? wanted.drive { try buzzer.tone(frequency: $0) }
        }
    }

    /// Does nothing while it is missing, which `part.fault` says.
    package func tone(frequency: Double?) throws(SystemError) {
        wanted.value = frequency
        guard let buzzer = part.device else { return }
        do throws(SystemError) {
            try wanted.drive { (frequency) throws(SystemError) in try buzzer.tone(frequency: frequency) }
        } catch {
            if error.code != EINVAL { part.lose(error, at: clock.monotonic) }
            throw error
        }
    }

    package func close() {
        wanted.value = nil
        part.device?.close()
    }
}
