// SPDX-License-Identifier: Apache-2.0
import Base

/// Computes the decisions of a log once more, with the engine that made them, from epochs of the
/// recordings, the rules and the seed. Pure.
///
/// What the log alone tells is taken from it and counted: whether questions were open, whether the
/// study was paused and the task locked, and when points that were missed fell due.
package struct RuleProof: Sendable {
    /// The first that is another than in the log.
    package struct Difference: Error, Sendable, Hashable, CustomStringConvertible {
        package let rule: String
        package let index: Int
        package let member: String
        package let computed: String
        package let logged: String

        package var description: String {
            "rule \(rule), decision \(index): \(member) is \(computed) by the recordings, the rules and the seed, "
                + "and \(logged) in the log"
        }
    }

    package private(set) var decisions = 0
    package private(set) var outcomes = 0
    /// Values of features that were computed.
    package private(set) var values = 0
    /// What rests on the log alone, by what it is.
    package private(set) var taken: [String: Int] = [:]

    private let rules: StudyRules
    private let context: ScheduleContext
    private var engine: RuleEngine
    private var memory = RuleMemory()
    private var promptsAreOn = true

    package init(_ rules: StudyRules, context: ScheduleContext) {
        (self.rules, self.context) = (rules, context)
        engine = RuleEngine(rules, context: context, at: .zero)
    }

    /// The agent began to run: it knows nothing of what was measured before.
    package mutating func restart(at now: Moment) {
        engine = RuleEngine(rules, context: context, memory: memory, at: now.monotonic)
        engine.handle(.clock(trusted: true), at: now)
    }

    package mutating func add(_ epoch: FeatureEpoch, at now: Moment) { engine.handle(.epochs([epoch]), at: now) }
    package mutating func notWorn(since: Instant?, at now: Moment) { engine.handle(.notWorn(since: since), at: now) }

    /// What else of the log decisions rest on.
    package mutating func note(_ event: StudyEvent, at now: Moment) {
        switch event {
        case .prompted:
            memory.lastPrompt = now.instant
            engine.handle(.prompted, at: now)
        case .promptsSwitched(let on): promptsAreOn = on
        case .clockStepped(let nanoseconds):
            engine.handle(.clockJumped(by: .nanoseconds(nanoseconds)), at: now)
            memory.lastPrompt = memory.lastPrompt.map { $0 + .nanoseconds(nanoseconds) }
        default: break
        }
    }

    /// `isMeasured` = the recordings that it rests on are here.
    package mutating func check(_ logged: DecisionRecord, at now: Moment, isMeasured: Bool) throws(Difference) {
        let situation = RuleSituation(
            now: Moment(instant: logged.at, monotonic: now.monotonic),
            isPaused: logged.reasons.contains(DecisionReason.studyPaused), promptsAreOn: promptsAreOn,
            isRunOpen: logged.reasons.contains(DecisionReason.runOpen))
        let isOpen = !logged.reasons.contains(DecisionReason.taskLocked)
        let again = engine.decideAgain(logged, situation, isOpen: isOpen)
        memory.rules[logged.rule] = RuleMemory.Rule(
            last: logged, budget: logged.budgetAfter ?? memory.rules[logged.rule]?.budget)
        decisions += 1
        guard let again else { throw difference(logged, "rule", "none of the file", logged.rule) }
        for reason in [DecisionReason.studyPaused, DecisionReason.taskLocked, DecisionReason.runOpen]
        where logged.reasons.contains(reason) { taken[reason, default: 0] += 1 }
        try same(logged, "index", again.index, logged.index)
        try same(logged, "rules", again.rules, logged.rules)
        try same(logged, "task", again.task, logged.task)
        guard isMeasured else {
            taken["recordings that are not here", default: 0] += 1
            return try sameDraw(logged)
        }
        if logged.result != .missed { try sameState(logged, again.state ?? [:]) }
        try same(logged, "result", again.result.rawValue, logged.result.rawValue)
        if logged.result != .missed { try same(logged, "reasons", again.reasons, logged.reasons) }
        try same(logged, "probability", again.probability, logged.probability)
        try same(logged, "label", again.label, logged.label)
        try same(logged, "draw", again.draw, logged.draw)
        try same(logged, "budget", again.budget, logged.budget)
        try same(logged, "outcome", again.outcome, logged.outcome)
    }

    /// What the seed says, where the rest cannot be known.
    private func sameDraw(_ logged: DecisionRecord) throws(Difference) {
        guard let probability = logged.probability else {
            let none: Double? = nil
            return try same(logged, "draw", none, logged.draw)
        }
        let label = "rule \(logged.rule)/\(logged.index)"
        var generator = context.chance.generator(for: label)
        let draw = generator.unit()
        try same(logged, "draw", draw, logged.draw)
        let result: DecisionRecord.Result = draw < probability ? .treated : .control
        try same(logged, "result", result.rawValue, logged.result.rawValue)
    }

    private mutating func sameState(
        _ logged: DecisionRecord, _ again: [String: FeatureReading]
    ) throws(Difference) {
        try same(logged, "features", again.keys.sorted(), (logged.state ?? [:]).keys.sorted())
        for (name, reading) in again.sorted(by: { $0.key < $1.key }) {
            guard let other = logged.state?[name] else { continue }
            try near(logged.rule, logged.index, name, reading, other)
        }
    }

    /// Times in a recording are rounded: a sample at the edge of an epoch may be counted in the next.
    private mutating func near(
        _ rule: String, _ index: Int, _ name: String, _ computed: FeatureReading, _ logged: FeatureReading
    ) throws(Difference) {
        let values = (computed.value, logged.value)
        let isNear: Bool
        switch values {
        case (let one?, let other?): isNear = abs(one - other) <= 1e-3 * max(1, abs(other))
        default: isNear = values.0 == values.1
        }
        guard isNear else {
            throw Difference(
                rule: rule, index: index, member: name, computed: text(values.0), logged: text(values.1))
        }
        guard abs(computed.coverage - logged.coverage) <= 2e-3 else {
            throw Difference(
                rule: rule, index: index, member: "\(name)'s coverage", computed: text(computed.coverage),
                logged: text(logged.coverage))
        }
        if values.0 != nil { self.values += 1 }
    }

    package mutating func check(_ logged: OutcomeRecord, isMeasured: Bool) throws(Difference) {
        outcomes += 1
        guard logged.missing == nil || logged.missing == .coverage else { return }
        guard isMeasured else {
            taken["recordings that are not here", default: 0] += 1
            return
        }
        guard let again = engine.measureAgain(logged) else {
            throw Difference(
                rule: logged.rule, index: logged.index, member: "outcome", computed: "of no rule",
                logged: logged.feature)
        }
        let reading = FeatureReading(
            value: logged.value, coverage: logged.coverage, from: nil, to: nil, recordings: logged.recordings)
        try near(logged.rule, logged.index, "the outcome \(logged.feature)", again, reading)
    }

    private func same<Value: Equatable>(
        _ logged: DecisionRecord, _ member: String, _ computed: Value, _ other: Value
    ) throws(Difference) {
        guard computed != other else { return }
        throw difference(logged, member, "\(computed)", "\(other)")
    }

    private func same<Value: Equatable>(
        _ logged: DecisionRecord, _ member: String, _ computed: Value?, _ other: Value?
    ) throws(Difference) {
        guard computed != other else { return }
        throw difference(
            logged, member, computed.map { "\($0)" } ?? "absent", other.map { "\($0)" } ?? "absent")
    }

    private func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "unknown" }

    private func difference(
        _ logged: DecisionRecord, _ member: String, _ computed: String, _ other: String
    ) -> Difference {
        Difference(rule: logged.rule, index: logged.index, member: member, computed: computed, logged: other)
    }
}
