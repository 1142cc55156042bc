// SPDX-License-Identifier: Apache-2.0
import Base

/// Values that outlive a run: kept in the event log, and where a schedule counts from them the
/// plan is made anew.
extension StudyConductor {
    /// Notes what is new among `values`, and plans again if anything is.
    mutating func learn(_ values: [String: AnswerValue], at now: Moment) {
        let news = values.filter { scheduler.facts.variables[$0.key] != $0.value }.sorted { $0.key < $1.key }
        guard !news.isEmpty else { return }
        var facts = scheduler.facts
        for (name, value) in news {
            effects.append(.note(.learned(name: name, value: value)))
            facts.variables[name] = value
        }
        schedule(.facts(facts), at: now)
        replan(at: now)
    }

    /// Values that stand in the log already; the plan is made anew with them.
    mutating func take(_ values: [String: AnswerValue], at now: Moment) {
        var facts = scheduler.facts
        facts.variables.merge(values) { $1 }
        schedule(.facts(facts), at: now)
        replan(at: now)
    }

    /// Moves times as the participant wants them, and says what came of it.
    mutating func move(_ wish: TimeWish, at now: Moment) {
        guard !wish.times.isEmpty else { return }
        let context = planner.context
        let present = Planner(
            study: planner.study,
            context: ScheduleContext(
                enrolment: context.enrolment, zone: context.zone, chance: context.chance, facts: scheduler.facts))
        guard let moved = try? present.moving(wish.times, at: now.instant) else {
            return panel(.news(wish.refused), at: now)
        }
        guard !moved.variables.isEmpty else { return }
        effects += moved.reports.map(Effect.report)
        learn(moved.variables, at: now)
        panel(.news(wish.done), at: now)
    }

    /// Dates among the answers of a run from which other tasks count.
    mutating func learnAnchors(of submission: Submission, at now: Moment) {
        var values: [String: AnswerValue] = [:]
        for anchor in planner.study.anchors?.questions ?? [] where anchor.task == submission.task {
            guard case .dateTime(let date)? = submission.answers[anchor.question] else { continue }
            values[anchor.variable] = .dateTime(date)
        }
        learn(values, at: now)
    }

    /// Lets something that happened make tasks due. Where nothing listens for it,
    /// nothing is kept of it.
    mutating func raise(_ happening: StudyHappening, at now: Moment) {
        let occurrences = planner.raised(by: happening)
        guard !occurrences.isEmpty else { return }
        keep([happening.variable: .number(Double(happening.moment.milliseconds))], at: now)
        schedule(.raised(occurrences), at: now)
    }

    /// Keeps values from which no schedule counts.
    mutating func keep(_ values: [String: AnswerValue], at now: Moment) {
        var facts = scheduler.facts
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where facts.variables[name] != value {
            facts.variables[name] = value
            effects.append(.note(.learned(name: name, value: value)))
        }
        if facts.variables != scheduler.facts.variables { schedule(.facts(facts), at: now) }
    }

    private mutating func replan(at now: Moment) {
        let context = planner.context
        planner.context = ScheduleContext(
            enrolment: context.enrolment, zone: context.zone, chance: context.chance, facts: scheduler.facts)
        schedule(.replanned(planner.plan), at: now)
    }
}
