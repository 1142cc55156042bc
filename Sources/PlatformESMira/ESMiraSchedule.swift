// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import StudyModel
import Times

/// When a questionnaire is offered and prompted for.
///
/// Two kinds, as the study has it: open only after a prompt (`completableOncePerNotification`), where each prompt is a run of its own until the next
/// one; or open whenever it is active, where prompts only signal.
struct ESMiraSchedule: Schedule, Hashable {
    /// More prompts than a device should hold.
    static let maximum = 20_000

    var span = ESMiraSpan()
    /// It is open in this part of the day only.
    var window: ESMiraDayWindow?
    var isByPrompt = false
    /// Of one that is open only after a prompt: for so long after its last signal; zero = until the next.
    var openFor = Duration.zero
    var prompts: [ESMiraPrompt] = []
    var triggers: [ESMiraTrigger] = []
    /// Every signal time of the file, with a prompt or without.
    var times: [ESMiraTime] = []

    /// What was given out stays, whatever a new version of the study says.
    var keepsIssuedRuns: Bool { true }
    /// Its time over, it can no longer be taken from the list.
    var closesWithOccurrence: Bool { true }

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let limits = span.limits(context) else { return [] }
        let made = prompts.flatMap { prompt in
            planned(signals(prompt, of: task, within: limits, context), context).map { signal, from in
                var made = occurrence(
                    task, "\(prompt.id)/\(signal.id)", signal.local, prompt.action, until: limits.upperBound, context)
                made.plannedFrom = from
                return made
            }
        }
        let joined = StudyHappening(ESMiraTrigger.joined, at: context.enrolment.instant)
        let all = (made + raised(by: joined, of: task, in: context)).enumerated().sorted {
            ($0.element.due, $0.offset) < ($1.element.due, $1.offset)
        }.map(\.element)
        guard isByPrompt else { return offers(of: task, within: limits, context) + all }
        let told = all.filter { $0.notice != nil }
        return (replaced(all.filter { $0.notice == nil }) + told).enumerated().sorted {
            ($0.element.due, $0.offset) < ($1.element.due, $1.offset)
        }.map(\.element)
    }

    /// With when the app sets the alarm of each: those of a day together, once the last of the day before has come (`Scheduler.rescheduleFromAlarm`,
    /// ESMira-apps f750e58).
    private func planned(_ signals: [Due], _ context: ScheduleContext) -> [(signal: Due, from: Instant)] {
        var (from, last, day) = (context.enrolment.instant, context.enrolment.instant, signals.first?.day)
        return signals.map { signal in
            if signal.day != day { (from, day) = (last, signal.day) }
            last = context.zone.resolve(signal.local).instant
            return (signal, from)
        }
    }

    private func notice(
        _ task: StudyTask, _ id: String, _ local: LocalDateTime, _ action: ESMiraAction, _ kind: String,
        _ context: ScheduleContext
    ) -> Occurrence {
        let (due, resolution) = context.zone.resolve(local)
        var result = Occurrence(
            id: "\(task.key)/\(id)", task: task.key, taskIndex: task.index, number: 1, local: local, due: due,
            expires: nil, resolution: resolution, isHidden: true)
        // No number of the server's, from which it would count what is new.
        let record = StudyMessage(id: "study-\(id)", title: "", text: action.message, date: due).record
        result.notice = StudyNotice(
            kind: kind, text: action.message, record: kind == ESMiraAction.message ? record : nil)
        return result
    }

    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let limits = span.limits(context) else { return [] }
        if let action = ESMiraTrigger.called(happening, own: task.key) {
            let local = context.zone.local(happening.moment)
            guard window?.contains(local.time) ?? true, limits.contains(happening.moment) else { return [] }
            let id = "script@\(happening.moment.milliseconds)"
            return [occurrence(task, id, local, action, until: limits.upperBound, context)]
        }
        return triggers.filter { $0.listens(to: happening, own: task.key) }.compactMap { trigger in
            var generator = context.chance.generator(for: "trigger \(task.key)/\(trigger.id)/\(happening.variable)")
            let due = happening.moment + trigger.delay(using: &generator)
            let isOpen = window?.contains(context.zone.local(due).time) ?? true
            guard isOpen, limits.contains(due) else { return nil }
            let id = "\(trigger.id)@\(happening.moment.milliseconds)"
            let local = context.zone.local(due)
            var raised = occurrence(task, id, local, trigger.action, until: limits.upperBound, context)
            // What comes at once has no alarm (`EventTrigger.triggerCheck`).
            raised.plannedFrom = due > happening.moment ? happening.moment : nil
            return raised
        }
    }

    /// When a prompt comes: of which day it is, and what it is called among those of its schedule.
    struct Due {
        let id: String
        let day: LocalDate
        let local: LocalDateTime
    }

    func signals(
        _ prompt: ESMiraPrompt, of task: StudyTask, within limits: ClosedRange<Instant>, _ context: ScheduleContext
    ) -> [Due] {
        // Days are counted in the zone of the enrolment: what a prompt is called does not change with the wall clock's.
        let home = context.read(in: .enrolment)
        let days = span.limits(home).map { prompt.cycle.days(at: prompt.signal.window.start, within: $0, home) } ?? []
        let time = times.first { $0.id == prompt.time }
        let moves = time?.moves(task.key, context.facts)[...] ?? []
        var (signal, left): (ESMiraSignal?, ArraySlice<ESMiraMove>) = (prompt.signal, moves)
        var first: [Int]?
        return days.prefix(Self.maximum / prompt.signal.frequency).enumerated().flatMap { index, day in
            while let move = left.first, move.day <= day.daysSinceEpoch, let time {
                signal = self.signal(time, move.moment)
                signal?.isFixed = prompt.signal.isFixed
                left = left.dropFirst()
                first = nil
            }
            guard let signal else { return [Due]() }
            var generator = context.chance.generator(for: "signal \(task.key)/\(prompt.id)/\(index)")
            let times = first ?? signal.times(using: &generator)
            if signal.isFixed { first = times.last.map { [$0] } }
            return times.enumerated().map { Due(id: "\(index).\($0)", day: day, local: day.at(millisecond: $1)) }
        }.filter { context.zone.resolve($0.local).instant <= limits.upperBound }
    }

    private func occurrence(
        _ task: StudyTask, _ id: String, _ local: LocalDateTime, _ action: ESMiraAction, until last: Instant,
        _ context: ScheduleContext
    ) -> Occurrence {
        if let kind = action.notice { return notice(task, id, local, action, kind, context) }
        let (due, resolution) = context.zone.resolve(local)
        let end = due + action.reminderDelay * action.reminders
        let silence = action.timeout > .zero ? end + action.timeout : nil
        let closes = min(last, openFor > .zero ? end + openFor : last)
        var result = Occurrence(
            id: "\(task.key)/\(id)", task: task.key, taskIndex: task.index, number: 1, local: local, due: due,
            expires: isByPrompt ? closes : nil, resolution: resolution, isHidden: !isByPrompt)
        result.reminders = action.reminders == 0 ? [] : (1...action.reminders).map { due + action.reminderDelay * $0 }
        result.silentFrom = silence
        result.message = action.message == task.prompt.message ? nil : action.message
        return result
    }

    /// A prompt takes the place of the one before.
    private func replaced(_ all: [Occurrence]) -> [Occurrence] {
        zip(all, all.dropFirst().map(\.due) + [nil]).map { own, next in
            guard let next, own.expires.map({ next < $0 }) ?? true, next > own.due else { return own }
            var cut = Occurrence(
                id: own.id, task: own.task, taskIndex: own.taskIndex, number: own.number, local: own.local,
                due: own.due, expires: next, resolution: own.resolution, isHidden: own.isHidden)
            cut.reminders = own.reminders
            cut.message = own.message
            cut.silentFrom = own.silentFrom
            cut.plannedFrom = own.plannedFrom
            return cut
        }
    }

    /// When it stands in the list: from the first moment to the last, or on each day for its part of it.
    private func offers(
        of task: StudyTask, within limits: ClosedRange<Instant>, _ context: ScheduleContext
    ) -> [Occurrence] {
        func offer(_ id: Int, _ from: Instant, _ until: Instant) -> Occurrence {
            var offer = Occurrence(
                id: "\(task.key)/open/\(id)", task: task.key, taskIndex: task.index, number: 1,
                local: context.zone.local(from), due: from, expires: until, isSignalled: false)
            offer.isOffer = true
            return offer
        }
        guard let window else { return [offer(0, limits.lowerBound, limits.upperBound)] }
        let first = context.enrolment.zone.local(limits.lowerBound).date.adding(days: -1)
        let count = context.zone.local(limits.upperBound).date.daysSinceEpoch - first.daysSinceEpoch
        return (0...count).compactMap { number in
            let day = first.adding(days: number)
            let from = max(context.zone.resolve(day.at(millisecond: window.start)).instant, limits.lowerBound)
            let until = min(context.zone.resolve(day.at(millisecond: window.end)).instant, limits.upperBound)
            return from < until ? offer(number, from, until) : nil
        }
    }
}

