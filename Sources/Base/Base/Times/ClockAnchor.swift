// SPDX-License-Identifier: Apache-2.0

/// A pair of readings of the two clocks, by which monotonic times of one boot are turned into UTC. The agent's
/// clock (`ClockDiscipline`) makes them; recordings, log and schedule take their UTC from them.
package struct ClockAnchor: Hashable, Sendable {
    package enum Source: String, Sendable, CaseIterable {
        /// None: the wall clock of a boot that has had no reference yet.
        case unknown
        /// A battery-backed clock that did not lose power, and with which the system's agreed.
        case rtc
        /// The kernel says it is synchronised (NTP or PTP).
        case kernel
        /// The date of a satellite receiver, once it is plausible.
        case gps
        /// The configuration alone (`trust_system`): a person says that the
        /// system's clock is right.
        case vouched
        /// Virtual time of a simulation.
        case simulated
    }

    /// CLOCK_MONOTONIC at the moment of the anchor.
    package let monotonic: MonotonicTime
    /// UTC at the same moment.
    package let instant: Instant
    package let source: Source
    /// The largest error of `instant` that is expected, one side.
    package let uncertainty: Duration
    /// For how long the source has not been heard: the time was extrapolated by CLOCK_MONOTONIC. Zero
    /// = it is heard now.
    package let carried: Duration

    package init(
        monotonic: MonotonicTime, instant: Instant, source: Source, uncertainty: Duration, carried: Duration = .zero
    ) {
        self.monotonic = monotonic
        self.instant = instant
        self.source = source
        self.uncertainty = uncertainty
        self.carried = carried
    }

    /// True when the time has a source, so that files may be sealed. Prompts want a bound on the
    /// uncertainty, too.
    package var isTrusted: Bool { source != .unknown }

    /// UTC at another monotonic time of the same boot.
    package func instant(at time: MonotonicTime) -> Instant { instant + (time - monotonic) }
    /// Monotonic time of this boot at a moment of UTC.
    package func monotonic(at moment: Instant) -> MonotonicTime { monotonic + (moment - instant) }
}
