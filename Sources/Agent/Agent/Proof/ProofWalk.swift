// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// Proves the decisions of an enrolment from the log and the recordings beside it, row by row. `studyd prove` makes one
/// for each enrolment, on a device or by way of `DatasetProof`, and passes every row of the log to `take`.
package struct ProofWalk {
    private let enrolment: String
    private var proof: RuleProof
    private let rules: StudyRules
    private let runs: RecordedRuns
    /// When the agent's present run began; nil before the first start in the log.
    private var begin: EventStamp?
    /// What the sensors say that was not taken in yet, in order; nil = not computed yet.
    private var entries: ArraySlice<SensorTimeline.Entry>?

    /// A walk that has taken no row yet.
    package init(_ rules: StudyRules, _ context: ScheduleContext, _ runs: RecordedRuns) {
        (enrolment, self.rules, self.runs) = (context.enrolment.id, rules, runs)
        proof = RuleProof(rules, context: context) { try? Zone.load($0) }
    }

    package var verdict: String {
        let taken = proof.taken.sorted { $0.key < $1.key }.map { "; \($0.key), taken as logged: \($0.value)" }
        return "\(proof.decisions) of \(Plural.of(proof.decisions, "decision")), "
            + "\(Plural.of(proof.outcomes, "outcome")), \(Plural.of(proof.values, "value")) of features are what the "
            + "recordings, the rules and the seed say" + taken.joined()
    }

    /// Throws the first difference.
    package mutating func take(_ row: LoggedEvent) throws {
        let now = Moment(instant: row.stamp.wall, monotonic: row.stamp.monotonic)
        // Rows that concern every enrolment.
        switch row.event {
        case .agentStarted:
            (begin, entries) = (row.stamp, nil)
            proof.restart(at: now.monotonic)
        // Epochs begin with the first trusted time: later anchors change nothing.
        case .anchored(let record) where entries == nil && record.anchor.isTrusted:
            try recompute(from: record.anchor.instant)
        default: break
        }
        guard row.stamp.enrolment == enrolment else { return }
        switch row.event {
        case .decided(let decision):
            try feed(until: decision.at, now)
            let measured = (decision.state ?? [:]).values.map { ($0.value, $0.recordings) }
            let isMeasured = runs.canRecompute(measured) && knowsWear(for: decision, at: now)
            try proof.check(decision, at: now, isMeasured: isMeasured)
        case .outcomeMeasured(let outcome):
            try feed(until: outcome.at, now)
            try proof.check(outcome, at: now, isMeasured: runs.canRecompute([(outcome.value, outcome.recordings)]))
        case .clockStepped(let nanoseconds):
            try feed(until: now.instant - .nanoseconds(nanoseconds), now)
            proof.note(row.event, at: now)
            // The device began its epochs again, by the new time.
            try recompute(from: now.instant)
        default: proof.note(row.event, at: now)
        }
    }

    /// Whether the device was worn is in no state of a decision: only the recordings say it.
    private func knowsWear(for decision: DecisionRecord, at now: Moment) -> Bool {
        // A point is missed whether the device is worn or not.
        guard decision.result != .missed, rules.rule(decision.rule)?.needs.contains(.worn) ?? false else { return true }
        return begin.map { runs.hasRecording(since: $0, by: now.monotonic) } ?? false
    }

    /// Recomputes `entries` from the recordings of the agent's present run; epochs begin at `start`.
    private mutating func recompute(from start: Instant?) throws {
        entries = try begin.map { try runs.sensorEntries(since: $0, from: start, rules) }?[...] ?? []
    }

    /// Gives the proof what the sensors had said by `time`.
    private mutating func feed(until time: Instant, _ now: Moment) throws {
        if entries == nil { try recompute(from: nil) }
        while let entry = entries?.first, entry.at <= time {
            switch entry.news {
            case .epoch(let epoch): proof.add(epoch, at: now)
            case .notWorn(let since): proof.notWorn(since: since, at: now)
            }
            entries?.removeFirst()
        }
    }
}
