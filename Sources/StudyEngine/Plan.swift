// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// Everything one participant is due to do, as far as it can be told now.
public struct Plan: Sendable {
    /// By key; only tasks whose condition fits.
    public let tasks: [String: StudyTask]
    /// By time; equal times in the order of the file.
    public let occurrences: [Occurrence]

    /// A plan of these occurrences, which must be in time order.
    public init(tasks: [StudyTask], occurrences: [Occurrence]) {
        self.tasks = Dictionary(tasks.map { ($0.key, $0) }) { first, _ in first }
        self.occurrences = occurrences
    }
}

/// Makes plans. Pure: the same study and context give the same plan, so a restart or a clock step is a new plan.
public struct Planner: Sendable {
    /// All arms of it; what does not fit the participant's is left out of the plan.
    public let study: StudyProtocol
    /// Whose plan it is, in which zone, after which facts.
    public let context: ScheduleContext

    /// A planner for one participant of one study.
    public init(study: StudyProtocol, context: ScheduleContext) {
        self.study = study
        self.context = context
    }

    /// Whether the participant's arm has this task.
    public func fits(_ task: StudyTask) -> Bool {
        task.condition == nil || task.condition == context.enrolment.condition
    }

    /// All occurrences of the tasks that fit, sorted by time; stable, so equal times stay in the order of the file.
    public var plan: Plan {
        let tasks = study.tasks.filter(fits)
        let made = tasks.flatMap { $0.schedule.occurrences(of: $0, in: context) }
        let sorted = made.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
        return Plan(tasks: tasks, occurrences: sorted.map(\.element))
    }

    /// The plan as `studyd plan` prints it; `days` cuts it to so many calendar days from the day of enrolment.
    public func lines(days: Int? = nil) -> [PlanLine] {
        let end = days.map { context.enrolment.local.date.adding(days: $0) }
        return plan.occurrences.compactMap { occurrence in
            if let end, context.zone.local(occurrence.due).date >= end { return nil }
            return PlanLine(occurrence, condition: context.enrolment.condition, zone: context.zone)
        }
    }
}
