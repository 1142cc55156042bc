// SPDX-License-Identifier: Apache-2.0
import Hardware
import SystemKit

/// Why a sensor gives no samples: which chip, where, what was seen, and what to do about it.
public struct SensorFault: ExplainedError, Sendable, Hashable {
    /// What was seen.
    public enum Cause: Sendable, Hashable {
        /// The transaction failed.
        case bus(I2CError)
        /// Somebody else answers at the address.
        case wrongIdentity(read: UInt8)
        /// The chip answers but has forgotten its set-up: its supply was interrupted.
        case lostSetUp
        /// The chip answers and does not keep what is written to it.
        case ignoresSetUp
        /// The chip is set up and answers, but no sample comes.
        case stalled
        /// The kernel, whose driver serves the chip, refused or lost it.
        case device(SystemError)
    }

    /// Which chip is expected where.
    public let place: ChipPlace
    /// What was seen.
    public let cause: Cause

    /// The fault of the chip at `place`.
    public init(place: ChipPlace, cause: Cause) {
        self.place = place
        self.cause = cause
    }

    /// The place, what was seen, and what to do about it.
    public var explanation: Explanation {
        if case .device(let error) = cause {
            return error.explanation.within("\(place.location): \(place.chip.name)")
        }
        let (what, remedy) = seen
        return Explanation(place: place.location, cause: what, remedy: remedy)
    }

    private var seen: (cause: String, remedy: String?) {
        let chip = place.chip.name
        return switch cause {
        case .bus(let error): seenOnTheBus(error)
        case .wrongIdentity(let read):
            (
                "this is no \(chip): register \(hexadecimal(place.chip.register)) reads \(hexadecimal(read)) instead of "
                    + hexadecimal(place.chip.value),
                "name the chip that is fitted in the board file, or correct the "
                    + "address\(pins). 0xFF or 0x00 means a bad contact"
            )
        case .lostSetUp:
            (
                "\(chip) answers but has lost its set-up, so its supply was interrupted",
                "check the 3.3 V wire and its contacts"
            )
        case .ignoresSetUp:
            (
                "\(chip) answers but does not keep what is written to it",
                "take its power away and give it back, and name the chip that is fitted in the board file"
            )
        case .device(let error): ("\(chip): \(error)", nil)
        case .stalled:
            (
                "\(chip) is set up and answers but measures nothing",
                "take its power away and give it back, else replace it"
            )
        }
    }

    private func seenOnTheBus(_ error: I2CError) -> (cause: String, remedy: String?) {
        let chip = place.chip.name
        return switch error {
        case .noAcknowledge where host != nil:
            (
                "\(chip) does not answer, nor does the \(host ?? "") around it at 0x68 or 0x69, whose switch leads to it",
                "check the 3.3 V supply, ground, SDA and SCL"
            )
        case .noAcknowledge:
            ("\(chip) does not answer", "check its 3.3 V supply, ground, SDA and SCL\(pins)")
        case .arbitrationLost:
            ("another master took the bus from \(chip)", "only one may be connected")
        case .timeout:
            ("\(chip) did not finish: SDA or SCL is held low", "check for a short circuit, pull-ups and cable length")
        case .busVanished:
            (
                "the bus of \(chip) is not there",
                "enable it (dtparam=i2c_arm=on in config.txt, the module i2c-dev), or plug its adapter in again"
            )
        case .unsupported(let what):
            ("the adapter cannot do what \(chip) needs (\(what))", "connect it to the board's own I2C bus")
        case .system(let number, _):
            (
                "the kernel reports error \(number) for \(chip)",
                "see `dmesg`, and whether a kernel driver owns the address"
            )
        }
    }

    /// The housing in which the chip is a guest.
    private var host: String? { BypassHost.all.first { $0.guest == place.chip.name }?.name }

    /// `, and SA0 (low = 0x18, high = 0x19)`.
    private var pins: String {
        guard !place.chip.addressPin.isEmpty, let low = place.chip.addresses.first, let high = place.chip.addresses.last
        else { return "" }
        return ", and \(place.chip.addressPin) (low = \(hexadecimal(low)), high = \(hexadecimal(high)))"
    }
}
