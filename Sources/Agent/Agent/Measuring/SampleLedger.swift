// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// Sums what is due, stored, lost and held for the ledger of `studyd status` (`StatusReader`). The parts of a
/// measure come from its recorder's `SampleCounts` and from `SampleAccount`.
extension Ledger.SampleCounts {
    init(_ counts: StoreCounts) {
        self.init()
        stored = Int(counts.samplesStored)
        lost = counts.samplesLost.mapValues(Int.init)
        due = Int(counts.samplesDue)
    }

    /// Adds a measure as it runs: what is due by its rate and the clock, and what its
    /// recorder counted.
    mutating func add(_ state: MeasureState) {
        guard let demanded = state.demanded, let rate = state.dueRate else { return addWithoutRate(state.counts) }
        let held = max(0, state.counts.held) + state.underway
        due += SampleAccount.due(
            demanded, parts: held + state.starting + state.counts.stored + state.counts.totalLost, rate: rate)
        self.held += held
        lose(state.starting, SampleAccount.starting)
        add(state.counts)
        // Two readings, each of which may be off by a second.
        slack += Int(rate * 2)
    }

    mutating func addStopped(_ state: MeasureState) {
        guard let account = state.account else { return addWithoutRate(state.counts) }
        add(account)
        add(state.counts)
        // What was lost while no file was open is in the account and in the counts: once too often.
        for (reason, count) in state.counts.unfiled { lost["\(reason)", default: 0] -= count }
    }

    /// Adds what was due in a span, and what of that no file tells.
    mutating func add(_ account: SampleAccount) {
        due += account.due
        for (reason, count) in account.lost { lose(count, reason) }
    }

    mutating func add(_ description: RecordingDescription) {
        guard !description.isExtra else { return }
        stored += description.sourceStored
        var own = description.sourceLost
        if description.countedUnit == .samples {
            // The account of the span has what a kill took.
            own[SampleAccount.powerCut] = nil
        } else {
            due += description.sourceStored + description.sourceLost.values.reduce(0, +)
        }
        for (reason, count) in own { lose(count, reason) }
    }

    /// Bytes and events are due when they come.
    private mutating func addWithoutRate(_ counts: SampleCounts) {
        due += counts.due - counts.held
        add(counts)
    }

    private mutating func add(_ counts: SampleCounts) {
        stored += counts.stored
        for (reason, count) in counts.lost { lose(count, "\(reason)") }
    }

    private mutating func lose(_ count: Int, _ reason: String) {
        if count > 0 { lost[reason, default: 0] += count }
    }
}

extension RecordingDescription {
    /// Recorded beside a measure, of the same samples: a spoken answer, for a task, or what was computed
    /// from it.
    var isExtra: Bool {
        task != nil || identifier.hasPrefix(VoiceMemo.prefix) || kind == MeasureKind.features.rawValue
    }
}
