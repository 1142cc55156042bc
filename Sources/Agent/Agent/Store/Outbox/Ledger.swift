// SPDX-License-Identifier: Apache-2.0
import Study

/// The sums that have to come out even at every moment.
package struct StoreCounts: Sendable, Hashable {
    /// Occurrences that were prompted or ended.
    package var occurrencesDue = 0
    /// How many ended how: `completed`, `missed/device-off`. Open ones stand under `open`.
    package var occurrences: [String: Int] = [:]
    /// Runs the participant started; no part of the occurrences.
    package var selfStartedRuns = 0
    /// Samples that were due, by rates and the clock; bytes and events are due when they come.
    package var samplesDue: Int64 = 0
    package var samplesStored: Int64 = 0
    /// Samples that were due and are lost, by reason.
    package var samplesLost: [String: Int64] = [:]
    /// Items ever queued.
    package var itemsProduced = 0
    /// How many items are in each state.
    package var items: [ItemState: Int] = [:]

    package init() {}

    /// True when nothing vanished.
    package var isEven: Bool {
        occurrencesDue == occurrences.values.reduce(0, +) && itemsProduced == items.values.reduce(0, +)
    }
}
