// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Glibc
import SimulatedWorld
import Simulation

extension SimulatedSurroundings {
    /// Simulated chips, a receiver and a microphone around the device of a `MadeDevice` while it has power.
    init(_ power: MadeLife.PowerOn, of life: MadeLife, on board: BoardDescription) throws {
        let booted = MonotonicTime(nanoseconds: 3_000_000_000)
        let clock = VirtualClock(now: power.shown, monotonic: booted)
        let offset = (power.start - life.start).seconds
        /// Seconds since the life's first midnight.
        let lived: @Sendable (MonotonicTime) -> Double = { offset + ($0 - booted).seconds }
        let body = life.body
        let input = PhysicalInput(
            acceleration: { body.acceleration(at: lived($0)) }, rotation: { body.angularRate(at: lived($0)) },
            field: { body.magneticField(at: lived($0)) }, temperature: { body.temperature(at: lived($0)) })
        var buses: [String: any I2CBus] = [:]
        for bus in board.buses {
            let chips = try board.chips.filter { $0.bus == bus.name }.map {
                try SimulatedBoard.chip($0, of: board, input, seed: life.seed, start: booted)
            }
            buses[bus.name] = SimulatedI2CBus(chips: chips, seed: life.seed, clock: { clock.monotonic })
        }
        let known = booted + power.boot.clockKnownAfter
        let room = RoomSound(calibration: board.microphone?.calibration ?? 120, seed: life.seed)
        let start = power.start
        self.init(
            clock: clock, advance: { clock.advance(to: $0) },
            setClock: { clock.stepWall(by: start + (clock.monotonic - booted) - clock.now) }, buses: buses,
            sentences: { time in
                // The clock is unknown for as long as the receiver sees no satellites.
                guard time >= known else { return RoomSound.noFix }
                let seconds = lived(time)
                let (place, before) = (body.position(at: seconds), body.position(at: seconds - 1))
                return Array(
                    SimulatedFix(
                        (place.latitude, place.longitude), at: start + (time - booted),
                        since: (before.latitude, before.longitude)
                    ).text.utf8)
            },
            hear: { frame in room.fill(&frame, level: body.soundLevel(at: lived(frame.time))) },
            isAway: { [.sleep, .notWorn].contains(body.activity(at: lived($0))) })
    }
}

/// Noise of a room at a level.
private struct RoomSound: Sendable {
    /// What a receiver that sees no satellite says.
    static let noFix = Array("$GPRMC,,V,,,,,,,,,,N*53\r\n$GPGGA,,,,,,0,00,99.99,,,,,,*48\r\n".utf8)

    private let noise: [Float]
    private let calibration: Double

    /// `calibration` is the level of a full-scale sine in dB.
    init(calibration: Double, seed: UInt64) {
        self.calibration = calibration
        let source = SeededNoise(seed: seed)
        noise = (0..<16_384).map { Float(source.normal($0)) }
    }

    func fill(_ frame: inout SoundFrame, level: Double) {
        // A full-scale sine, from which levels count, has 3.01 dB less than full scale; white noise up to
        // 8 kHz gains 0.18 dB by the A-weighting of IEC 61672-1.
        let strength = Float(32_768 * pow(10, (level - 3.01 - 0.18 - calibration) / 20))
        // Each frame begins somewhere else in the noise, which goes round.
        let place = Int(truncatingIfNeeded: frame.time.nanoseconds / 16_000) &* 31 & 0x3FFF
        for index in 0..<SoundFrame.capacity {
            frame.samples[index] = Int16(max(-32_767, min(32_767, noise[(place + index) & 0x3FFF] * strength)))
        }
    }
}
