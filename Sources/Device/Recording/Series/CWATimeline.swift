// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The good blocks of a CWA file, each with the time of its samples.
///
/// Times are wall time as if it were UTC. Within a block they go evenly from its stamp to that of
/// the next one, since chips do not keep the rate that the file names; where the next stamp is
/// further away than that can explain, there is a gap.
package final class CWATimeline {
    /// A block with the times of its samples.
    package struct TimedBlock: Sendable {
        package let block: CWABlock
        /// The time of its first sample.
        package let start: Instant
        /// Seconds from one to the next.
        package let period: Double
        /// Seconds missing before it, negative where the clock was set back; nil where
        /// nothing is missing.
        package let gap: Double?

        package func time(_ sample: Int) -> Instant {
            Instant(nanoseconds: start.nanoseconds &+ Int64(Double(sample) * period * 1e9 + 0.5))
        }
        /// The time at which the sample behind the last one is due.
        package var end: Instant { time(block.count) }
    }

    package let reader: CWAReader
    private let measuredRate: Double?
    /// The next block: its stamp ends the present one.
    private var ahead: CWABlock?
    private var isBegun = false
    /// When the first sample of the next block is due, and what is missing before it.
    private var expected: Instant?
    private var gap: Double?
    /// Blocks given out.
    package private(set) var count = 0

    /// The blocks of a file, from its beginning. Where a description tells the chip's true rate,
    /// gaps of a few samples show.
    package init(_ source: RecordedFile) throws(FileError) {
        reader = try CWAReader(source.file)
        let rate = source.description?.measuredRate ?? 0
        // Of a resampled file, a description without `resampled` has the chip's rate and not the file's.
        measuredRate =
            (0.01...1e6).contains(rate) && (reader.header?["resampled"] == nil || source.description?.resampled != nil)
            ? rate : nil
    }

    /// The next block; nil behind the last.
    package func next() throws(FileError) -> TimedBlock? {
        if !isBegun { ahead = try reader.nextBlock() }
        isBegun = true
        guard let block = ahead else { return nil }
        ahead = try reader.nextBlock()
        count += 1
        let start = Self.stamp(block) ?? expected ?? RecordingTimes.uptimeEpoch
        let (period, gapAfter) = step(from: start, block)
        let timed = TimedBlock(block: block, start: start, period: period, gap: gap)
        (expected, gap) = (timed.end, gapAfter)
        return timed
    }

    /// The period within `block`, and what is missing behind it.
    private func step(from start: Instant, _ block: CWABlock) -> (period: Double, gap: Double?) {
        let period = 1 / (measuredRate ?? block.rate)
        guard let next = ahead.flatMap(Self.stamp) else { return (period, nil) }
        let due = Double(block.count) * period
        let error = (next - start).seconds - due
        // A quarter of a block lies beyond any error of rate, a few samples beyond the stamps' own.
        let tolerance = measuredRate == nil ? min(CWASurvey.tolerance(due), max(due / 4, 3 * period)) : 3 * period
        return abs(error) > tolerance ? (period, error) : (period + error / Double(block.count), nil)
    }

    private static func stamp(_ block: CWABlock) -> Instant? { block.local(of: 0)?.instant(offset: 0) }
}
