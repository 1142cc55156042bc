// SPDX-License-Identifier: Apache-2.0
import Base

/// Checks the decisions of a log, for `studyd prove` and the proof of a data set (`ProofWalk`): computes them
/// once more from the recordings' epochs, the rules and the seed, with the engine that made them, and throws
/// the first difference. Pure.
///
/// What only the log knows is taken from it and counted in `taken`: whether questions were open, and
/// whether the study was paused or the task locked. That a point of `event`, or of `when` without its
/// recordings, fell due at all is taken from the log too.
///
/// To be called in the order of the log: `restart` for each start of the agent, `add` and `notWorn` for
/// what was measured, `note` for rows, `check` for decisions and outcomes.
package struct RuleProof: Sendable {
    /// The first member of a record that differs from the log.
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
    /// How often something was taken from the log without proof, by what it is.
    package private(set) var taken: [String: Int] = [:]

    /// Times in a recording are rounded: a sample at the edge of an epoch may be counted in the next.
    private static let tolerance = 1e-3

    private let rules: StudyRules
    private var context: ScheduleContext
    private let zone: @Sendable (String) -> Zone?
    private var engine: RuleEngine
    private var memory = RuleMemory()
    /// How many of `memory.stays` were over at the last decision.
    private var endedStays = 0
    private var promptsAreOn = true
    private var began = MonotonicTime.zero
    /// One for each rule with `when`.
    private var replays: [ConditionReplay]

    /// `zone` finds a time zone by its name.
    package init(
        _ rules: StudyRules, context: ScheduleContext, zone: @escaping @Sendable (String) -> Zone? = { _ in nil }
    ) {
        (self.rules, self.context, self.zone) = (rules, context, zone)
        engine = RuleEngine(rules, context: context, at: .zero)
        replays = rules.rules.compactMap { ConditionReplay($0, of: rules) }
    }

    /// The agent began to run then, and knew nothing of what was measured before.
    package mutating func restart(at now: MonotonicTime) {
        engine = RuleEngine(rules, context: context, memory: memory, at: now)
        replays = rules.rules.compactMap { ConditionReplay($0, of: rules, last: memory.rules[$0.name]?.last.due) }
        began = now
    }

    package mutating func add(_ epoch: FeatureEpoch, at now: Moment) {
        engine.handle(.epochs([epoch]), at: now)
        for place in replays.indices {
            let quiet = replays[place].rule.quiet
            replays[place].add(epoch) { [context, rules] time in
                time > context.enrolment.instant && !quiet.contains(context.zone.local(time).time)
                    && rules.end(of: context.enrolment, in: context.zone).map { time < $0 } ?? true
            }
        }
    }

    package mutating func notWorn(since: Instant?, at now: Moment) { engine.handle(.notWorn(since: since), at: now) }

    /// Takes in a row of the log on which decisions depend; others are ignored.
    package mutating func note(_ event: StudyEvent, at now: Moment) {
        switch event {
        case .prompted:
            memory.lastPrompt = now.instant
            engine.handle(.prompted, at: now)
        case .promptsSwitched(let on): promptsAreOn = on
        case .clockStepped(let nanoseconds):
            engine.handle(.clockJumped(by: .nanoseconds(nanoseconds)), at: now)
            // `memory` is not shifted: the store, too, keeps the last prompt's time by the clock of then.
            for place in replays.indices { replays[place].restart() }
        case .zoneChanged(let from, let to, let until):
            if let until, let old = zone(from) { memory.stays.append(RuleMemory.Stay(zone: old, until: until)) }
            if let zone = zone(to) { move(to: zone) }
        default: break
        }
    }

    private mutating func move(to zone: Zone) {
        context = ScheduleContext(
            enrolment: context.enrolment, zone: zone, chance: context.chance, facts: context.facts)
        restart(at: began)
    }

    /// A logged decision or outcome shows that the clock was trusted; the engine ignores repetitions.
    private mutating func trust(at now: Moment) { engine.handle(.clock(trusted: true), at: now) }

    /// Computes a logged decision again, and throws the first member that differs. `isMeasured` = the
    /// recordings that it depends on are there; without them only times and the draw are checked.
    package mutating func check(_ logged: DecisionRecord, at now: Moment, isMeasured: Bool) throws(Difference) {
        let moment = Moment(instant: logged.at, monotonic: now.monotonic)
        trust(at: moment)
        try checkTimes(logged, now)
        try checkPoint(logged, moment, isMeasured)
        // What the log alone knows is taken from its reasons.
        let situation = RuleSituation(
            now: moment,
            isPaused: logged.reasons.contains(DecisionReason.studyPaused), promptsAreOn: promptsAreOn,
            isRunOpen: logged.reasons.contains(DecisionReason.runOpen))
        let isOpen = !logged.reasons.contains(DecisionReason.taskLocked)
        // Decide again, then go on from the logged decision, whatever came out.
        let again = engine.decideAgain(logged, situation, isOpen: isOpen)
        memory.rules[logged.rule] = RuleMemory.Rule(
            last: logged, budget: logged.budgetAfter ?? memory.rules[logged.rule]?.budget)
        endStays(by: logged.at)
        // Without its recordings the engine may have spent another probability.
        if let budget = logged.budgetAfter { engine.adopt(budget, of: logged.rule) }
        decisions += 1
        guard let again else { throw difference(logged, "rule", "none of the file", logged.rule) }
        for reason in [DecisionReason.studyPaused, DecisionReason.taskLocked, DecisionReason.runOpen]
        where logged.reasons.contains(reason) { taken[reason, default: 0] += 1 }
        try compare(logged, again, isMeasured: isMeasured)
    }

    /// Throws at the first member that differs; without the recordings only the draw is compared.
    private mutating func compare(
        _ logged: DecisionRecord, _ again: DecisionRecord, isMeasured: Bool
    ) throws(Difference) {
        try requireEqual(logged, "index", again.index, logged.index)
        try requireEqual(logged, "rules", again.rules, logged.rules)
        try requireEqual(logged, "task", again.task, logged.task)
        guard isMeasured else {
            taken["recordings that are not here", default: 0] += 1
            return try checkDraw(logged)
        }
        if logged.result != .missed { try checkState(logged, again.state ?? [:]) }
        try requireEqual(logged, "result", again.result.rawValue, logged.result.rawValue)
        if logged.result != .missed { try requireEqual(logged, "reasons", again.reasons, logged.reasons) }
        try requireEqual(logged, "probability", again.probability, logged.probability)
        try requireEqual(logged, "label", again.label, logged.label)
        try requireEqual(logged, "draw", again.draw, logged.draw)
        try requireEqual(logged, "budget", again.budget, logged.budget)
        try requireEqual(logged, "outcome", again.outcome, logged.outcome)
    }

    /// The first decision after a change of zone was made in the next one, also where a clock that was ahead dated the
    /// change later. Later starts of the agent know that.
    private mutating func endStays(by decided: Instant) {
        for place in endedStays..<memory.stays.count {
            memory.stays[place].until = min(memory.stays[place].until, decided)
        }
        endedStays = memory.stays.count
    }

    /// Throws where the decision was made while the device was off, after its row was written, or before the
    /// point was due.
    private func checkTimes(_ logged: DecisionRecord, _ now: Moment) throws(Difference) {
        let start = now.instant(at: began)
        guard logged.at >= start - .seconds(1) else {
            throw difference(
                logged, "at", "after \(Self.text(start)), when the agent began to run", Self.text(logged.at))
        }
        guard logged.at <= now.instant + .seconds(1) else {
            throw difference(logged, "at", "\(Self.text(now.instant)), when it was written", Self.text(logged.at))
        }
        guard logged.due <= logged.at else {
            throw difference(logged, "at", "not before it is due", Self.text(logged.at))
        }
    }

    /// Throws where the log lacks a point that was due before this one, or where this one was never due.
    private mutating func checkPoint(_ logged: DecisionRecord, _ now: Moment, _ isMeasured: Bool) throws(Difference) {
        if let due = engine.nextDue(of: logged.rule, at: now) { try checkDue(logged, due) }
        guard let place = replays.firstIndex(where: { $0.rule.name == logged.rule }) else { return }
        defer { replays[place].noteDecision(logged.due) }
        guard isMeasured, logged.result != .missed else { return }
        if let due = replays[place].certainDue, due < logged.due { try checkDue(logged, due) }
        guard !replays[place].isRefuted(at: logged.due) else {
            throw difference(logged, "the point itself", "absent", Self.text(logged.due))
        }
    }

    private func checkDue(_ logged: DecisionRecord, _ due: Instant) throws(Difference) {
        guard due != logged.due else { return }
        let (computed, other) = (Self.text(due), Self.text(logged.due))
        guard due < logged.due else {
            throw difference(logged, "the point itself", "absent, with the next at \(computed)", other)
        }
        throw difference(logged, "the point before it", computed, "absent")
    }

    private static func text(_ time: Instant) -> String { time.rfc3339Zulu(fractionDigits: 3) }

    /// Checks the draw alone, which needs the seed and no recordings.
    private func checkDraw(_ logged: DecisionRecord) throws(Difference) {
        guard let probability = logged.probability else {
            return try requireEqual(logged, "draw", Double?.none, logged.draw)
        }
        var generator = context.chance.generator(for: RuleEngine.label(logged.rule, logged.index))
        let draw = generator.unit()
        try requireEqual(logged, "draw", draw, logged.draw)
        let result: DecisionRecord.Result = draw < probability ? .treated : .control
        try requireEqual(logged, "result", result.rawValue, logged.result.rawValue)
    }

    private mutating func checkState(_ logged: DecisionRecord, _ again: [String: FeatureReading]) throws(Difference) {
        try requireEqual(logged, "features", again.keys.sorted(), (logged.state ?? [:]).keys.sorted())
        for (name, reading) in again.sorted(by: { $0.key < $1.key }) {
            guard let other = logged.state?[name] else { continue }
            try checkReading(logged.rule, logged.index, name, reading, other)
        }
    }

    /// Throws where the two differ by more than rounding can explain; counts a value in `values`.
    private mutating func checkReading(
        _ rule: String, _ index: Int, _ name: String, _ computed: FeatureReading, _ logged: FeatureReading
    ) throws(Difference) {
        let values = (computed.value, logged.value)
        let isNear: Bool
        switch values {
        case (let one?, let other?): isNear = abs(one - other) <= Self.tolerance * max(1, abs(other))
        default: isNear = values.0 == values.1
        }
        guard isNear else {
            throw Difference(rule: rule, index: index, member: name, computed: text(values.0), logged: text(values.1))
        }
        guard abs(computed.coverage - logged.coverage) <= 2e-3 else {
            throw Difference(
                rule: rule, index: index, member: "\(name)'s coverage", computed: text(computed.coverage),
                logged: text(logged.coverage))
        }
        if values.0 != nil { self.values += 1 }
    }

    /// Measures a logged outcome again, and throws where value or coverage differ.
    package mutating func check(_ logged: OutcomeRecord, at now: Moment, isMeasured: Bool) throws(Difference) {
        outcomes += 1
        if logged.missing != .left { trust(at: Moment(instant: logged.at, monotonic: now.monotonic)) }
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
        try checkReading(logged.rule, logged.index, "the outcome \(logged.feature)", again, reading)
    }

    private func requireEqual<Value: Equatable>(
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
