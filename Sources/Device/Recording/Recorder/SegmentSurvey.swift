// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// How much of a cut file is whole, up to its last good block, line or frame (a unit), for the recovery at a
/// start and for `RecordingOpener`. Its draft, the description written when the file was opened, says when it
/// began.
struct SegmentSurvey {
    /// Bytes up to the end of the last whole unit.
    var bytes = 0
    /// Samples in whole units, in the unit that the description counts.
    var stored = 0
    /// Seconds from the beginning in the draft to the last sample.
    var duration = 0.0
    /// CLOCK_MONOTONIC of the first sample in seconds, where the file says that it is another than
    /// the draft's beginning.
    var firstUptime: Double?
    /// The most samples that may have waited in memory for a unit to fill.
    var mostWaiting = 1
    /// Samples of damaged units between good ones, which no gap in the file accounts for.
    var damagedSamples = 0
    /// Where samples are missing inside the file, as far as it shows that itself; at most
    /// `RecordingDescription.gapLimit`.
    private(set) var gaps: [RecordingDescription.GapNote] = []
    private(set) var gapsOmitted = 0
    /// Samples missing in all gaps, by reason.
    private(set) var lostInGaps: [String: Int] = [:]
    /// Corrections of the file's header.
    var patches: [SegmentPatch] = []

    mutating func record(_ gap: RecordingDescription.GapNote) {
        lostInGaps[gap.reason, default: 0] += gap.samples
        if gaps.count < RecordingDescription.gapLimit { gaps.append(gap) } else { gapsOmitted += 1 }
    }

    /// Records a gap that a line of the file describes; uptimes in seconds.
    mutating func record(_ gap: TextGap, after lastUptime: Double, at position: Int) {
        record(
            .init(
                startUptime: gap.start ?? lastUptime, endUptime: gap.end, samples: gap.count, reason: gap.reason,
                position: position))
    }
}

extension RecordingDescription {
    /// Measures how much of `file` is whole; this description is its draft.
    func survey(_ file: File, _ formats: RecordingFormats) throws(FileError) -> SegmentSurvey {
        guard let kind = formats[format] else {
            throw .format(path: file.path, problem: "has an unknown format \(format)")
        }
        return try kind.survey(file, self)
    }
}
