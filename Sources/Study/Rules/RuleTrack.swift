// SPDX-License-Identifier: Apache-2.0
import Base

/// What the log knows of an enrolment's decisions.
package struct RuleMemory: Sendable {
    package struct Rule: Sendable {
        /// The last decision of the rule.
        package let last: DecisionRecord
        /// After the last decision that was not `missed`; nil without a budget.
        package let budget: BudgetState?

        package init(last: DecisionRecord, budget: BudgetState?) { (self.last, self.budget) = (last, budget) }
    }

    package struct Pending: Sendable {
        package let rule: String
        package let index: Int
        package let due: Instant

        package init(rule: String, index: Int, due: Instant) {
            (self.rule, self.index, self.due) = (rule, index, due)
        }
    }

    package var rules: [String: Rule] = [:]
    /// Points with an outcome that was not measured yet.
    package var pending: [Pending] = []
    /// When a prompt was given out last.
    package var lastPrompt: Instant?

    package init() {}
}

/// How far one rule has come: its last point, and the next.
struct RuleTrack: Sendable {
    let rule: StudyRule
    /// The places of those that its conditions name.
    let features: [Int]
    var memory: SpanMemory
    /// The moments of events that are still to be decided, oldest first.
    var queue: [Instant] = []
    private(set) var budget: BudgetState?
    /// It has a condition that is looked at epoch by epoch.
    let isLookedAt: Bool
    private let step: Duration
    private var index: Int
    /// When its last point was due.
    private var last: Instant?
    private var lastSlot: LocalDateTime?
    /// Known until it is passed; nil = there is none, or it is to be found.
    private var found: (due: Instant, slot: LocalDateTime?)?
    private var isExhausted = false
    /// The next moment at which its condition is looked at.
    private var look: Instant?

    init(_ rule: StudyRule, of rules: StudyRules, _ memory: RuleMemory.Rule?) {
        self.rule = rule
        features = rule.features
        if case .when(let expression) = rule.points {
            step = expression.features.map { rules.features[$0].epoch }.min() ?? .seconds(60)
            self.memory = SpanMemory(expression.spans, step: step)
            isLookedAt = true
        } else {
            step = .seconds(60)
            isLookedAt = false
            self.memory = SpanMemory(0, step: step)
        }
        index = memory?.last.index ?? 0
        (last, lastSlot, budget) = (memory?.last.due, memory?.last.local, memory?.budget)
    }

    /// When something of it is due next, decided or looked at.
    var due: Instant? {
        switch rule.points {
        case .when: look
        case .event: queue.first
        case .every, .at: found?.due
        }
    }

    /// The time of day that the next point is about.
    var slot: LocalDateTime? { if case .at = rule.points { found?.slot } else { nil } }

    func isRearmed(_ due: Instant) -> Bool {
        switch rule.points {
        case .every, .at: true
        case .when, .event: last.map { due - $0 >= rule.rearm } ?? true
        }
    }

    /// Finds what is next, where that is not known. `start` is when this run of the agent began; a
    /// condition is looked at up to `late` after its moment.
    mutating func prepare(
        now: Instant, since start: Instant, lateAfter late: Duration, enrolment: Enrolment, end: Instant?, _ zone: Zone
    ) {
        switch rule.points {
        case .event: break
        case .when:
            if let look, now - look <= late { return }
            // What was not looked at breaks every span.
            if look != nil { memory.restart() }
            look = FeatureWindow.edge(step, after: max(start, now - late))
        case .every(let period):
            guard found == nil, !isExhausted else { return }
            found = next(of: period, after: last ?? enrolment.instant, zone).map { ($0, nil) }
            stop(at: end)
        case .at(let times):
            guard found == nil, !isExhausted else { return }
            found = next(of: times, enrolment, zone)
            stop(at: end)
        }
    }

    private mutating func stop(at end: Instant?) {
        guard let found, end.map({ found.due < $0 }) ?? true else {
            (found, isExhausted) = (nil, true)
            return
        }
    }

    private func next(of period: Duration, after time: Instant, _ zone: Zone) -> Instant? {
        var due = FeatureWindow.edge(period, before: time) + period
        let most = Int(2 * 86_400_000_000_000 / period.nanoseconds) + 2
        for _ in 0..<most {
            if !rule.quiet.contains(zone.local(due).time) { return due }
            due = due + period
        }
        return nil
    }

    private func next(of times: [LocalTime], _ enrolment: Enrolment, _ zone: Zone) -> (
        due: Instant, slot: LocalDateTime?
    )? {
        let first = lastSlot?.date ?? enrolment.local.date.adding(days: -1)
        for day in 0...3 {
            for time in times where !rule.quiet.contains(time) {
                let slot = LocalDateTime(first.adding(days: day), time)
                if let lastSlot, slot <= lastSlot { continue }
                let due = zone.resolve(slot).instant
                // A gap may have moved it into quiet hours.
                if due > enrolment.instant, !rule.quiet.contains(zone.local(due).time) { return (due, slot) }
            }
        }
        return nil
    }

    /// An event is dealt with, whether it made a point or not.
    mutating func pass(_ due: Instant) {
        if case .event = rule.points { queue.removeFirst() }
    }

    mutating func passLook() { look = look.map { $0 + step } }

    /// Makes that point the last one, and returns the number of its decision.
    mutating func count(_ due: Instant, _ local: LocalDateTime) -> Int {
        (last, lastSlot, found) = (due, local, nil)
        index += 1
        return index
    }

    // MARK: The clock

    /// The clock was stepped: what lies ahead is found again, and no span goes on.
    mutating func restart() {
        (found, look, isExhausted) = (nil, nil, false)
        memory.restart()
        queue = []
    }

    /// Where the last point lies further ahead than that, the clock was wrong then.
    mutating func correct(by limit: Duration, at now: Instant, _ zone: Zone) {
        guard let last, last - now > limit else { return }
        (self.last, lastSlot, found, isExhausted) = (now, zone.local(now), nil, false)
    }

    // MARK: The budget

    mutating func beginBudget(_ date: LocalDate) {
        guard case .budget(let terms) = rule.chances else { return }
        if budget == nil { budget = BudgetState(terms, day: date) }
        budget?.begin(date, terms)
    }

    /// It goes on from the log.
    mutating func adopt(_ budget: BudgetState) { self.budget = budget }

    mutating func spend(at time: LocalTime) -> Double {
        guard let probability = budget?.probability(share: share(from: time)) else { return 0 }
        budget?.spend(probability)
        return probability
    }

    /// What of a day is left from that time on, 0...1.
    private func share(from time: LocalTime) -> Double {
        if case .at(let times) = rule.points {
            let own = times.filter { !rule.quiet.contains($0) }
            return Double(own.count { $0 > time }) / Double(max(1, own.count))
        }
        let from = Int(time.nanoseconds / 1_000_000)
        return Double(rule.quiet.active(from: from)) / Double(max(1, rule.quiet.active()))
    }
}
