// SPDX-License-Identifier: Apache-2.0
import Base

/// Lost samples of which no file tells.
extension SampleCounts {
    /// They were lost while no file was open.
    mutating func unfile(_ count: Int, _ reason: LossReason) {
        guard count > 0 else { return }
        unfiled[reason, default: 0] += count
        if first == nil { lostBeforeFirst += count }
    }

    /// Those that a file which there is no more would have told of.
    mutating func unfile(_ draft: RecordingDescription) {
        for reason in LossReason.allCases {
            if let count = draft.samplesLost["\(reason)"] { unfiled[reason, default: 0] += count }
        }
    }
}
