// SPDX-License-Identifier: Apache-2.0
import Times

/// How fast a chip really samples, and up to when its samples are accounted for. Pure.
///
/// A chip's rate differs from its nominal one by up to ten per cent; waits and the size of gaps are reckoned with the
/// rate seen so far. The exact times of samples are the recorder's affair.
struct SamplePace {
    /// So many samples must have been seen before their rate is believed more than the nominal one.
    static let learning = 500
    /// What is measured beyond this part of the nominal rate is no rate but a clock or a chip gone wrong.
    static let tolerance = 0.2

    /// Samples per second, as far as known.
    private(set) var rate: Double
    private let nominalRate: Double
    /// The time of the newest sample that was fetched or counted as lost.
    private(set) var accountedUntil: MonotonicTime
    private var began: MonotonicTime
    private var seen = 0

    /// A chip of that nominal rate whose first sample is due one period after `start`.
    init(nominalRate: Double, start: MonotonicTime) {
        self.nominalRate = nominalRate
        rate = nominalRate
        accountedUntil = start
        began = start
    }

    /// The time of so many samples.
    func time(_ samples: Double) -> Duration { .nanoseconds(Int64((samples / rate * 1e9).rounded())) }

    /// How many samples came after the accounted ones until `now`: the newest is half a period old on the average.
    func produced(at now: MonotonicTime) -> Int {
        max(0, Int(((now - accountedUntil).seconds * rate - 0.5).rounded()))
    }

    /// Samples were fetched, the newest of them taken at `newest`.
    mutating func fetched(_ count: Int, newest: MonotonicTime) {
        seen += count
        accountedUntil = newest
        guard seen >= Self.learning, newest > began else { return }
        let measured = Double(seen) / (newest - began).seconds
        if abs(measured / nominalRate - 1) <= Self.tolerance { rate = measured }
    }

    /// Samples are missing up to `time`; the rate is measured anew from there, the old one holding until then.
    mutating func lost(until time: MonotonicTime) {
        accountedUntil = time
        began = time
        seen = 0
    }
}
