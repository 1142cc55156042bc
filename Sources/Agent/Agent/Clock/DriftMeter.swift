// SPDX-License-Identifier: Apache-2.0
import Base

/// How far the clock drifted while no source was heard, and from that the largest drift to expect. `ClockDiscipline`
/// adds each good source that it adopts, and in between the time that it extrapolates. Pure.
///
/// The true rate is taken from two references and the bare oscillator (CLOCK_MONOTONIC_RAW) between
/// them, so that a client which slews the clock back into place after the silence hides nothing.
struct DriftMeter: Sendable {
    struct Reading: Sendable {
        let instant: Instant
        let raw: MonotonicTime
    }

    /// A crystal without temperature control drifts by less.
    static let any = 100e-6
    /// Shorter silences say more of the references' errors than of the crystal.
    private static let shortest = Duration.seconds(6 * 3600)
    /// Warmer or colder than at the times that were measured.
    private static let margin = 2.0
    /// `bound` is never less.
    private static let least = 10e-6

    /// The bound in force, a ratio.
    private(set) var bound: Double
    /// False while `bound` is the assumption.
    private(set) var isMeasured: Bool
    /// The drift in each of the last eight silences, a ratio, with the errors of both references.
    private var drifts: [Double] = []
    private var reference: (instant: Instant, raw: MonotonicTime, uncertainty: Duration)?
    private var last: Reading?

    /// Nothing measured yet, or what an earlier run measured.
    init(measured: Double? = nil) {
        bound = measured ?? Self.any
        isMeasured = measured != nil
    }

    mutating func addExtrapolation(_ reading: Reading) { last = reading }

    /// The machine was suspended, during which the oscillator was not counted: what lies before
    /// says nothing of its rate.
    mutating func restart() { (reference, last) = (nil, nil) }

    /// A good source was heard: measures the silence before, if it was long enough.
    mutating func addReference(_ instant: Instant, _ uncertainty: Duration, raw: MonotonicTime) {
        defer {
            reference = (instant, raw, uncertainty)
            last = nil
        }
        guard let reference, let last, last.raw - reference.raw >= Self.shortest else { return }
        let rate = (instant - reference.instant).seconds / (raw - reference.raw).seconds
        let silence = (last.raw - reference.raw).seconds
        let error = (last.instant - reference.instant).seconds - silence * rate
        drifts.append((abs(error) + reference.uncertainty.seconds + uncertainty.seconds) / silence)
        drifts = drifts.suffix(8)
        bound = max(Self.least, Self.margin * (drifts.max() ?? 0))
        isMeasured = true
    }
}
