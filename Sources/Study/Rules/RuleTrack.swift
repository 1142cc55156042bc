// SPDX-License-Identifier: Apache-2.0
import Base

/// How far one rule has come: its last decision point, and the next. `RuleEngine` calls `prepare` and reads
/// `due`. Once that moment has come it calls `dropEvent` (a rule with `event`) or `advanceEvaluation` (a rule
/// with `when`), then `countDecision` if the point is decided, then `beginBudget` and `spend` where a
/// probability is drawn.
struct RuleTrack: Sendable {
    let rule: StudyRule
    /// The indices of the features that its conditions name.
    let features: [Int]
    /// What the `for`s of its `when` have seen.
    var memory: SpanMemory
    /// The moments of events that are still to be decided, oldest first.
    var queue: [Instant] = []
    private(set) var budget: BudgetState?
    /// It is a rule with `when`, whose condition is evaluated epoch by epoch.
    let hasCondition: Bool
    /// The time between two evaluations of its condition: the shortest epoch in it.
    private let step: Duration
    /// The number of its last decision; 0 = there is none.
    private var index: Int
    /// When its last point was due.
    private var last: Instant?
    /// The local date and time of its last point.
    private var lastSlot: LocalDateTime?
    /// The next point of `every` or `at`; nil = `prepare` has to find it, or there is none.
    private var found: (due: Instant, slot: LocalDateTime?)?
    private var isExhausted = false
    /// The next moment at which its condition is evaluated.
    private var nextEvaluation: Instant?

    init(_ rule: StudyRule, of rules: StudyRules, _ memory: RuleMemory.Rule?) {
        self.rule = rule
        features = rule.features
        if case .when(let expression) = rule.points {
            step = expression.features.map { rules.features[$0].epoch }.min() ?? .seconds(60)
            self.memory = SpanMemory(expression.spans, step: step)
            hasCondition = true
        } else {
            step = .seconds(60)
            hasCondition = false
            self.memory = SpanMemory(0, step: step)
        }
        index = memory?.last.index ?? 0
        (last, lastSlot, budget) = (memory?.last.due, memory?.last.local, memory?.budget)
    }

    /// When its next point is due, or its condition is evaluated next; valid after `prepare`.
    var due: Instant? {
        switch rule.points {
        case .when: nextEvaluation
        case .event: queue.first
        case .every, .at: found?.due
        }
    }

    /// The local date and time of the next point of `at`, also where a change of offset moves `due`.
    var slot: LocalDateTime? { isByWallClock ? found?.slot : nil }

    /// It is a rule with `at`: the only one whose points a change of zone can pass over.
    var isByWallClock: Bool { if case .at = rule.points { true } else { false } }

    /// The last point is at least `rearm` ago; always true for `every` and `at`.
    func isRearmed(_ due: Instant) -> Bool {
        switch rule.points {
        case .every, .at: true
        case .when, .event: last.map { due - $0 >= rule.rearm } ?? true
        }
    }

    /// Finds the next point, or moment to evaluate the condition at, unless it is known. `start` is when this
    /// run of the agent began; a condition is evaluated up to `late` after its moment.
    mutating func prepare(
        now: Instant, since start: Instant, lateAfter late: Duration, enrolment: Enrolment, _ zones: RuleZones
    ) {
        switch rule.points {
        case .event: break
        case .when:
            if let nextEvaluation, now - nextEvaluation <= late { return }
            // A moment was passed over, so no `for` can go on.
            if nextEvaluation != nil { memory.restart() }
            nextEvaluation = FeatureWindow.edge(step, after: max(start, now - late))
        case .every(let period):
            guard found == nil, !isExhausted else { return }
            found = next(of: period, after: last ?? enrolment.instant, zones).map { ($0, nil) }
            exhaustUnlessFound(before: zones.end)
        case .at(let times):
            guard found == nil, !isExhausted else { return }
            found = next(of: times, enrolment, zones.present)
            exhaustUnlessFound(before: zones.end)
        }
    }

    /// Without a next point before `end` there are no further points.
    private mutating func exhaustUnlessFound(before end: Instant?) {
        guard let found, end.map({ found.due < $0 }) ?? true else {
            (found, isExhausted) = (nil, true)
            return
        }
    }

