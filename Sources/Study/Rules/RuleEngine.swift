// SPDX-License-Identifier: Apache-2.0
import Base

/// The state of the scheduler and the panel at a decision, from `StudyConductor`.
struct RuleSituation {
    let now: Moment
    let isPaused: Bool
    let promptsAreOn: Bool
    let isRunOpen: Bool
}

/// Decides at which moments (points) a participant could be prompted by a rule and whether they are
/// available, and draws whether they are prompted. Pure: no clock, no I/O; `docs/rules.md` is its
/// specification. The conductor passes events to `handle` and then calls `next` until it returns nil.
///
/// ```
///  clock ────▶ point due ──▶ missed(reason)
///  epochs ─▶     │ features of that moment, or 30 s
///  presses ─▶    ▼
///             available? ── no ──▶ unavailable(reasons)
///                │ yes: probability, draw
///                ├──▶ treated ──▶ the conductor raises a prompt
///                └──▶ control           … outcome, when its window is over
/// ```
package struct RuleEngine: Sendable {
    package enum Event: Sendable {
        case epochs([FeatureEpoch])
        case notWorn(since: Instant?)
        /// An event marker of that name was pressed.
        case marked(String)
        /// A prompt of any task was given out.
        case prompted
        case clock(trusted: Bool)
        /// By how much the trusted clock was set; positive = ahead.
        case clockJumped(by: Duration)
        /// The device was off from then on, before this run of the agent.
        case wasOff(from: Instant)
        /// The participant leaves the study.
        case left
    }

    enum Effect {
        case decided(DecisionRecord)
        case measured(OutcomeRecord)
    }

    /// A point that is reached later than this after it was due is missed.
    private static let late = Duration.seconds(120)
    /// How long after it was due a point waits for the epochs of its features.
    private static let patience = Duration.seconds(30)
    /// A clock that goes back further than this was wrong before (cron(8) takes the same three hours).
    private static let correction = Duration.seconds(3 * 3600)

    package let rules: StudyRules
    private let chance: Chance
    private let enrolment: Enrolment
    private var zones: RuleZones
    /// The zone in which the wall clock was in the run before, where that was another one.
    private let zoneBefore: Zone?
    private var clock: RuleClock
    /// How far each rule has come, in the order of `rules`. In this file a `place` is an index into `tracks`,
    /// or, for a feature, into `rules.features` and `windows`.
    private var tracks: [RuleTrack]
    private var windows: [FeatureWindow]
    /// The last values of the columns `visit` and `sound`, by the feature's place: 1 = at a place, 2 = loud. A
    /// change to that value is an event.
    private var states: [Int: Double] = [:]
    /// Outcomes whose window is not over.
    private var pending: [PendingOutcome]
    private var lastPrompt: Instant?
    private var notWornSince: Instant?
    /// By task: when its last treated point was due.
    private var treated: [String: Instant] = [:]
    private var hasLeft = false
    /// Nothing is to be done before, unless `hasNews`.
    private var idleUntil: Instant?
    /// An event came since `next` last had nothing to do.
    private var hasNews = true

    private struct PendingOutcome: Sendable {
        let place: Int
        /// The number of the rule's decision that it belongs to.
        let index: Int
        let due: Instant
        /// The clock was stepped since, so that it cannot be measured.
        var isStepped = false
    }

    /// An engine that goes on where the log ends; `zoneBefore` is the zone that the wall clock left since the run
    /// before, which `wasOff` dates; nil = it is in the same one.
    package init(
        _ rules: StudyRules, context: ScheduleContext, memory: RuleMemory = RuleMemory(), zoneBefore: Zone? = nil,
        at began: MonotonicTime
    ) {
        (self.rules, self.zoneBefore) = (rules, zoneBefore)
        clock = RuleClock(began: began, zoneIsNew: zoneBefore != nil)
        (chance, enrolment) = (context.chance, context.enrolment)
        zones = RuleZones(context.zone, end: rules.end(of: context.enrolment, in: context.zone))
        for stay in memory.stays {
            zones.add(stay.zone, end: rules.end(of: context.enrolment, in: stay.zone), until: stay.until)
        }
        tracks = rules.rules.map { RuleTrack($0, of: rules, memory.rules[$0.name]) }
        lastPrompt = memory.lastPrompt
        for last in memory.rules.values.map(\.last) where last.result == .treated {
            treated[last.task] = max(last.due, treated[last.task] ?? last.due)
        }
        let names = rules.rules.map(\.name)
        pending = memory.pending.compactMap { one in
            names.firstIndex(of: one.rule).map { PendingOutcome(place: $0, index: one.index, due: one.due) }
        }
        windows = rules.features.enumerated().map { place, feature in
            let own = rules.rules.compactMap { $0.outcome?.feature == place ? $0.outcome?.window : nil }.max()
            return FeatureWindow(feature, reach: max(feature.window, own ?? .zero))
        }
    }

    /// When it next has something to do; nil while the clock is not trusted.
    package var wake: Instant? { clock.isTrusted ? idleUntil : nil }

    /// Takes over since when the device has not been worn, which the sensors report only once.
    mutating func keepWear(of old: RuleEngine) { notWornSince = old.notWornSince }

    /// Takes over the last prompt by the clock of now, from an engine of the same enrolment: the log has it by
    /// the clock of then. With it the clock's lead, so that a step while it is not trusted is noticed later.
    mutating func keepPrompt(of old: RuleEngine) {
        lastPrompt = old.lastPrompt
        clock.keepLead(of: old.clock)
    }

    package mutating func handle(_ event: Event, at now: Moment) {
        hasNews = true
        switch event {
        case .epochs(let epochs): for epoch in epochs { add(epoch) }
        case .notWorn(let since): notWornSince = since
        case .marked(let name): queue({ $0 == .button(nil) || $0 == .button(name) }, due: now.instant)
        case .prompted: lastPrompt = now.instant
        case .clock(let trusted): setTrusted(trusted, at: now)
        case .clockJumped(let by): if clock.isTrusted { jump(by, at: now) }
        case .wasOff(let from): noteOff(from: from)
        case .left: hasLeft = true
        }
    }

    // MARK: What is measured

    private mutating func add(_ epoch: FeatureEpoch) {
        for place in windows.indices {
            windows[place].add(epoch)
            let feature = rules.features[place]
            guard feature.source == epoch.source, feature.epoch == epoch.length else { continue }
            queueChange(place, feature, epoch)
        }
    }

    /// Queues an event where the epoch says that the participant arrived somewhere, or it became loud.
    private mutating func queueChange(_ place: Int, _ feature: RuleFeature, _ epoch: FeatureEpoch) {
        let (column, on, event): (String, Double, RuleEvent)
        switch feature.kind {
        case "visits": (column, on, event) = ("visit", 1, .arrival)
        case "sound": (column, on, event) = ("sound", 2, .loud)
        default: return
        }
        guard let index = epoch.columns.firstIndex(of: column), let value = epoch.values[index] else { return }
        let before = states.updateValue(value, forKey: place)
        if value == on, let before, before != on { queue({ $0 == event }, due: epoch.end) }
    }

    /// Adds a point to each rule that waits for this event. Not while the clock is not trusted, since it is
    /// not known when that was.
    private mutating func queue(_ isOwn: (RuleEvent) -> Bool, due: Instant) {
        guard clock.isTrusted else { return }
        for place in tracks.indices {
            guard case .event(let event) = tracks[place].rule.points, isOwn(event),
                tracks[place].queue.last != due
            else { continue }
            tracks[place].queue.append(due)
        }
    }

    // MARK: The clock

    private mutating func noteOff(from: Instant) {
        clock.noteOff(from: from)
        guard let zoneBefore else { return }
        zones.add(zoneBefore, end: rules.end(of: enrolment, in: zoneBefore), until: from)
    }

    private mutating func setTrusted(_ trusted: Bool, at now: Moment) {
        guard trusted != clock.isTrusted else { return }
        let jumped = clock.setTrusted(trusted, at: now)
        zones.start = clock.start
        if let jumped { restart(after: jumped) }
        if trusted { correct(at: now.instant) }
    }

    private mutating func jump(_ by: Duration, at now: Moment) {
        clock.jump(by, at: now)
        zones.start = clock.start
        restart(after: by)
        correct(at: now.instant)
    }

    /// Forgets what was measured, since its times are of the old clock, and shifts the times that are kept.
    private mutating func restart(after jump: Duration) {
        for place in windows.indices { windows[place].restart() }
        states = [:]
        lastPrompt = lastPrompt.map { $0 + jump }
        notWornSince = notWornSince.map { $0 + jump }
        for place in pending.indices { pending[place].isStepped = true }
        for place in tracks.indices { tracks[place].restart() }
    }

    /// Where a rule's last point lies in the future, the clock was wrong then.
    private mutating func correct(at now: Instant) {
        for place in tracks.indices { tracks[place].correct(by: Self.correction, at: now, zones.present) }
    }

    // MARK: What is due

    /// Something may be decided or measured.
    func isAwake(at now: Instant) -> Bool { clock.isTrusted && (hasNews || idleUntil.map { $0 <= now } ?? false) }

    /// Makes the next decision or outcome that is due; nil = there is none for now. Call it until it returns
    /// nil, and raise the prompt of a treated point before the next call, which takes that prompt into
    /// account. `isOpen` says whether a task can be opened.
    mutating func next(_ situation: RuleSituation, _ isOpen: (String) -> Bool) -> Effect? {
        let now = situation.now.instant
        // Also where nothing is due.
        clock.follow(situation.now)
        guard isAwake(at: now) else { return nil }
        if let outcome = takeOutcome(at: now) { return .measured(outcome) }
        if let decision = hasLeft ? nil : takeDecision(situation, isOpen) { return .decided(decision) }
        hasNews = false
        idleUntil = nextWake(after: now)
        return nil
    }

    /// Decides the earliest point that is due and ready; nil where there is none. Evaluations of a condition
    /// that does not hold are passed over.
    private mutating func takeDecision(_ situation: RuleSituation, _ isOpen: (String) -> Bool) -> DecisionRecord? {
        let now = situation.now.instant
        for place in tracks.indices { prepare(place, at: now) }
        while let (place, due) = earliestPoint(), due <= now, isReady(place, due, at: now) {
            if takePoint(place, due) {
                let local = tracks[place].slot ?? zones.local(due)
                return decide(place, due, local, situation, isOpen)
            }
            prepare(place, at: now)
        }
        return nil
    }

    /// Evaluates a rule's condition, or drops its event, that is due; false where nothing is to be decided then.
    private mutating func takePoint(_ place: Int, _ due: Instant) -> Bool {
        if case .when(let expression) = tracks[place].rule.points {
            return evaluate(expression, place, at: due) == .yes && tracks[place].isRearmed(due) && isActive(place, due)
        }
        tracks[place].dropEvent()
        return tracks[place].isRearmed(due) && isActive(place, due)
    }

    /// Whether a point may fall due then: not in quiet hours, nor before the enrolment or after the end. For
    /// `every` and `at` the track has seen to that.
    private func isActive(_ place: Int, _ due: Instant) -> Bool {
        switch tracks[place].rule.points {
        case .every, .at: true
        case .when, .event:
            due > enrolment.instant && zones.isActive(due, besides: tracks[place].rule.quiet)
        }
    }

    /// The earliest point, or moment at which a condition is evaluated, of all rules, each prepared.
    private func earliestPoint() -> (place: Int, due: Instant)? {
        var found: (place: Int, due: Instant)?
        for place in tracks.indices {
            guard let due = tracks[place].due else { continue }
            if found.map({ due < $0.due }) ?? true { found = (place, due) }
        }
        return found
    }

    private mutating func prepare(_ place: Int, at now: Instant) {
        tracks[place].prepare(now: now, since: clock.start ?? now, lateAfter: Self.late, enrolment: enrolment, zones)
    }

    /// All epochs up to the point are there, or have been waited for long enough.
    private func isReady(_ place: Int, _ due: Instant, at now: Instant) -> Bool {
        now >= due + Self.patience || tracks[place].features.allSatisfy { windows[$0].isComplete(at: due) }
    }

    private mutating func evaluate(_ expression: RuleExpression, _ place: Int, at time: Instant) -> Truth {
        // Fills the cache of each window, from which `value(at:)` reads.
        for feature in tracks[place].features { _ = windows[feature].reading(at: time) }
        // Swapped out of `tracks`, so that it is changed in place while `windows` is read.
        var memory = SpanMemory(0, step: .zero)
        swap(&memory, &tracks[place].memory)
        memory.begin(at: time)
        let holds = expression.value({ windows[$0].value(at: time) }, at: time, &memory)
        swap(&memory, &tracks[place].memory)
        tracks[place].advanceEvaluation()
        return holds
    }

    private mutating func nextWake(after now: Instant) -> Instant? {
        guard !hasLeft else { return nil }
        var first: Instant?
        for outcome in pending { first = earliest(first, span(outcome).to + Self.patience) }
        for place in tracks.indices {
            first = earliest(first, tracks[place].due.map { wakeTime(forPointDue: $0, place, now) })
        }
        return first
    }

    /// When to come back to a point: one that is due already waits for its epochs, and a rule with `when`
    /// needs epochs in any case.
    private func wakeTime(forPointDue due: Instant, _ place: Int, _ now: Instant) -> Instant {
        tracks[place].hasCondition || due <= now ? due + Self.patience : due
    }

    // MARK: One decision

    /// Decides one point: missed; else unavailable with reasons; else a draw with the probability of the
    /// table or the budget.
    private mutating func decide(
        _ place: Int, _ due: Instant, _ local: LocalDateTime, _ situation: RuleSituation, _ isOpen: (String) -> Bool
    ) -> DecisionRecord {
        let rule = tracks[place].rule
        var draft = DecisionDraft(
            rule: rule, index: tracks[place].countDecision(due, local), due: due, at: situation.now.instant,
            local: local, rules: rules.digest)
        if situation.now.instant - due > Self.late {
            return draft.missed(clock.missReason(due, isByWallClock: tracks[place].isByWallClock))
        }
        // What was measured at the point, and what is to be measured after it.
        draft.state = readFeatures(tracks[place].features, at: due)
        if let outcome = rule.outcome {
            draft.outcome = rules.features[outcome.feature].name
            pending.append(PendingOutcome(place: place, index: draft.index, due: due))
        }
        // Whether the participant is available.
        let (fixed, isKnown) = tableProbability(rule, at: due)
        draft.reasons = reasons(rule, due, situation, isOpen) + (isKnown ? [] : [DecisionReason.coverage])
        tracks[place].beginBudget(local.date)
        draft.budget = tracks[place].budget
        guard draft.reasons.isEmpty else { return draft.record(.unavailable) }
        // The draw: the seed, the rule's name and the decision's number determine it.
        let probability = fixed ?? tracks[place].spend(at: local.time)
        draft.probability = probability
        let label = Self.label(rule.name, draft.index)
        var generator = chance.generator(for: label)
        let draw = generator.unit()
        (draft.label, draft.draw) = (label, draw)
        if draw < probability { treated[rule.task] = due }
        return draft.record(draw < probability ? .treated : .control)
    }

    /// The label of the generator for a point's draw.
    static func label(_ rule: String, _ index: Int) -> String { "rule \(rule)/\(index)" }

    /// Decides a logged point again (`RuleProof`); nil where there is no such rule.
    mutating func decideAgain(_ logged: DecisionRecord, _ situation: RuleSituation, isOpen: Bool) -> DecisionRecord? {
        tracks.firstIndex { $0.rule.name == logged.rule }.map { place in
            decide(place, logged.due, logged.local, situation) { _ in isOpen }
        }
    }

    /// Sets a rule's budget to the logged one, which may differ from the one computed again.
    mutating func adopt(_ budget: BudgetState, of rule: String) {
        guard let place = tracks.firstIndex(where: { $0.rule.name == rule }) else { return }
        tracks[place].adopt(budget)
    }

    /// When the next point of a rule falls due; nil for `when` and `event`, which the clock does not decide.
    mutating func nextDue(of rule: String, at now: Moment) -> Instant? {
        guard let place = tracks.firstIndex(where: { $0.rule.name == rule }) else { return nil }
        switch tracks[place].rule.points {
        case .when, .event: return nil
        case .every, .at:
            prepare(place, at: now.instant)
            return tracks[place].due
        }
    }

    /// What is measured in the window of an outcome of the log; nil where there is no such feature.
    func measureAgain(_ logged: OutcomeRecord) -> FeatureReading? {
        rules.features.firstIndex { $0.name == logged.feature }.map { windows[$0].reading(logged.from, logged.to) }
    }

    private mutating func readFeatures(_ places: [Int], at due: Instant) -> [String: FeatureReading] {
        var state: [String: FeatureReading] = [:]
        for place in places { state[rules.features[place].name] = windows[place].reading(at: due) }
        return state
    }

    /// The probability of the first row whose condition holds; nil = it comes from the budget. Not known
    /// where a condition before that row is unknown.
    private func tableProbability(_ rule: StudyRule, at due: Instant) -> (probability: Double?, isKnown: Bool) {
        guard case .table(let rows) = rule.chances else { return (nil, true) }
        for row in rows {
            switch row.condition.map({ holds($0, at: due) }) ?? .yes {
            case .yes: return (row.probability, true)
            case .no: continue
            case .unknown: return (nil, false)
            }
        }
        return (nil, false)
    }

    private func holds(_ expression: RuleExpression, at due: Instant) -> Truth {
        var memory = SpanMemory(0, step: .zero)
        return expression.value({ windows[$0].value(at: due) }, at: due, &memory)
    }

    /// Why the participant is not available; empty = available.
    private func reasons(
        _ rule: StudyRule, _ due: Instant, _ situation: RuleSituation, _ isOpen: (String) -> Bool
    ) -> [String] {
        var reasons: [String] = []
        if situation.isPaused {
            reasons.append(DecisionReason.studyPaused)
        } else if !isOpen(rule.task) {
            reasons.append(DecisionReason.taskLocked)
        }
        reasons += rule.needs.compactMap { reason(against: $0, due, situation) }
        if treated[rule.task] == due { reasons.append(DecisionReason.otherRule) }
        return reasons
    }

    private func reason(against need: StudyRule.Need, _ due: Instant, _ situation: RuleSituation) -> String? {
        switch need {
        case .worn: notWornSince.map { $0 <= due } ?? false ? DecisionReason.notWorn : nil
        case .noRun: situation.isRunOpen ? DecisionReason.runOpen : nil
        case .promptsOn: situation.promptsAreOn ? nil : DecisionReason.promptsOff
        // Always met: without a trusted clock nothing is decided (`isAwake`).
        case .trustedClock: nil
        case .sincePrompt(let span):
            lastPrompt.map { $0 > due - span && $0 <= due + Self.correction } ?? false
                ? DecisionReason.recentPrompt : nil
        case .condition(let expression):
            switch holds(expression, at: due) {
            case .yes: nil
            case .no: DecisionReason.condition
            case .unknown: DecisionReason.coverage
            }
        }
    }

    // MARK: Outcomes

    /// The window of the outcome: it begins with the first whole epoch after the point.
    private func span(_ outcome: PendingOutcome) -> (from: Instant, to: Instant) {
        guard let own = tracks[outcome.place].rule.outcome else { return (outcome.due, outcome.due) }
        let from = FeatureWindow.edge(rules.features[own.feature].epoch, after: outcome.due)
        return (from, from + own.window)
    }

    private mutating func takeOutcome(at now: Instant) -> OutcomeRecord? {
        for index in pending.indices {
            let outcome = pending[index]
            let to = span(outcome).to
            guard let own = tracks[outcome.place].rule.outcome else { continue }
            let isOver = to <= now && (now >= to + Self.patience || windows[own.feature].isComplete(at: to))
            guard isOver || outcome.isStepped || hasLeft else { continue }
            pending.remove(at: index)
            return record(outcome, own.feature, isOver: isOver, at: now)
        }
        return nil
    }

    private func record(_ outcome: PendingOutcome, _ place: Int, isOver: Bool, at now: Instant) -> OutcomeRecord {
        let (from, to) = span(outcome)
        let wasOff = clock.start.map { to < $0 } ?? false
        var missing: OutcomeRecord.Missing? =
            outcome.isStepped ? .clockStepped : !isOver ? .left : wasOff ? .deviceOff : nil
        let reading = missing == nil ? windows[place].reading(from, to) : nil
        if let reading, reading.value == nil { missing = .coverage }
        return OutcomeRecord(
            rule: tracks[outcome.place].rule.name, index: outcome.index, feature: rules.features[place].name,
            from: from, to: to, at: now, value: reading?.value, coverage: reading?.coverage ?? 0,
            recordings: reading?.recordings, missing: missing, rules: rules.digest)
    }
}
