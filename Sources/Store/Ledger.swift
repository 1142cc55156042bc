// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// The sums that have to come out even at every moment.
public struct StoreCounts: Sendable, Hashable {
    /// Occurrences that were prompted or ended.
    public var occurrencesDue = 0
    /// How many ended how: `completed`, `missed/device-off`. Open ones stand under `open`.
    public var occurrences: [String: Int] = [:]
    /// Runs the participant started; no part of the occurrences.
    public var selfStartedRuns = 0
    /// Samples that were due, by rates and the clock; bytes and events are due when they come.
    public var samplesDue: Int64 = 0
    /// Samples in sealed recordings.
    public var samplesStored: Int64 = 0
    /// Samples that were due and are lost, by reason.
    public var samplesLost: [String: Int64] = [:]
    /// Items ever queued.
    public var itemsProduced = 0
    /// How many items are in each state.
    public var items: [ItemState: Int] = [:]

    public init() {}

    /// True when nothing vanished.
    public var isEven: Bool {
        occurrencesDue == occurrences.values.reduce(0, +) && itemsProduced == items.values.reduce(0, +)
    }
}
