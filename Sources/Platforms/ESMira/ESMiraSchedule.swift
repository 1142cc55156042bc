// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When a questionnaire is offered and prompted for: `Planner` asks it for the occurrences.
///
/// Two kinds, as the study has it: open only after a prompt (`completableOncePerNotification`),
/// where each prompt is a run until the next one; or open whenever it is active, where prompts only
/// signal.
struct ESMiraSchedule: Schedule, Hashable {
    /// Bounds memory: the most prompts of a questionnaire.
    static let maximum = 20_000

    var span = ESMiraSpan()
    /// The part of the day in which it can be filled out; nil = all day.
    var hours: OpenHours?
    var isByPrompt = false
    /// Used if `isByPrompt`: how long the questionnaire stays open after the last reminder of a prompt;
    /// zero = until the next prompt.
    var openFor = Duration.zero
    var prompts: [ESMiraPrompt] = []
    var triggers: [ESMiraTrigger] = []
    /// Every signal time of the file, with a prompt or without.
    var times: [ESMiraSignalTime] = []

    /// A prompt that has come stays, whatever a new version of the study says.
    var keepsIssuedRuns: Bool { true }
    /// As the app, which plans from now on (`ActionTrigger.save`, `Schedule.scheduleIfNeeded`).
    var startsWithVersion: Bool { true }
    /// After its time it can no longer be taken from the list.
    var closesWithOccurrence: Bool { true }
    /// A prompt that cannot be answered is not given later
    /// (`ActionTrigger.issueInvitationNotification`).
    var waitsWhileLocked: Bool { false }
    /// The app knows the last prompt only.
    var endsWithNextPrompt: Bool { isByPrompt }

