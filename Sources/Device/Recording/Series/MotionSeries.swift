// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The blocks of several files one after another, cut to a window; times are wall time at the offset of the
/// first file. `MotionSource.open` makes it for exports, features and the lab.
package final class MotionSeries {
    /// Of the first file.
    package let header: CWAHeader?
    /// Of the first file.
    package let description: RecordingDescription?
    /// Damaged blocks passed so far.
    package var damagedBlocks: Int { damaged + (timeline?.reader.damagedBlocks ?? 0) }
    /// Blocks that are left out, since neither they nor dated neighbours give them a time.
    package var undatedBlocks: Int { undated + (timeline?.undatedBlocks ?? 0) }
    /// Blocks given out.
    package private(set) var count = 0
    /// For the times of the block given out last; without uptimes where the files are of several boots.
    package var clock: ExportClock
    private let source: MotionSource
    private let offset: Int?
    private let from: Instant?
    private let until: Instant?
    private var timeline: CWATimeline?
    /// From the present file's wall time to that of the first file's offset.
    private var shift = Duration.zero
    /// Which of the source's files `timeline` reads.
    private var file = 0
    /// Damaged blocks in the files before.
    private var damaged = 0
    /// `undatedBlocks` of the files before.
    private var undated = 0
    /// When the sample after the last block is due.
    private var expected: Instant?

    init(_ source: MotionSource) throws(FileError) {
        self.source = source
        let timeline = try CWATimeline(source.files[0])
        header = timeline.reader.header
        description = source.files[0].description
        offset = Self.offset(header, description)
        (from, until) = source.window.walls(offset: offset ?? 0)
        // `follow` sets the first file's start, with its first block.
        clock = ExportClock(header, source.isOneBoot ? description : nil, start: .epoch)
        self.timeline = timeline
    }

    /// Seconds east of UTC of a file's wall times; nil where it does not say.
    package static func offset(_ header: CWAHeader?, _ description: RecordingDescription?) -> Int? {
        guard let text = header?["offset"] ?? description?.offset,
            let moment = Instant.parsed("1970-01-01T00:00:00\(text)")
        else { return nil }
        return -Int(moment.seconds)  // midnight east of UTC comes before 1970 in UTC
    }

    /// What was left out so far.
    package var notes: [String] {
        let path = source.files[0].file.path + (source.files.count > 1 ? " and \(source.files.count - 1) more" : "")
        let counts = [
            (damagedBlocks, Plural.of(damagedBlocks, "damaged block")),
            (undatedBlocks, Plural.of(undatedBlocks, "block without a valid time", "blocks without a valid time")),
        ]
        return source.notes + counts.compactMap { $0.0 > 0 ? "\(path): \($0.1) left out" : nil }
    }

    /// How much has been read, 0...1.
    package var progress: Double {
        let part = timeline.map { Double($0.count) / Double(max(1, $0.reader.blockCount)) } ?? 1
        return (Double(file) + part) / Double(source.files.count)
    }

    /// The next block of which something is in the window; nil after the last.
    package func next() throws(FileError) -> CWATimeline.TimedBlock? {
        while let timed = try nextOfAll() {
            if let until, timed.start >= until { return nil }
            guard let cut = cut(timed) else { continue }
            count += 1
            return cut
        }
        return nil
    }

    private func nextOfAll() throws(FileError) -> CWATimeline.TimedBlock? {
        while let timeline {
            if let timed = try timeline.next() { return placed(timed, isFirstOfFile: timeline.count == 1) }
            try openNextFile(after: timeline)
        }
        return nil
    }

    /// The block at the first file's offset; its gap (seconds) is also measured from file to file.
    private func placed(_ timed: CWATimeline.TimedBlock, isFirstOfFile: Bool) -> CWATimeline.TimedBlock {
        let start = timed.start + shift
        var gap = timed.gap
        if isFirstOfFile, source.isOneBoot, let description = source.files[file].description {
            clock.follow(description, start: start)
        }
        if isFirstOfFile, let expected {
            let missing = (start - expected).seconds
            gap = abs(missing) > 3 * timed.period ? missing : nil
        }
        let block = CWATimeline.TimedBlock(block: timed.block, start: start, period: timed.period, gap: gap)
        expected = block.end
        return block
    }

    private func openNextFile(after timeline: CWATimeline) throws(FileError) {
        damaged += timeline.reader.damagedBlocks
        undated += timeline.undatedBlocks
        file += 1
        guard file < source.files.count else {
            self.timeline = nil
            return
        }
        let next = try CWATimeline(source.files[file])
        let nextOffset = Self.offset(next.reader.header, source.files[file].description)
        shift = .seconds((offset ?? 0) - (nextOffset ?? offset ?? 0))
        self.timeline = next
    }

    /// The block with only its samples in the window; nil where there are none.
    private func cut(_ timed: CWATimeline.TimedBlock) -> CWATimeline.TimedBlock? {
        var (first, end) = (0, timed.block.count)
        if let from { while first < end, timed.time(first) < from { first += 1 } }
        if let until { while end > first, timed.time(end - 1) >= until { end -= 1 } }
        guard first < end else { return nil }
        guard first > 0 || end < timed.block.count else { return withoutGapAtStart(timed) }
        var block = timed.block
        let axes = block.packing.axes
        block.values = Array(block.values[first * axes..<end * axes])
        return .init(
            block: block, start: timed.time(first), period: timed.period, gap: count == 0 || first > 0 ? nil : timed.gap
        )
    }

    /// What is missing before the first block is not missing within the window.
    private func withoutGapAtStart(_ timed: CWATimeline.TimedBlock) -> CWATimeline.TimedBlock {
        guard count == 0, timed.gap != nil else { return timed }
        return .init(block: timed.block, start: timed.start, period: timed.period, gap: nil)
    }
}
