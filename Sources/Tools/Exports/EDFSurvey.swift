// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// What an EDF header must know beforehand: `EDFExporter` adds all blocks in a first pass, before it asks for
/// `annotations` and `fault`.
struct EDFSurvey {
    private(set) var first: CWATimeline.TimedBlock?
    /// The end of the latest block so far.
    private(set) var end = Instant.epoch
    /// Gaps, and how long they are; negative where the clock was set back.
    private var gaps: [(end: Instant, seconds: Double)] = []
    /// Bounds memory; more gaps are filled without an annotation.
    private static let mostGaps = 100_000

    /// A year, with a leap day: gaps are filled, so that one block of another decade would fill a disk.
    private static let longest = Duration.seconds(366 * 86_400)

    /// Nil where it is short enough for an even grid.
    func fault(of path: String) -> FileError? {
        guard let start = first?.start, end - start > Self.longest else { return nil }
        return FileError(
            path: path,
            message: "spans \(start.rfc3339()) to \(end.rfc3339()), and EDF+C fills every gap: at most 366 days",
            remedy: "export a part of it with --from and --until; where its clock was set, the part after that")
    }

    mutating func add(_ timed: CWATimeline.TimedBlock) {
        if first == nil { first = timed }
        if let gap = timed.gap, gaps.count < Self.mostGaps { gaps.append((timed.start, gap)) }
        // The last block is not the latest where the clock was set back.
        end = max(end, timed.end)
    }

    var annotations: [EDFAnnotation] {
        gaps.map { gap in
            guard gap.seconds > 0 else { return EDFAnnotation(time: gap.end, duration: 0, text: "clock set back") }
            return EDFAnnotation(
                time: gap.end - .nanoseconds(Int64(gap.seconds * 1e9)), duration: gap.seconds,
                text: "gap, filled with the value before")
        }
    }
}
