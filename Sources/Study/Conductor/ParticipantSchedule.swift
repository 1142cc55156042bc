// SPDX-License-Identifier: Apache-2.0
import Base

/// One participant's tasks and what has become of them: the planner makes the plan, the scheduler
/// runs it and keeps the facts, from which the plan is made again. Pure.
///
/// `StudyConductor` owns it, hands events to the scheduler and carries out its effects.
struct ParticipantSchedule: Sendable {
    /// The tasks, with the facts as they were when the plan was made.
    private(set) var planner: Planner {
        _read { yield boxedPlanner.value }
        _modify { yield &boxedPlanner.value }
    }
    /// What is due, what is open and how everything ended, with the facts as they are now.
    var scheduler: Scheduler {
        _read { yield boxedScheduler.value }
        _modify { yield &boxedScheduler.value }
    }
    // Boxed (`Boxed`), so that a copy is cheap and each is changed in place.
    private var boxedPlanner: Boxed<Planner>
    private var boxedScheduler: Boxed<Scheduler>

    init(_ planner: Planner, _ scheduler: Scheduler, at now: Instant) {
        let context = planner.context
        var scheduler = scheduler
        scheduler.place(in: FactSetting(enrolment: context.enrolment, zone: context.zone, now: now))
        boxedPlanner = Boxed(planner)
        boxedScheduler = Boxed(scheduler)
    }

    /// The planner with the facts as they are now.
    var presentPlanner: Planner { Planner(study: planner.study, context: context()) }

    /// With the facts as they are now, and these variables.
    func context(with variables: [String: AnswerValue] = [:]) -> ScheduleContext {
        let context = planner.context
        return ScheduleContext(
            enrolment: context.enrolment, zone: context.zone, chance: context.chance, facts: facts(with: variables))
    }

    func facts(with variables: [String: AnswerValue]) -> StudyFacts {
        var facts = scheduler.facts
        facts.variables.merge(variables) { $1 }
        return facts
    }

    /// Makes the plan again; it holds once the scheduler is given it.
    mutating func replan() -> Plan {
        planner.context = context()
        return planner.plan
    }

    // MARK: What the participant can do

    /// What can be started now, in the order in which it is said.
    func listItems(at now: Instant) -> [ListItem] {
        scheduler.list(at: now).entries.map { entry in
            let task = planner.study.task(entry.task)
            return ListItem(id: entry.occurrence.id, name: task?.name ?? entry.task, isAside: task?.isAside ?? false)
        }
    }

    /// The list entry that the broken run was opened from; nil where it can no longer be opened.
    /// Made here, since the scheduler's list is empty while the clock is not trusted.
    func entry(of broken: BrokenRun, _ task: StudyTask) -> OpenList.Entry? {
        let answers = broken.occurrence.flatMap(scheduler.occurrence)
        let first = planner.plan.occurrences.first { $0.task == task.key }
        guard let occurrence = task.isSticky ? first : answers ?? first else { return nil }
        return OpenList.Entry(occurrence, of: task, answers: answers, startsGroup: true)
    }

    /// The name of that run, unique on the device: `<enrolment>-<task index>-<opening>`.
    func runName(of task: StudyTask, opening: Int) -> String {
        "\(planner.context.enrolment.id)-\(task.index)-\(opening)"
    }

    // MARK: What follows from a submission

    /// What the platform makes of the answers when the task is submitted (`StudyTask.ending`);
    /// nothing for most tasks.
    func end(of task: String, _ answers: Answers) -> RunEnd {
        var facts = scheduler.facts
        facts.answers = answers
        return planner.study.task(task)?.ending?.end(facts) ?? RunEnd()
    }

    /// The answers that texts of other tasks quote, and when the task was done where that matters;
    /// no schedule counts from them.
    func variablesForLater(of submission: Submission) -> [String: AnswerValue] {
        var values = Dictionary(planner.study.pipedAnswers(of: submission)) { $1 }
        if planner.study.task(submission.task)?.rest != nil || scheduler.timesOut(submission.task) {
            values[StudyFacts.lastDoneVariable(submission.task)] = .moment(submission.submitted)
        }
        return values
    }

    /// Dates among the answers from which other tasks count.
    func anchors(of submission: Submission) -> [String: AnswerValue] {
        var values: [String: AnswerValue] = [:]
        for anchor in planner.study.anchors?.questions ?? [] where anchor.task == submission.task {
            guard case .dateTime(let date)? = submission.answers[anchor.question] else { continue }
            values[anchor.variable] = .dateTime(date)
        }
        return values
    }

    // MARK: Another version of the study

    /// If the clock was ahead when this version was taken up, the variables by which the version
    /// counts from now instead: otherwise everything that it plans until that future time would be
    /// left out.
    func versionDates(at now: Instant) -> [String: AnswerValue] {
        guard scheduler.clockIsTrusted, let since = scheduler.facts.versionSince, since > now else { return [:] }
        var dates = scheduler.facts.numberings(beginningBy: planner.scheduleContext.zone.local(now))
        dates[StudyFacts.versionVariable] = .moment(now)
        return dates
    }

    /// What is to be noted as `study`, another version, is taken up: new numbers for runs that
    /// cannot go on under theirs, and the end of open prompts that this version does not have.
    func notes(takingUp study: StudyProtocol, at now: Instant) -> [StudyNote] {
        guard study.tasks.contains(where: { $0.schedule.numbersRuns }) else { return [] }
        var next = Planner(study: study, context: context())
        let before = presentPlanner.plan
        let renumbered = next.plan.renumbered(since: before, scheduler.issued, at: now)
        var variables = scheduler.facts.renumbering(renumbered, since: next.scheduleContext.zone.local(now))
        if !variables.isEmpty { variables[StudyFacts.versionVariable] = .moment(now) }
        next.context = context(with: variables)
        let plan = next.plan
        let (openBefore, open) = (before.notOver(at: now), plan.notOver(at: now))
        // The scheduler also holds runs that are open longer than both versions have them: they
        // stay.
        let replaced = scheduler.replaced { occurrence in
            guard plan.tasks[occurrence.task]?.schedule.numbersRuns == true else { return false }
            let hadIt = renumbered.contains(occurrence.task) || openBefore.contains(occurrence.id)
            return hadIt && !open.contains(occurrence.id)
        }
        return replaced.map { StudyNote.concluded($0.occurrence, $0.outcome) }
            + variables.sorted { $0.key < $1.key }.map { StudyNote.row(.variableSet(name: $0.key, value: $0.value)) }
    }

    /// Whether prompt times that the participant had moved are the study's own again, because this
    /// version no longer has them as they were in `old`'s. Tasks that the participant no longer has
    /// do not count.
    func hasDroppedTimes(of old: ParticipantSchedule) -> Bool {
        let kept = presentPlanner.promptTimes
        return old.presentPlanner.promptTimes.contains { time in
            time.isMoved && planner.study.task(time.task).map(planner.fits) ?? false
                && !kept.contains {
                    $0.task == time.task && $0.id == time.id && $0.start == time.start && $0.end == time.end
                }
        }
    }
}
