// SPDX-License-Identifier: Apache-2.0
import Base

/// The ledger of one recorder: `due == stored + lost + held` at every moment. `Recorder` keeps it; the agent's
/// `SampleLedger` reads it.
package struct SampleCounts: Sendable, Hashable {
    /// Samples that the source has produced, as far as is known.
    package var due = 0
    /// Samples in whole units (blocks, lines, frames) of a file.
    package var stored = 0
    /// Samples that are in no file, by reason.
    package var lost: [LossReason: Int] = [:]
    /// Of the lost samples those that no file lists, by reason.
    package var unfiled: [LossReason: Int] = [:]
    /// Of the unfiled samples those that were lost before the first one was taken.
    package var lostBeforeFirst = 0
    /// When the first sample was taken, by the times of the chip's samples.
    package var first: MonotonicTime?
    /// Until when samples are taken or known to be lost: when the last one was, or a later moment
    /// while nothing comes.
    package var last: MonotonicTime?

    package init() {}

    package var totalLost: Int { lost.values.reduce(0, +) }
    /// Samples that wait in memory for their unit to fill.
    package var held: Int { due - stored - totalLost }

    mutating func lose(_ count: Int, _ reason: LossReason) {
        if count > 0 { lost[reason, default: 0] += count }
    }

    /// Counts as unfiled what was lost while no file was open.
    mutating func addUnfiled(_ count: Int, _ reason: LossReason) {
        guard count > 0 else { return }
        unfiled[reason, default: 0] += count
        if first == nil { lostBeforeFirst += count }
    }

    /// Counts as unfiled what was listed in the draft of a file that was removed.
    mutating func addUnfiled(from draft: RecordingDescription) {
        for reason in LossReason.allCases {
            if let count = draft.samplesLost["\(reason)"] { unfiled[reason, default: 0] += count }
        }
    }
}
