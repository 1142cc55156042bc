// SPDX-License-Identifier: Apache-2.0

/// How far off the UTC in one recording can be (`clockError` in its description). The file's times are computed
/// from one anchor by CLOCK_MONOTONIC; every other anchor of its boot shows how far off they are at its own
/// moment. Used by the recorder, and by `PromptOutcomes` for the times of prompts. Pure.
///
/// CLOCK_MONOTONIC goes at the rate of a crystal (100 ppm at most), and while the kernel is
/// synchronised it is slewed with the wall clock, by 500 ppm (Linux kernel/time/ntp.c: MAXFREQ)
/// and towards the truth; a large offset, which the error of the earlier anchor has in it, goes
/// faster (`second_overflow`, chrony's ADJ_TICK). Between two anchors the error is therefore no
/// larger than the larger of theirs and half the crystal's drift, and no larger than the smaller of
/// theirs and all that can happen in between.
package struct WallClockError: Sendable {
    /// A crystal's largest error, a ratio.
    package static let drift = 100e-6
    /// What the kernel adds to steer it.
    package static let steering = 500e-6
    /// Seconds that may be slewed faster than that at once: a larger offset is stepped (Debian's chrony
    /// from 1 s on, `makestep 1 3`; systemd-timesyncd from 0.4 s on).
    package static let fastSlew = 1.0

    /// What an anchor shows of the file's times at its own moment.
    private struct Checkpoint {
        /// CLOCK_MONOTONIC in seconds.
        var time: Double
        /// The distance of the file's time from the anchor's UTC, plus the anchor's own uncertainty; seconds.
        var error: Double
        /// The kernel was synchronised: it slewed CLOCK_MONOTONIC.
        var isSteered: Bool
    }

    private let mapping: ClockAnchor
    /// In the order of their times; never empty.
    private var checkpoints: [Checkpoint] = []
    private var newest: MonotonicTime

    /// For a file with times by `mapping`, bounded by all trusted ones of the boot's anchors, in any order.
    package init(by mapping: ClockAnchor, _ anchors: [ClockAnchor] = []) {
        self.mapping = mapping
        let all = (anchors.filter { $0.isTrusted && $0 != mapping } + [mapping]).sorted { $0.monotonic < $1.monotonic }
        newest = all.last?.monotonic ?? mapping.monotonic
        checkpoints = all.map(checkpoint)
    }

    /// Takes in the anchors that came since. `anchors` is in order of time; those up to the newest one that is
    /// already known are skipped.
    package mutating func follow(_ anchors: [ClockAnchor]) {
        for anchor in anchors.reversed().prefix(while: { $0.monotonic > newest }).reversed() where anchor.isTrusted {
            checkpoints.append(checkpoint(anchor))
            newest = anchor.monotonic
        }
    }

    /// The largest error of a time between the two, one side, in seconds.
    package func bound(from start: MonotonicTime, to end: MonotonicTime) -> Double {
        let start = (start - .zero).seconds
        // A single moment is widened to a microsecond, so that an anchor of that very moment counts.
        let end = max((end - .zero).seconds, start + 1e-6)
        guard let first = checkpoints.first, let last = checkpoints.last else { return .infinity }
        var bound = 0.0
        if first.time > start { bound = first.error + Self.drift * (first.time - start) }
        if last.time < end { bound = max(bound, last.error + Self.drift * (end - last.time)) }
        for (left, right) in zip(checkpoints, checkpoints.dropFirst()) where right.time > start && left.time < end {
            bound = max(bound, Self.peak(left, right, from: max(start, left.time), to: min(end, right.time)))
        }
        return bound
    }

    /// The largest error in `start...end`, which lies between two neighbouring anchors.
    private static func peak(_ left: Checkpoint, _ right: Checkpoint, from start: Double, to end: Double) -> Double {
        let isSteered = left.isSteered || right.isSteered
        let rate = isSteered ? drift + steering : drift
        let length = right.time - left.time
        // Going back from the right: a fast slew may have removed the left anchor's error at any moment
        // in between.
        let before = right.error + (isSteered ? min(left.error, fastSlew) : 0)
        // Where the bound that grows from the left meets the one that grows from the right.
        let crossing = (before - left.error + rate * length) / (2 * rate)
        let place = max(start - left.time, min(end - left.time, crossing))
        let either = min(left.error + rate * place, before + rate * (length - place))
        return min(either, max(left.error, right.error) + drift * length / 2)
    }

    private func checkpoint(_ anchor: ClockAnchor) -> Checkpoint {
        let off = (anchor.instant - mapping.instant(at: anchor.monotonic)).seconds
        // `carried` is zero while the kernel hears its time source.
        return Checkpoint(
            time: (anchor.monotonic - .zero).seconds, error: abs(off) + anchor.uncertainty.seconds,
            isSteered: anchor.source == .kernel && anchor.carried == .zero)
    }
}
