// SPDX-License-Identifier: Apache-2.0
import Database
import Study

/// The store's numbers of occurrences, samples and items, which have to balance at every moment. For the ledger of
/// `status` (`StatusReader`), lights and tests.
package struct StoreCounts: Sendable, Hashable {
    /// Occurrences that were prompted or ended.
    package var occurrencesDue = 0
    /// How many ended how: `completed`, `missed/device-off`. Open ones are under `open`.
    package var occurrences: [String: Int] = [:]
    /// Runs the participant started; no part of the occurrences.
    package var selfStartedRuns = 0
    /// Samples that were due, by rates and the clock; bytes and events are due when they come.
    package var samplesDue: Int64 = 0
    package var samplesStored: Int64 = 0
    /// Samples that were due and are lost, by reason.
    package var samplesLost: [String: Int64] = [:]
    /// Items ever queued, apart from those whose row was erased with the answers.
    package var itemsProduced = 0
    package var items: [ItemState: Int] = [:]

    /// True when no occurrence and no item vanished; samples are not compared here.
    package var isBalanced: Bool {
        occurrencesDue == occurrences.values.reduce(0, +) && itemsProduced == items.values.reduce(0, +)
    }
}

extension StoreCounts {
    init(_ connection: Connection) throws {
        let count = { (sql: String) in try connection.first(sql) { Int(try $0.int(0)) } ?? 0 }
        try connection.forEach("SELECT coalesce(outcome, 'open'), count(*) FROM occurrence GROUP BY 1") {
            self.occurrences[try $0.string(0)] = Int(try $0.int(1))
        }
        try connection.forEach("SELECT state, items FROM item_count WHERE items > 0") {
            if let state = ItemState(rawValue: try $0.string(0)) { self.items[state] = Int(try $0.int(1)) }
        }
        try connection.forEach("SELECT reason, sum(samples) FROM lost_samples GROUP BY 1") {
            self.samplesLost[try $0.string(0)] = try $0.int(1)
        }
        self.occurrencesDue = try count("SELECT count(*) FROM occurrence")
        self.itemsProduced = try count(
            "SELECT count(*) FROM event WHERE kind = 'queued' AND body NOT LIKE '{\"erased\":%'")
        self.selfStartedRuns = try count("SELECT count(*) FROM run WHERE occurrence IS NULL")
        self.samplesStored = Int64(try count("SELECT coalesce(sum(stored), 0) FROM sample_count"))
        self.samplesDue = Int64(try count("SELECT coalesce(sum(due), 0) FROM sample_count"))
    }
}

extension Ledger.ItemCounts {
    package init(_ counts: StoreCounts) {
        self.init()
        produced = counts.itemsProduced
        delivered = counts.items[.delivered] ?? 0
        waiting = counts.items[.waiting] ?? 0
        sending = counts.items[.sending] ?? 0
        refused = counts.items[.refused] ?? 0
        dropped = counts.items[.dropped] ?? 0
        deleted = counts.items[.deleted] ?? 0
    }
}
