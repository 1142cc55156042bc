// SPDX-License-Identifier: Apache-2.0
import Base

/// A clock anchor (both clocks, read together, and the wall clock's error) as the log has it: a row
/// `StudyEvent.anchored`, from which `DisciplinedClock` goes on after a start.
package struct AnchorRecord: LoggedRecord {
    /// CLOCK_MONOTONIC of the row's boot, read together with `instant`.
    private var monotonic: MonotonicTime
    /// The wall clock at that moment.
    package var instant: Instant
    /// Raw value of `ClockAnchor.Source`; one this version does not know reads as `unknown`.
    private var source: String
    /// The largest error of `instant` that is expected, one side, in nanoseconds.
    private var uncertaintyNanoseconds: Int64
    /// For how long the source had not been heard, in nanoseconds; absent = it was heard at that
    /// moment.
    package var carriedNanoseconds: Int64?
    /// The bound of the oscillator's drift, where one was measured: a ratio.
    package var drift: Double?
    /// How long the machine had been suspended in this boot, as the kernel counts it, in
    /// nanoseconds; absent in rows of older versions.
    package var sleptNanoseconds: Int64?
    /// How often it had been suspended; absent where the kernel does not say.
    package var suspensions: Int?

    /// The record of an anchor, with what a later start has to know of the kernel's
    /// clocks at that moment.
    package init(_ anchor: ClockAnchor, drift: Double? = nil, marks: ClockMarks? = nil) {
        self.drift = drift
        sleptNanoseconds = marks?.slept.nanoseconds
        suspensions = marks?.suspensions
        carriedNanoseconds = anchor.carried > .zero ? anchor.carried.nanoseconds : nil
        monotonic = anchor.monotonic
        instant = anchor.instant
        source = anchor.source.rawValue
        uncertaintyNanoseconds = anchor.uncertainty.nanoseconds
    }

    /// The anchor itself; an unknown source is trusted for nothing.
    package var anchor: ClockAnchor {
        ClockAnchor(
            monotonic: monotonic, instant: instant, source: ClockAnchor.Source(rawValue: source) ?? .unknown,
            uncertainty: .nanoseconds(uncertaintyNanoseconds),
            carried: .nanoseconds(carriedNanoseconds ?? 0))
    }
}
