// SPDX-License-Identifier: Apache-2.0

/// The counts of what was due and what became of it, for prompts, samples and items: each sum must come out
/// even at every moment, so that nothing is invented and nothing vanishes. `text` and `json` print it.
/// `studyd status`, `studyd simulate` and the demo show it.
package struct Ledger: Sendable, Hashable {
    /// What was due and how it ended.
    package struct OccurrenceCounts: Sendable, Hashable {
        /// Occurrences that have fallen due, those of the past in the first plan included, but no notices, which
        /// ask nothing. A device counts those that it prompted for or that have ended, which its log knows whether it
        /// runs or not.
        package var due = 0
        package var completed = 0
        /// Their time ran out though they had been presented.
        package var expired = 0
        /// Never presented, by reason; absent = none.
        package var missed: [MissReason: Int] = [:]
        package var declined = 0
        /// Begun and not finished, or open when the study was left.
        package var interrupted = 0
        /// Due and not ended: they may still be answered.
        package var open = 0
        /// Runs that answer no occurrence and were submitted; not part of the sum.
        package var selfStarted = 0
        /// Such runs that were left or broken off, as by a power cut; not part of the sum.
        package var selfStartedLeft = 0

        package init() {}

        /// Every occurrence that was due has exactly one end, or is open.
        package var isBalanced: Bool {
            due == completed + expired + missed.values.reduce(0, +) + declined + interrupted + open
        }

        /// Counts some that fell due; nil = they have not ended.
        package mutating func add(_ outcome: Outcome?, count: Int = 1) {
            due += count
            switch outcome {
            case nil: open += count
            case .completed: completed += count
            case .expired: expired += count
            case .missed(let reason): missed[reason, default: 0] += count
            case .declined: declined += count
            case .interrupted: interrupted += count
            }
        }
    }

    /// Samples that were to be measured, and where they are.
    package struct SampleCounts: Sendable, Hashable {
        /// Rate times duration, whatever became of it; for measures without a rate (bytes, events), what came.
        package var due = 0
        /// In whole units of files, open ones included.
        package var stored = 0
        /// Measured and not yet stored: in memory, or on the way there.
        package var held = 0
        /// By reason.
        package var lost: [String: Int] = [:]
        /// Stored or lost in a run of the agent that ended without logging what was due (it was killed): the
        /// next start computes that.
        package var uncounted = 0
        /// How many samples `due` and the rest may differ by, since clocks and counters are not read
        /// at one moment.
        package var slack = 0

        package init() {}

        /// Due and nowhere; negative where there is more than was due.
        package var unaccounted: Int { due + uncounted - stored - held - lost.values.reduce(0, +) }

        /// Due = stored + held + lost, to a hundredth.
        package var isBalanced: Bool { abs(unaccounted) <= max(due / 100, slack) }
    }

    /// Items of the outbox, by state.
    package struct ItemCounts: Sendable, Hashable {
        /// Items ever queued.
        package var produced = 0
        package var delivered = 0
        /// To be sent, now or at their retry.
        package var waiting = 0
        package var sending = 0
        /// Never taken by the server; kept and shown until there is a decision.
        package var refused = 0
        /// By the cap on disk use.
        package var dropped = 0
        /// By a withdrawal or by hand.
        package var deleted = 0

        package init() {}

        /// Every item that was produced is in exactly one state.
        package var isBalanced: Bool {
            produced == delivered + waiting + sending + refused + dropped + deleted
        }
    }

    /// Decision points of rules, and what came of them: what was decided, whether a treated point's
    /// prompt was signalled, and whether the outcome was measured. Each is a sum that must come out even.
    package struct DecisionCounts: Sendable, Hashable {
        /// Decision points that fell due.
        package var due = 0
        package var treated = 0
        package var control = 0
        /// By the first reason.
        package var unavailable: [String: Int] = [:]
        package var missed: [String: Int] = [:]
        /// Prompts of treated points with a signal that was given.
        package var presented = 0
        /// Prompts of treated points that were not signalled yet and have not ended.
        package var waiting = 0
        /// Prompts of treated points that ended without a signal: by the reason of their outcome, or
        /// its name.
        package var notPresented: [String: Int] = [:]
        /// Windows in which rules measure an outcome, those to come included.
        package var outcomesDue = 0
        package var measured = 0
        /// By the reason.
        package var missing: [String: Int] = [:]
        /// Outcomes whose window is not over.
        package var awaited = 0

        package init() {}

        package var isBalanced: Bool { isDecided && isPrompted && isMeasured }

        var isDecided: Bool { due == treated + control + Self.sum(unavailable) + Self.sum(missed) }
        var isPrompted: Bool { treated == presented + waiting + Self.sum(notPresented) }
        var isMeasured: Bool { outcomesDue == measured + awaited + Self.sum(missing) }

        private static func sum(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }

        package mutating func add(_ result: DecisionRecord.Result, reason: String?, count: Int = 1) {
            due += count
            switch result {
            case .treated: treated += count
            case .control: control += count
            case .unavailable: unavailable[reason ?? "unknown", default: 0] += count
            case .missed: missed[reason ?? "unknown", default: 0] += count
            }
        }

        /// Counts the outcome of one decision point: `awaited`, `measured`, or why it is missing; nil =
        /// the point has no outcome to be measured.
        package mutating func addOutcome(_ outcome: String?, count: Int = 1) {
            guard let outcome else { return }
            outcomesDue += count
            switch outcome {
            case "awaited": awaited += count
            case "measured": measured += count
            default: missing[outcome, default: 0] += count
            }
        }

        /// Takes an outcome that was counted as awaited to its end: `measured`, or why it is missing.
        package mutating func endAwaited(_ outcome: String) {
            awaited -= 1
            outcomesDue -= 1
            addOutcome(outcome)
        }

        /// What became of the prompt of a treated point.
        package mutating func addPrompt(isPresented: Bool, outcome: Outcome?) {
            if isPresented {
                presented += 1
            } else if let outcome {
                notPresented[outcome.reason?.rawValue ?? outcome.name, default: 0] += 1
            } else {
                waiting += 1
            }
        }
    }

    package var occurrences: OccurrenceCounts
    /// Texts do not say what rules drew, nor what follows from that: who was treated, and who was not
    /// available afterwards.
    package var isBlinded = false
    /// nil where the study has no rules.
    package var decisions: DecisionCounts?
    package var samples: SampleCounts
    package var items: ItemCounts

    package init(occurrences: OccurrenceCounts = .init(), samples: SampleCounts = .init(), items: ItemCounts = .init())
    {
        (self.occurrences, self.samples, self.items) = (occurrences, samples, items)
    }

    package var isBalanced: Bool {
        occurrences.isBalanced && samples.isBalanced && items.isBalanced && decisions?.isBalanced ?? true
    }
}
