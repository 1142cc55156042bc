// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// The count that must come out even at every moment: nothing is invented, nothing vanishes.
public struct Ledger: Sendable, Hashable {
    /// What was due and how it ended.
    public struct OccurrenceCounts: Sendable, Hashable {
        public var due = 0
        public var completed = 0
        public var expired = 0
        public var missed: [MissReason: Int] = [:]
        public var declined = 0
        public var interrupted = 0
        public var open = 0
        /// Runs that answer no occurrence; not part of the sum.
        public var selfStarted = 0

        /// Nothing was due.
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
        public var due = 0
        public var stored = 0
        /// By reason.
        public var lost: [String: Int] = [:]

        /// No samples.
        public init() {}

        /// Due = stored + lost.
        public var isBalanced: Bool { due == stored + lost.values.reduce(0, +) }
    }

    /// Outbox items.
    public struct ItemCounts: Sendable, Hashable {
        public var produced = 0
        public var delivered = 0
        public var waiting = 0
        public var sending = 0
        public var refused = 0
        /// By the cap on disk use.
        public var dropped = 0
        /// By a withdrawal or by hand.
        public var deleted = 0

        /// No items.
        public init() {}

        /// Produced = everything it can have become.
        public var isBalanced: Bool {
            produced == delivered + waiting + sending + refused + dropped + deleted
        }
    }

    public var occurrences: OccurrenceCounts
    public var samples: SampleCounts
    public var items: ItemCounts

    /// A ledger of these counts.
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
