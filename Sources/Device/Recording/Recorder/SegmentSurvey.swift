// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// How much of a cut file is whole: the last good block, line or frame.
struct SegmentSurvey {
    /// Bytes up to the end of the last whole unit.
    var bytes = 0
    /// Samples in whole units, in the unit that the description counts.
    var stored = 0
    /// Seconds from the beginning in the draft to the last sample.
    var duration = 0.0
    /// CLOCK_MONOTONIC of the first sample in seconds, where the file says that it is another than
    /// the draft's beginning.
    var first: Double?
    /// Samples of one unit, as many as may have been waiting for the unit to fill.
    var unit = 1
    /// Samples of damaged blocks between good ones.
    var missing = 0
    /// Where samples are missing inside the file, as far as it shows that itself; at most
    /// `RecordingDescription.gapLimit`.
    private(set) var gaps: [RecordingDescription.GapNote] = []
    private(set) var gapsOmitted = 0
    /// Samples missing in all of them, by reason.
    private(set) var lost: [String: Int] = [:]
    /// What the file's beginning must say now.
    var patches: [SegmentPatch] = []

    init() {}

    mutating func record(_ gap: RecordingDescription.GapNote) {
        lost[gap.reason, default: 0] += gap.samples
        if gaps.count < RecordingDescription.gapLimit { gaps.append(gap) } else { gapsOmitted += 1 }
    }

    /// What a line of the file says is missing.
    mutating func record(_ gap: TextGap, after last: Double, at position: Int) {
        record(
            .init(
                startUptime: gap.start ?? last, endUptime: gap.end, samples: gap.count, reason: gap.reason,
                position: position))
    }
}

extension RecordingDescription {
    /// What is whole of the file that this is the draft of.
    func survey(_ file: File, _ formats: RecordingFormats) throws(FileError) -> SegmentSurvey {
        guard let kind = formats[format] else {
            throw .format(path: file.path, problem: "has an unknown format \(format)")
        }
        return try kind.survey(file, self)
    }
}
