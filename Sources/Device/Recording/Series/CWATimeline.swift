// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The good blocks of a CWA file, each with the time of its samples. `MotionSeries` reads one after another;
/// exports read single ones.
///
/// Times are wall time as if it were UTC. Within a block they go evenly from its stamp to that of
/// the next one, since chips do not keep the rate that the file names; where the next stamp is
/// further away than that can explain, there is a gap. Blocks without a valid time are spread evenly
/// between dated neighbours where none is missing among them; all others are left out and counted.
package final class CWATimeline {
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
        /// The time at which the sample after the last one is due.
        package var end: Instant { time(block.count) }
    }

    package let reader: CWAReader
    private let measuredRate: Double?
    /// The next block with a time: its stamp ends the present one.
    private var ahead: (block: CWABlock, start: Instant)?
    private var isBegun = false
    /// Blocks to be given out, the next one last.
    private var ready: [TimedBlock] = []
    /// What is missing before `ahead`.
    private var gap: Double?
    /// Blocks given out.
    package private(set) var count = 0
    /// Blocks that were left out so far since nothing tells their time.
    package private(set) var undatedBlocks = 0
    /// Bounds memory: longer runs of blocks without a time are left out.
    private static let longestRun = 4096

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

    package func next() throws(FileError) -> TimedBlock? {
        if !isBegun {
            let leading = try readAhead()
            undatedBlocks += leading.count
            isBegun = true
        }
        if ready.isEmpty { try fill() }
        guard let timed = ready.popLast() else { return nil }
        count += 1
        return timed
    }

    /// Why `next` gave nothing at all.
    package var emptiness: String { undatedBlocks > 0 ? "has no block with a valid time" : "has no intact block" }

    /// Times the next dated block, and those after it that have no time of their own.
    private func fill() throws(FileError) {
        guard let (first, start) = ahead else { return }
        let gapBefore = gap
        var blocks = try [first] + readAhead()
        var (period, gapAfter) = step(from: start, blocks)
        // Where the clock was set, or something is missing, nothing tells where the undated ones belong.
        if blocks.count > 1, gapAfter != nil || ahead.map({ isPart(first, blocks.count, $0.block) }) != true {
            undatedBlocks += blocks.count - 1
            blocks = [first]
            (period, gapAfter) = step(from: start, blocks)
        }
        gap = gapAfter
        var place = start
        for (index, block) in blocks.enumerated() {
            ready.append(TimedBlock(block: block, start: place, period: period, gap: index == 0 ? gapBefore : nil))
            place = ready[index].end
        }
        ready.reverse()
    }

    /// Whether `next` is the block that many places after `first`.
    private func isPart(_ first: CWABlock, _ places: Int, _ next: CWABlock) -> Bool {
        next.sequence &- first.sequence == UInt32(places)
    }

    /// Goes on to the next dated block; returns those without a time before it.
    private func readAhead() throws(FileError) -> [CWABlock] {
        var run: [CWABlock] = []
        ahead = nil
        while let block = try reader.nextBlock() {
            if let start = block.local(of: 0)?.instant(offset: 0) {
                ahead = (block, start)
                break
            }
            run.append(block)
            if run.count > Self.longestRun {
                undatedBlocks += run.count
                run = []
            }
        }
        return run
    }

    /// The period within `blocks`, and what is missing after them.
    private func step(from start: Instant, _ blocks: [CWABlock]) -> (period: Double, gap: Double?) {
        let period = 1 / (measuredRate ?? blocks[0].rate)
        guard let next = ahead?.start else { return (period, nil) }
        let samples = Double(blocks.reduce(0) { $0 + $1.count })
        let due = samples * period
        let error = (next - start).seconds - due
        // A quarter of a block lies beyond any error of rate, a few samples beyond the stamps' own.
        let one = Double(blocks[0].count) * period
        let tolerance =
            measuredRate == nil
            ? max(min(CWASurvey.tolerance(one), max(one / 4, 3 * period)), CWASurvey.rateError * due) : 3 * period
        return abs(error) > tolerance ? (period, error) : (period + error / samples, nil)
    }
}
