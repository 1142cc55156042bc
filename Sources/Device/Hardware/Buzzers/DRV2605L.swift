// SPDX-License-Identifier: Apache-2.0
import CLinux
import Synchronization
import SystemKit

/// TI DRV2605 or DRV2605L on an I2C bus: drives a vibration motor. The effects stored in the chip are not used.
///
/// Facts from Adafruit_DRV2605, the kernel's drv260x.c, TI's SLOS854C and its forum; `[M]` marks what was not
/// re-read in a source. `PartOpener` makes it for the board file's vibration motor. It takes the place of a
/// buzzer: a tone of any pitch is a vibration. The chip is in standby whenever nothing vibrates, and when
/// closed.
///
/// Any thread; a call blocks for its transfers, about 2 ms at 400 kHz. Give it a separate
/// `LinuxI2CBus`, since a bus belongs to one thread at a time.
package final class DRV2605L: Buzzer {
    package enum Motor: Sendable, Hashable {
        /// A weight that turns out of centre (ERM), driven without feedback, which
        /// needs no calibration.
        case rotating
        /// A weight on a spring (LRA).
        case resonant
    }

    private static let address: UInt8 = 0x5A

    // swift-format-ignore: AlwaysUseLowerCamelCase
    private enum Register {
        static let STATUS: UInt8 = 0x00
        static let MODE: UInt8 = 0x01
        static let RTP_INPUT: UInt8 = 0x02
        static let GO: UInt8 = 0x0C
        static let FEEDBACK: UInt8 = 0x1A
        static let CONTROL3: UInt8 = 0x1D
    }

    /// MODE: b6 STANDBY, b2:0 what drives the motor.
    private enum Mode {
        static let effects: UInt8 = 0x00
        static let realTime: UInt8 = 0x05
        static let standby: UInt8 = 0x40
    }

    private let bus: any I2CBus
    private let place: String
    private let motor: Motor
    private let drive: UInt8
    private let isClosed = Mutex(false)

    /// The driver on `bus`, which messages call `busName`; the motor is still. `strength` is that of
    /// a tone, 0...1. Throws the bus's errors, and ENODEV when another chip answers at the address.
    package init(bus: any I2CBus, busName: String, motor: Motor = .rotating, strength: Double = 1) throws(SystemError) {
        let place = "DRV2605L at \(busName) 0x5A"
        // Before `self` is complete, so that no `deinit` runs after an error: it would write to a chip that
        // may be another one.
        let status = try Self.read(bus, Register.STATUS, place)
        guard status >> 5 == 3 || status >> 5 == 7 else {  // 3 a DRV2605, 7 a DRV2605L [M]
            throw SystemError(code: ENODEV, operation: "find", place: place)
        }
        self.bus = bus
        self.place = place
        self.motor = motor
        drive = strength > 0 ? UInt8(min(strength, 1) * 127) : 0
        try rest()
    }

    deinit { close() }

    package var hasPitch: Bool { false }

    /// Vibrates for any frequency until the next call; nil is stillness. Throws the bus's errors,
    /// EBADF after `close`.
    package func tone(frequency: Double?) throws(SystemError) {
        // One caller at a time, so that settings and start belong together.
        try isClosed.withLock { isClosed throws(SystemError) in
            if isClosed { throw SystemError(code: EBADF, operation: "vibrate with", place: place) }
            guard frequency != nil else { return try rest() }
            try prepare()
            try write(Register.RTP_INPUT, drive)
            try write(Register.MODE, Mode.realTime)
        }
    }

    /// Stops the motor and puts the chip into standby; errors are ignored, since the chip may be gone.
    package func close() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            try? rest()
        }
    }

    private func rest() throws(SystemError) {
        try write(Register.RTP_INPUT, 0)
        try write(Register.GO, 0)
        try write(Register.MODE, Mode.standby)
    }

    /// FEEDBACK b7: 0 rotating, 1 resonant. CONTROL3 b5: rotating without feedback; b3: RTP_INPUT without
    /// a sign, which another program such as the kernel's drv260x may have left on, and with which the drive of
    /// a full tone would mean no vibration. Both are read each time, since a chip that lost its supply has its
    /// defaults again.
    private func prepare() throws(SystemError) {
        try write(Register.MODE, Mode.effects)
        let feedback = try read(Register.FEEDBACK)
        try write(Register.FEEDBACK, motor == .rotating ? feedback & 0x7F : feedback | 0x80)
        let control = try read(Register.CONTROL3) & ~0x08
        try write(Register.CONTROL3, motor == .rotating ? control | 0x20 : control)
    }

    private func read(_ register: UInt8) throws(SystemError) -> UInt8 { try Self.read(bus, register, place) }

    private static func read(_ bus: any I2CBus, _ register: UInt8, _ place: String) throws(SystemError) -> UInt8 {
        do throws(I2CError) {
            let bytes = try bus.read(address, register: register, count: 1)
            guard let byte = bytes.first else { throw .unsupported("no byte read") }
            return byte
        } catch {
            throw error.asSystemError("read", place)
        }
    }

    private func write(_ register: UInt8, _ value: UInt8) throws(SystemError) {
        do throws(I2CError) { try bus.write(Self.address, register: register, value) } catch {
            throw error.asSystemError("write to", place)
        }
    }
}

extension I2CError {
    func asSystemError(_ operation: String, _ place: String) -> SystemError {
        let code: CInt =
            switch self {
            case .noAcknowledge: ENXIO
            case .arbitrationLost: EAGAIN
            case .timeout: ETIMEDOUT
            case .busVanished: ENODEV
            case .unsupported: EOPNOTSUPP
            case .system(let code, _): code
            }
        return SystemError(code: code, operation: operation, place: place)
    }
}
