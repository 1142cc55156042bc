// SPDX-License-Identifier: Apache-2.0

extension SegmentSurvey {
    /// What a line of the file says is missing.
    mutating func record(_ gap: TextGap, after last: Double, at position: Int) {
        record(
            .init(
                startUptime: gap.start ?? last, endUptime: gap.end, samples: gap.count, reason: gap.reason,
                position: position))
    }
}
