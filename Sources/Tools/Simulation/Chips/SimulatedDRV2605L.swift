// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// A DRV2605L (driver of a vibration motor) with a motor, at register level. `SimulatedBoard` puts it onto
/// boards that have one.
///
/// That every effect takes 100 ms is made up.
///
/// Registers: 00h STATUS, 01h MODE, 02h RTP_INPUT, 03h LIBRARY, 04h–0Bh WAVESEQ1 to 8, 0Ch GO, 1Dh CONTROL3.
///
/// Modelled: standby after power-on, real-time playback with a signed amplitude, or with an unsigned
/// one, of which 7Fh is none (DATA_FORMAT_RTP, TI's SLOS854C, figure 26), sequences of effects with
/// waits, GO that clears itself at their end or when it is written 0, reset, and, for a plain DRV2605,
/// that mode, library and sequence are gone after each effect. Not modelled: calibration, audio, PWM
/// input, what the effects feel like.
package struct SimulatedDRV2605L: RegisterChip {
    /// What the motor does, for a test or a display; any thread.
    package final class Motor: Sendable {
        /// What has been felt so far.
        package struct State: Sendable, Hashable {
            /// How strongly it turns now, -1...1; 0 = still.
            package var strength = 0.0
            /// The effects that have been begun, in order.
            package var effects: [UInt8] = []
            /// The effect library when the last sequence began; 0 before.
            package var library: UInt8 = 0
            /// The chip is in standby, as it must be when nothing vibrates.
            package var isAsleep = true

            package init() {}
        }
        private let current = Mutex(State())

        package init() {}
        package var state: State { current.withLock { $0 } }
        func set(_ change: (inout State) -> Void) { current.withLock { change(&$0) } }
    }

    package let address: UInt8 = 0x5A
    /// A plain DRV2605, which loses mode, library and sequence after each effect.
    private let isForgetful: Bool
    private let motor: Motor
    var core: ChipCore
    /// When the effects being played are over.
    private var end: MonotonicTime?

    package init(motor: Motor, isForgetful: Bool = false, start: MonotonicTime = .zero) {
        self.motor = motor
        self.isForgetful = isForgetful
        core = ChipCore(Specimen(), start: start)
        begin()
        forget()
    }

    var powerOn: [UInt8: UInt8] {
        [0x00: isForgetful ? 0x60 : 0xE0, 0x01: 0x40, 0x03: 0x01, 0x04: 0x01, 0x1A: 0x36, 0x1B: 0x93, 0x1D: 0x80]
    }

    mutating func forget() {
        end = nil
        drive()
    }

    /// Effects that are over by now end.
    package mutating func advance(to time: MonotonicTime) {
        core.now = max(core.now, time)
        guard let end, end <= core.now else { return }
        self.end = nil
        core[0x0C] = 0
        if isForgetful {
            core[0x01] = 0x40
            core[0x03] = 0
            for step: UInt8 in 0x04...0x0B { core[step] = 0 }
        }
        drive()
    }

    mutating func measure(at moment: MonotonicTime) {}
    mutating func fetch() -> UInt8 { core[core.pointer] }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x00: break  // read-only
        case 0x01 where value & 0x80 != 0: return powerCycle(at: core.now)
        case 0x0C:
            core[0x0C] = value & 0x01
            end = nil
            if value & 0x01 != 0 { play() }
        default: core[core.pointer] = value
        }
        drive()
    }

    private mutating func play() {
        // GO plays a sequence only out of standby (b6) and in the mode of internal triggers (0).
        guard core[0x01] & 0x47 == 0 else {
            core[0x0C] = 0
            return
        }
        let sequence = (0..<8).map { core[0x04 + UInt8($0)] }.prefix { $0 != 0 }
        let times = sequence.map { $0 & 0x80 != 0 ? Duration.milliseconds(10 * Int($0 & 0x7F)) : .milliseconds(100) }
        let library = core[0x03]
        motor.set {
            $0.effects += sequence.filter { $0 & 0x80 == 0 }
            $0.library = library
        }
        end = core.now + times.reduce(.zero, +)
    }

    private var amplitude: Double {
        core[0x1D] & 0x08 == 0 ? Double(Int8(bitPattern: core[0x02])) / 127 : (Double(core[0x02]) - 127) / 128
    }

    private func drive() {
        let isAsleep = core[0x01] & 0x40 != 0
        let isRealTime = core[0x01] & 0x07 == 5
        let strength = isAsleep ? 0 : isRealTime ? amplitude : end != nil ? 1 : 0
        motor.set {
            $0.isAsleep = isAsleep
            $0.strength = strength
        }
    }
}