/// What is done when a schedule or an event comes to it: an invitation, with its reminders.
struct ESMiraAction: Sendable, Hashable {
    /// `message` and `notification` are only told; nil = an invitation.
    var notice: String?
    /// Into the app's inbox; kept.
    static let message = "message"
    /// Told, and not kept.
    static let notification = "notification"
    /// As plain text.
    let message: String
    /// After the last signal; zero = the signal stays.
    var timeout = Duration.zero
    var reminders = 0
    var reminderDelay = Duration.seconds(300)
}

/// An action at times of the day.
struct ESMiraPrompt: Sendable, Hashable {
    /// Its places in the study's file: `0.0.1`.
    let id: String
    let action: ESMiraAction
    let cycle: ESMiraCycle
    let signal: ESMiraSignal
    /// The signal time it comes from.
    let time: String
}

/// An action because of something that happened.
struct ESMiraTrigger: Sendable, Hashable {
    /// Its places in the study's file.
    let id: String
    let action: ESMiraAction
    let cue: StudyHappening.Name
    /// Evenly drawn from these seconds.
    let delay: ClosedRange<Int>
    /// Only what happens to other questionnaires counts.
    var skipsOwn = false
    /// Only what happens to that one counts.
    var specific: String?

    /// Known from the enrolment itself, so that it is raised by every plan.
    static let joined = StudyHappening.Name(rawValue: "joined")

