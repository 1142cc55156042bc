// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Why a sensor gives no samples: which chip, where, what was seen, and what to do about it. `SensorCounters`
/// keeps it for `status`; `studyd check` prints it.
package struct SensorFault: ExplainedError, Sendable, Hashable {
    package enum Cause: Sendable, Hashable {
        case bus(I2CError)
        /// Another chip answers at the address.
        case wrongIdentity(read: UInt8)
        /// Every register reads 0xFF, as a bad contact does, where that is also the chip's right identity.
        case onlyOnes
        /// The chip answers but has forgotten its set-up: its supply was interrupted.
        case lostSetUp
        /// The chip answers and does not keep what is written to it.
        case ignoresSetUp
        /// The chip is set up and answers, but no sample comes.
        case stalled
        /// The kernel, with the driver that serves the chip, refused or lost it.
        case device(SystemError)
    }

    private let place: ChipPlace
    package let cause: Cause

    package init(place: ChipPlace, cause: Cause) {
        self.place = place
        self.cause = cause
    }

    package var explanation: Explanation {
        if case .device(let error) = cause { return error.explanation.within("\(place.location): \(place.chip.name)") }
        let (what, remedy) = seen
        return Explanation(place: place.location, cause: what, remedy: remedy)
    }

    private var seen: (cause: String, remedy: String?) {
        let chip = place.chip.name
        return switch cause {
        case .bus(let error): seenOnTheBus(error)
        case .wrongIdentity(let read):
            (
                "not a \(chip): register \(hexadecimal(place.chip.register)) reads \(hexadecimal(read)) instead of "
                    + hexadecimal(place.chip.value),
                "set the fitted chip in the board file, or correct the "
                    + "address\(pins). 0xFF or 0x00 means a bad contact"
            )
        case .onlyOnes:
            ("not a \(chip): every register reads 0xFF", "check its contacts, and that the chip is fitted")
        case .lostSetUp:
            (
                "\(chip) responds but has lost its settings, so its power was interrupted",
                "check the 3.3 V wire and its contacts"
            )
        case .ignoresSetUp:
            (
                "\(chip) responds but does not keep what is written to it",
                "power-cycle it, and check that the board file names the fitted chip"
            )
        case .device(let error): ("\(chip): \(error)", nil)  // `explanation` has handled it
        case .stalled:
            ("\(chip) is set up and responds but measures nothing", "power-cycle it, otherwise replace it")
        }
    }

    private func seenOnTheBus(_ error: I2CError) -> (cause: String, remedy: String?) {
        let chip = place.chip.name
        return switch error {
        case .noAcknowledge where host != nil:
            (
                "\(chip) does not respond, nor does the \(host ?? "") that contains it (0x68 or 0x69)",
                "check the 3.3 V supply, ground, SDA and SCL"
            )
        case .noAcknowledge:
            ("\(chip) does not respond", "check its 3.3 V supply, ground, SDA and SCL\(pins)")
        case .arbitrationLost:
            ("another master took the bus from \(chip)", "connect only one")
        case .timeout:
            ("\(chip) did not finish: SDA or SCL is held low", "check for a short circuit, pull-ups and cable length")
        case .busVanished:
            (
                "the bus of \(chip) was not found",
                "enable it (dtparam=i2c_arm=on in config.txt, the module i2c-dev), or plug its adapter in again"
            )
        case .unsupported(let what):
            ("the adapter does not support what \(chip) needs (\(what))", "connect it to the board's own I2C bus")
        case .system(let number, _):
            (
                "the kernel reports error \(number) for \(chip)",
                "see `dmesg`, and whether a kernel driver owns the address"
            )
        }
    }

    /// The chip in whose housing this one sits, behind a bypass switch; nil for all others.
    private var host: String? { BypassHost.all.first { $0.guest == place.chip.name }?.name }

    /// `, and SA0 (low = 0x18, high = 0x19)`.
    private var pins: String {
        guard !place.chip.addressPin.isEmpty, let low = place.chip.addresses.first, let high = place.chip.addresses.last
        else { return "" }
        return ", and \(place.chip.addressPin) (low = \(hexadecimal(low)), high = \(hexadecimal(high)))"
    }
}
