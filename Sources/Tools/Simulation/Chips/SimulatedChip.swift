// SPDX-License-Identifier: Apache-2.0
import Base

/// A chip as its bus sees it: bytes in, bytes out, and time passing.
///
/// A conformance repeats the register numbers of its datasheet on purpose: sharing the driver's
/// would hide its mistakes.
package protocol SimulatedChip: Sendable {
    /// The 7-bit address it answers at.
    var address: UInt8 { get }
    /// False while it is cut off from the bus: behind a switch that is open.
    var isConnected: Bool { get }
    /// Time passes: samples are taken.
    mutating func advance(to now: MonotonicTime)
    /// Time passes, and no sample is taken.
    mutating func pass(to now: MonotonicTime)
    /// The bus is busy with addressing for `time` before an operation, in which the chip has time to work.
    mutating func rest(_ time: Duration)
    /// The bytes of one write operation: a sub-address, then data.
    mutating func write(_ bytes: [UInt8])
    /// The bytes of one read operation.
    mutating func read(_ count: Int) -> [UInt8]
    /// The supply was interrupted: everything is as after power-on.
    mutating func powerCycle(at now: MonotonicTime)
    /// When its interrupt pin rose; nil while the pin is low or not modelled.
    var pinHighSince: MonotonicTime? { get }
}

extension SimulatedChip {
    package mutating func rest(_ time: Duration) {}
    /// The same as `advance`: right for a chip that takes no samples.
    package mutating func pass(to now: MonotonicTime) { advance(to: now) }
    /// Not modelled.
    package var pinHighSince: MonotonicTime? { nil }
}

extension SimulatedChip {
    /// True: nothing is between it and the bus.
    package var isConnected: Bool { true }
}

/// When a chip that samples steadily takes its samples. The rate is the true one, not
/// the nominal one.
struct SampleTimer: Sendable {
    private var start: MonotonicTime
    private var taken = 0
    private var rate = 0.0

    init(at start: MonotonicTime) { self.start = start }

    /// Starts again at `now`; 0 samples per second = power-down.
    mutating func restart(rate: Double, at now: MonotonicTime) {
        self.rate = rate
        start = now
        taken = 0
    }

    /// The time of the next sample, which counts as taken; nil when none is due by `now`.
    mutating func next(by now: MonotonicTime) -> MonotonicTime? {
        guard rate > 0 else { return nil }
        let time = start + .nanoseconds(Int64(Double(taken + 1) / rate * 1e9))
        guard time <= now else { return nil }
        taken += 1
        return time
    }
}

/// What a simulated sensor measures: the truth, in the unit of the sensor, at a time.
package typealias Signal = @Sendable (MonotonicTime) -> SIMD3<Double>

/// How one individual chip differs from its datasheet.
package struct Specimen: Sendable, Hashable {
    /// True rate over nominal rate, minus 1.
    package var rateError: Double
    /// Standard deviation of the noise on each axis, in the unit of the sensor.
    package var noise: Double
    /// Seed of the noise.
    package var seed: UInt64
    /// How far its sensing elements follow the force of a self-test: 1 as they should, 0
    /// when they are stuck.
    package var response: Double
    /// Degrees Celsius of the chip.
    package var temperature = 31.5

    package init(rateError: Double = 0.008, noise: Double = 0, seed: UInt64 = 1, response: Double = 1) {
        self.rateError = rateError
        self.noise = noise
        self.seed = seed
        self.response = response
    }
}
