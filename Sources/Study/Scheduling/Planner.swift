// SPDX-License-Identifier: Apache-2.0
import Base

/// Makes plans, for `StudyConductor` and `studyd plan`. Pure: the same study and context give the same plan, so
/// a restart or a clock step is a new plan.
package struct Planner: Sendable {
    /// With the tasks of all arms; the plan leaves out those of other arms than the participant's.
    package let study: StudyProtocol
    /// The participant, the zone and the facts of the plan.
    package internal(set) var context: ScheduleContext

    package init(study: StudyProtocol, context: ScheduleContext) { (self.study, self.context) = (study, context) }

    /// Whether the participant's arm has this task.
    package func fits(_ task: StudyTask) -> Bool {
        task.condition == nil || task.condition == context.enrolment.condition
    }

    /// All occurrences of the tasks that fit, sorted by time; stable, so equal times stay in the
    /// order of the file.
    package var plan: Plan {
        let tasks = study.tasks.filter(fits)
        let raised = context.facts.happenings.flatMap { self.raised(by: $0) }
        let context = scheduleContext
        let made = tasks.flatMap { $0.schedule.occurrences(of: $0, in: context) } + raised
        return Plan(tasks: tasks, occurrences: made.inTimeOrder(), versionSince: context.facts.versionSince)
    }

    /// Only the occurrences that become due because this happened, not those of the schedule itself.
    package func raised(by happening: StudyHappening) -> [Occurrence] {
        study.tasks.filter(fits).flatMap { $0.schedule.raised(by: happening, of: $0, in: scheduleContext) }
            + [decisionPrompt(happening)].compactMap(\.self)
    }

    /// The prompt of a decision point that a rule treated; nil where something else happened.
    private func decisionPrompt(_ happening: StudyHappening) -> Occurrence? {
        guard let (name, index) = happening.name.decision, let rule = study.rules?.rule(name),
            let task = study.task(rule.task), fits(task)
        else { return nil }
        let due = happening.moment
        return Occurrence(
            id: DecisionRecord.occurrence(task.key, name, index), task: task.key, taskIndex: task.index, number: index,
            local: context.zone.local(due), due: due, expires: due + rule.expires, isHidden: task.isSticky)
    }

    /// With the zone in which the platform reads times of day.
    var scheduleContext: ScheduleContext { context.inZone(of: study.planZone) }

    /// The times of the day that the participant may move, as they are now.
    package var promptTimes: [PromptTime] {
        study.tasks.filter(fits).flatMap { $0.schedule.promptTimes(of: $0, in: scheduleContext) }
    }

    /// Moves prompt times to those the participant chose, all or none. Changes nothing here: returns
    /// the variables to keep, after which `plan` has the new times, and what is to be sent. Throws
    /// what the study does not allow, in words.
    package func moving(_ times: [PromptTime], at now: Instant) throws(PromptTimeError) -> MovedTimes {
        var moved = MovedTimes()
        for task in study.tasks {
            let own = times.filter { $0.task == task.key }
            guard !own.isEmpty else { continue }
            let change = try task.schedule.moving(own, of: task, in: scheduleContext, at: now)
            moved.variables.merge(change.variables) { $1 }
            moved.reports += change.reports
            moved.lines += change.lines
            let happening = StudyHappening(.timesMoved, task: task.key, at: now)
            guard !change.reports.isEmpty, !raised(by: happening).isEmpty else { continue }
            moved.variables[happening.variable] = .moment(happening.moment)
        }
        return moved
    }

    /// The plan as `studyd plan` prints it; `days` cuts it to a number of calendar days from the
    /// day of enrolment. `showsArm` false leaves out the arm, where it must stay hidden.
    package func lines(days: Int? = nil, showsArm: Bool = true) -> [PlanLine] {
        let first = context.enrolment.local.date
        let shown = days.map { first..<first.adding(days: $0) }
        return plan.occurrences.compactMap { occurrence in
            if let shown, !shown.contains(context.zone.local(occurrence.due).date) { return nil }
            return PlanLine(occurrence, condition: showsArm ? context.enrolment.condition : nil, zone: context.zone)
        }
    }
}