    private static let callHead = "script."

    /// A script asks for a questionnaire: what it says stands in the name of what happened.
    static func call(_ id: Int, _ message: String, minutes: Int, at now: Instant) -> StudyHappening {
        let text = String(message.prefix(500).map { $0 == "/" ? "\u{2215}" : $0 })
        return StudyHappening(.init(rawValue: "\(callHead)\(minutes).\(text)"), task: String(id), at: now)
    }

    /// The action that a script asks of that questionnaire; nil where that is not what happened.
    static func called(_ happening: StudyHappening, own: String) -> ESMiraAction? {
        guard happening.task == own, happening.name.rawValue.hasPrefix(callHead) else { return nil }
        let parts = happening.name.rawValue.dropFirst(callHead.count).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let minutes = Int(parts[0]) else { return nil }
        return ESMiraAction(message: PlainText(html: String(parts[1])).text, timeout: .seconds(60 * max(0, minutes)))
    }

    func listens(to happening: StudyHappening, own: String) -> Bool {
        guard happening.name == cue else { return false }
        if let specific { return happening.task == specific }
        return !skipsOwn || happening.task != own
    }

    func delay(using generator: inout SplitMix64) -> Duration {
        let spread = delay.upperBound - delay.lowerBound
        return .seconds(delay.lowerBound + (spread > 0 ? generator.below(spread) : 0))
    }
}