    /// All occurrences in order of time: prompts (or offers, while the questionnaire is open) and notices.
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let limits = span.limits(context) else { return [] }
        // What comes at times of the day, and what joining triggers, in order of time.
        let made = prompts.flatMap { prompt in
            planned(signals(prompt, of: task, within: limits, context), context).map { signal, from in
                var made = occurrence(
                    task, "\(prompt.id)/\(signal.id)", signal.due, prompt.action, until: limits.upperBound)
                (made.identity, made.calls.plannedFrom) = (.place, from)
                return made
            }
        }
        let joining = StudyHappening(ESMiraTrigger.joined, at: context.enrolment.instant)
        let all = (made + raised(by: joining, of: task, in: context)).inTimeOrder()
        // Invitations become the questionnaire's runs, or signals beside its offers; notices stay as they are.
        let asked = merged(all.filter { $0.notice == nil })
        let prompts = isByPrompt ? replaced(asked) : offers(of: task, within: limits, context) + asked
        return (prompts + all.filter { $0.notice != nil }).inTimeOrder()
    }

    /// Prompts at the same moment become one, with the reminders of all and the message of the last.
    private func merged(_ all: [Occurrence]) -> [Occurrence] {
        all.reduce(into: []) { result, next in
            guard let last = result.last, last.due == next.due else { return result.append(next) }
            var both = last.expiring([last.expires, next.expires].compactMap(\.self).max())
            both.calls.reminders = Set(last.reminders + next.reminders).sorted()
            // The signal times out after the last reminder of all, or not at all.
            let silence = [last.silentFrom, next.silentFrom].compactMap(\.self).max()
            both.calls.silentFrom = silence.flatMap { $0 < both.reminders.last ?? $0 ? nil : $0 }
            both.calls.message = next.message
            both.calls.plannedFrom = [last.calls.plannedFrom, next.calls.plannedFrom].compactMap(\.self).min()
            result[result.count - 1] = both
        }
    }

    /// Adds the moment at which the app would set the alarm, which `schedule_planned` reports: for all
    /// signals of a day together, when the last one of the day before has come
    /// (`Scheduler.rescheduleFromAlarm`, ESMira-apps f750e58).
    private func planned(_ signals: [DueSignal], _ context: ScheduleContext) -> [(signal: DueSignal, from: Instant)] {
        var (from, last, day) = (context.enrolment.instant, context.enrolment.instant, signals.first?.day)
        return signals.map { signal in
            if signal.day != day { (from, day) = (last, signal.day) }
            last = signal.due.instant
            return (signal, from)
        }
    }

    /// An occurrence that only announces a text: nothing is asked.
    private func notice(
        _ task: StudyTask, _ id: String, _ due: DueTime, _ action: ESMiraAction, _ kind: String
    ) -> Occurrence {
        var result = Occurrence(
            id: "\(task.key)/\(id)", task: task.key, taskIndex: task.index, number: 1, local: due.local,
            due: due.instant, expires: nil, resolution: due.resolution, isHidden: true)
        // The id must not be a number: the greatest number among all message ids is sent to the server as
        // the time of its last message (`msgTimestamp`).
        let record = StudyMessage(id: "study-\(id)", title: "", text: action.message, date: due.instant).record
        result.purpose = .notice(
            StudyNotice(kind: kind, text: action.message, record: kind == ESMiraAction.message ? record : nil))
        return result
    }

    /// What an event triggers: an invitation that a script asked for, or the actions of `triggers` that
    /// listen to it.
    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let limits = span.limits(context) else { return [] }
        if let action = ESMiraTrigger.called(happening, own: task.key) {
            guard limits.contains(happening.moment) else { return [] }
            let id = "script@\(happening.moment.milliseconds)"
            let due = DueTime(happening.moment, in: context.zone)
            return [occurrence(task, id, due, action, until: limits.upperBound)]
        }
        return triggers.filter { $0.listens(to: happening, own: task.key) }.compactMap { trigger in
            // All actions of a trigger happen at the same moment.
            let label = "trigger \(task.key)/\(trigger.event)/\(happening.variable)"
            var generator = context.chance.generator(for: label)
            let due = happening.moment + trigger.delay(using: &generator)
            guard limits.contains(due), !trigger.isOverAtOnce(due, happening, own: task.key) else { return nil }
            let id = "\(trigger.id)@\(happening.moment.milliseconds)"
            var raised = occurrence(
                task, id, DueTime(due, in: context.zone), trigger.action, until: limits.upperBound)
            raised.identity = .event
            // A trigger without a delay sets no alarm in the app (`EventTrigger.triggerCheck`).
            raised.calls.plannedFrom = due > happening.moment ? happening.moment : nil
            return raised
        }
    }

    /// One signal of one day, with its time.
    struct DueSignal {
        /// `DAY.INDEX`: days since joining, and its index among the day's signals. A new version of the study
        /// with other days leaves it the same.
        let id: String
        let day: LocalDate
        let due: DueTime
    }

    /// The signals of a prompt within `limits`, day by day, at the times that the participant has moved
    /// them to.
    func signals(
        _ prompt: ESMiraPrompt, of task: StudyTask, within limits: ClosedRange<Instant>, _ context: ScheduleContext
    ) -> [DueSignal] {
        // Days are counted in the zone of the enrolment: the id of a prompt must not change when
        // the zone of the wall clock does.
        let home = context.inZone(of: .enrolment)
        let days =
            span.limits(home).map {
                prompt.cycle.days(at: prompt.signal.window.start, within: $0, from: span.start, home)
            } ?? []
        let time = times.first { $0.id == prompt.time }
        let moves = time?.moves(task.key, context.facts)[...] ?? []
        // The signal that holds on the day, nil where a move leaves none; and the moves of later days.
        var (signal, left): (ESMiraSignal?, ArraySlice<ESMiraMove>) = (prompt.signal, moves)
        let joined = context.enrolment.local.date.daysSinceEpoch
        return days.prefix(Self.maximum / prompt.signal.frequency).flatMap { day in
            while let move = left.first, move.day <= day.daysSinceEpoch, let time {
                signal = self.signal(time, move.window)
                signal?.isFixed = prompt.signal.isFixed
                left = left.dropFirst()
            }
            guard let today = signal else { return [DueSignal]() }
            // All actions of a trigger happen at the same moments.
            let label = "signal \(task.key)/\(prompt.time)/\(day.daysSinceEpoch)"
            let generator = context.chance.generator(for: label)
            if today.isFixed {
                signal = today.times(on: day, in: home.zone, generator).last.map { ESMiraSignal(at: $0.local, of: day) }
            }
            let number = day.daysSinceEpoch - joined
            return today.times(on: day, in: context.zone, generator).enumerated().map {
                DueSignal(id: "\(number).\($0)", day: day, due: $1)
            }
        }.filter { $0.due.instant <= limits.upperBound }
    }

    private func occurrence(
        _ task: StudyTask, _ id: String, _ due: DueTime, _ action: ESMiraAction, until last: Instant
    ) -> Occurrence {
        if let kind = action.notice { return notice(task, id, due, action, kind) }
        let end = due.instant + action.reminderDelay * action.reminders
        // Reminders after `last` are not given. The signal times out after the last reminder only, so not at all
        // if that one is not given.
        let silence = action.timeout > .zero && end <= last ? end + action.timeout : nil
        let closes = min(last, openFor > .zero ? end + openFor : last)
        var result = Occurrence(
            id: "\(task.key)/\(id)", task: task.key, taskIndex: task.index, number: 1, local: due.local,
            due: due.instant, expires: isByPrompt ? closes : nil, resolution: due.resolution, isHidden: !isByPrompt)
        result.calls.reminders = (0..<action.reminders).map { due.instant + action.reminderDelay * ($0 + 1) }.filter {
            $0 <= last
        }
        result.calls.silentFrom = silence
        if isByPrompt, openFor > .zero { result.calls.openFor = openFor }
        result.calls.message = action.message == task.prompt.message ? nil : action.message
        return result
    }

    /// Each prompt expires when the next one comes.
    private func replaced(_ all: [Occurrence]) -> [Occurrence] {
        zip(all, all.dropFirst().map(\.due) + [nil]).map { own, next in
            guard let next, own.expires.map({ next < $0 }) ?? true, next > own.due else { return own }
            return own.expiring(next)
        }
    }

    /// When the questionnaire is in the list: from the first moment to the last, or for `hours` each day.
    private func offers(
        of task: StudyTask, within limits: ClosedRange<Instant>, _ context: ScheduleContext
    ) -> [Occurrence] {
        func offer(_ id: Int, _ from: Instant, _ until: Instant) -> Occurrence {
            var offer = Occurrence(
                id: "\(task.key)/open/\(id)", task: task.key, taskIndex: task.index, number: 1,
                local: context.zone.local(from), due: from, expires: until, isSignalled: false)
            offer.purpose = .offer
            return offer
        }
        guard let hours else { return [offer(0, limits.lowerBound, limits.upperBound)] }
        let first = context.enrolment.zone.local(limits.lowerBound).date.adding(days: -1)
        let count = context.zone.local(limits.upperBound).date.daysSinceEpoch - first.daysSinceEpoch
        // Ids count days from joining, as those of prompts do: a new version of the study that starts on
        // another day leaves the id of every day the same.
        let shift = first.daysSinceEpoch - context.enrolment.local.date.daysSinceEpoch + 1
        return (0...count).compactMap { number in
            let day = first.adding(days: number)
            guard context.zone.has(day) else { return nil }
            let open = hours.span(on: day, in: context.zone)
            let (from, until) = (max(open.lowerBound, limits.lowerBound), min(open.upperBound, limits.upperBound))
            return from < until ? offer(number + shift, from, until) : nil
        }
    }
}