    private func next(of period: Duration, after time: Instant, _ zones: RuleZones) -> Instant? {
        var due = FeatureWindow.edge(period, before: time) + period
        let most = zones.mostDays * Int(86_400_000_000_000 / period.nanoseconds) + 2
        for _ in 0..<most {
            if zones.isActive(due, besides: rule.quiet) { return due }
            due = due + period
        }
        return nil
    }

    /// In the order of `due`, in which a skipped time comes after others that are later on the wall. Where it meets
    /// a time that exists there is one point, of that time.
    private func next(of times: [LocalTime], _ enrolment: Enrolment, _ zone: Zone) -> (
        due: Instant, slot: LocalDateTime?
    )? {
        // Only within a day after the clocks went forward an earlier slot can come later.
        let isAfterGap = last.map { zone.period(at: $0 - RuleTable.day).offset < zone.period(at: $0).offset } ?? false
        let passed = lastSlot.map { zone.local(zone.resolve($0).instant) }
        let first = lastSlot?.date ?? enrolment.local.date
        var found: (due: Instant, shown: LocalDateTime, slot: LocalDateTime)?
        // The day before, since times can be skipped over midnight. The first days may have no time left; a change
        // of offset can move all times of another day into quiet hours.
        for day in -1...3 {
            for time in times where !rule.quiet.contains(time) {
                let slot = LocalDateTime(first.adding(days: day), time)
                if let lastSlot, slot <= lastSlot, !isAfterGap { continue }
                if let found, slot > found.shown { return (found.due, found.slot) }
                let due = zone.resolve(slot).instant
                // Later than `slot` where the clocks skip it, perhaps in quiet hours.
                let shown = zone.local(due)
                if let passed, shown <= passed { continue }
                guard due > enrolment.instant, !rule.quiet.contains(shown.time) else { continue }
                if found.map({ due <= $0.due }) ?? true { found = (due, shown, slot) }
            }
        }
        return found.map { (due: $0.due, slot: $0.slot) }
    }

    /// Removes the first event of the queue, if the rule has one; it was dealt with.
    mutating func dropEvent() { if case .event = rule.points { queue.removeFirst() } }

    /// The condition was evaluated: the next time is one step later.
    mutating func advanceEvaluation() { nextEvaluation = nextEvaluation.map { $0 + step } }

    /// Makes that point the last one, and returns the number of its decision.
    mutating func countDecision(_ due: Instant, _ local: LocalDateTime) -> Int {
        (last, lastSlot, found) = (due, local, nil)
        index += 1
        return index
    }

    // MARK: The clock

    /// The clock was stepped: the next point is found again, events are dropped, and no `for` goes on.
    mutating func restart() {
        (found, nextEvaluation, isExhausted) = (nil, nil, false)
        memory.restart()
        queue = []
    }

    /// Where the last point lies more than `limit` in the future, the clock was wrong then: points go on from
    /// now.
    mutating func correct(by limit: Duration, at now: Instant, _ zone: Zone) {
        guard let last, last - now > limit else { return }
        (self.last, lastSlot, found, isExhausted) = (now, zone.local(now), nil, false)
    }

    // MARK: The budget

    /// To be called at every point that is not missed, before `spend`.
    mutating func beginBudget(_ date: LocalDate) {
        guard case .budget(let terms) = rule.chances else { return }
        if budget == nil { budget = BudgetState(terms, day: date) }
        budget?.beginDay(date, terms)
    }

    /// Sets the budget to the one in the log.
    mutating func adopt(_ budget: BudgetState) { self.budget = budget }

    /// The probability of a point at that local time, which is spent.
    mutating func spend(at time: LocalTime) -> Double {
        guard let probability = budget?.probability(share: share(from: time)) else { return 0 }
        budget?.spend(probability)
        return probability
    }

    /// What share of the day is left after `time`, 0...1: of its points for `at`, else of its time that is
    /// not quiet.
    private func share(from time: LocalTime) -> Double {
        if case .at(let times) = rule.points {
            let own = times.filter { !rule.quiet.contains($0) }
            return Double(own.count { $0 > time }) / Double(max(1, own.count))
        }
        let from = Int(time.nanoseconds / 1_000_000)
        return Double(rule.quiet.active(from: from)) / Double(max(1, rule.quiet.active()))
    }
}
