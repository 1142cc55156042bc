// SPDX-License-Identifier: Apache-2.0
import Recording
import Store
import StudyEngine

extension Ledger.SampleCounts {
    /// The samples of all recordings that the log knows.
    init(_ counts: StoreCounts) {
        self.init()
        stored = Int(counts.samplesStored)
        lost = counts.samplesLost.mapValues(Int.init)
        due = stored + lost.values.reduce(0, +)
    }

    /// Adds what a recorder counted; what it still holds in memory is not due yet.
    mutating func add(_ counts: SampleCounts) {
        due += counts.due - counts.held
        stored += counts.stored
        for (reason, count) in counts.lost { lost["\(reason)", default: 0] += count }
    }

    /// Adds a recording found at start.
    mutating func add(_ description: RecordingDescription) {
        due += description.samplesStored + description.totalLost
        stored += description.samplesStored
        lost.merge(description.samplesLost) { $0 + $1 }
    }
}
