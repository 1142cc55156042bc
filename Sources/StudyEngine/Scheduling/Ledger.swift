// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// The count that must come out even at every moment: nothing is invented, nothing vanishes.
public struct Ledger: Sendable, Hashable {
    /// What was due and how it ended.
    public struct OccurrenceCounts: Sendable, Hashable {
        /// Occurrences whose time has come, those of the past that the first plan brought included.
        public var due = 0
        /// Submitted.
        public var completed = 0
        /// Their time ran out though they had been presented.
        public var expired = 0
        /// Never presented, by reason; absent = none.
        public var missed: [MissReason: Int] = [:]
        /// The participant said no.
        public var declined = 0
        /// Begun and not finished, or open when the study was left.
        public var interrupted = 0
        /// Due and not ended: they may still be answered.
        public var open = 0
        /// Runs that answer no occurrence; not part of the sum.
        public var selfStarted = 0

        public init() {}

        /// Due = everything it can have become.
        public var isBalanced: Bool {
            due == completed + expired + missed.values.reduce(0, +) + declined + interrupted + open
        }

        /// Counts one that fell due; nil = it has not ended.
        public mutating func add(_ outcome: Outcome?) {
            due += 1
            switch outcome {
            case nil: open += 1
            case .completed: completed += 1
            case .expired: expired += 1
            case .missed(let reason): missed[reason, default: 0] += 1
            case .declined: declined += 1
            case .interrupted: interrupted += 1
            }
        }
    }

    /// Samples of all channels.
    public struct SampleCounts: Sendable, Hashable {
        /// What rates and time demand, whatever became of it; bytes and events are due when they come.
        public var due = 0
        /// In whole units of files, open ones included.
        public var stored = 0
        /// In memory, or on its way there.
        public var held = 0
        /// By reason.
        public var lost: [String: Int] = [:]
        /// How much the readings of the clocks and counters may be apart.
        public var slack = 0

        public init() {}

        /// Due and nowhere; negative where there is more than was due.
        public var unaccounted: Int { due - stored - held - lost.values.reduce(0, +) }

        /// Due = stored + held + lost, to a hundredth.
        public var isBalanced: Bool { abs(unaccounted) <= max(due / 100, slack) }
    }

    /// Outbox items.
    public struct ItemCounts: Sendable, Hashable {
        /// Items ever queued.
        public var produced = 0
        /// With the server's receipt.
        public var delivered = 0
        /// To be sent, now or at their retry.
        public var waiting = 0
        /// An attempt is under way.
        public var sending = 0
        /// Never taken by the server; kept and shown until somebody decides.
        public var refused = 0
        /// By the cap on disk use.
        public var dropped = 0
        /// By a withdrawal or by hand.
        public var deleted = 0

        public init() {}

        /// Produced = everything it can have become.
        public var isBalanced: Bool {
            produced == delivered + waiting + sending + refused + dropped + deleted
        }
    }

    /// What was due and how it ended.
    public var occurrences: OccurrenceCounts
    /// What was measured, and what became of it.
    public var samples: SampleCounts
    /// What was to be sent, and what became of it.
    public var items: ItemCounts

    public init(occurrences: OccurrenceCounts = .init(), samples: SampleCounts = .init(), items: ItemCounts = .init()) {
        self.occurrences = occurrences
        self.samples = samples
        self.items = items
    }

    /// All three sums come out even.
    public var isBalanced: Bool { occurrences.isBalanced && samples.isBalanced && items.isBalanced }
}

extension Scheduler {
    /// The occurrences' part of the ledger: those that have fallen due, and runs that were self-started.
    public var ledger: Ledger.OccurrenceCounts {
        var counts = Ledger.OccurrenceCounts()
        for entry in entries {
            switch entry.state {
            case .future: break
            case .live: counts.add(nil)
            case .ended(let outcome): counts.add(outcome)
            }
        }
        counts.selfStarted = selfStarted
        return counts
    }
}
