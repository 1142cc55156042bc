// SPDX-License-Identifier: Apache-2.0
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

    /// What was given out stays, whatever a new version of the study says.
    var keepsIssuedRuns: Bool { true }
    /// Its time over, it can no longer be taken from the list.
    var closesWithOccurrence: Bool { true }

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let limits = span.limits(context) else { return [] }
        let made = prompts.flatMap { prompt in
            times(prompt, of: task, within: limits, context).map { id, due in
                occurrence(task, "\(prompt.id)/\(id)", due, prompt.action, until: limits.upperBound, context)
            }
        }
        let joined = StudyHappening(ESMiraTrigger.joined, at: context.enrolment.instant)
        let all = (made + raised(by: joined, of: task, in: context)).enumerated().sorted {
            ($0.element.due, $0.offset) < ($1.element.due, $1.offset)
        }.map(\.element)
        return isByPrompt ? replaced(all) : offers(of: task, within: limits, context) + all
    }

    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let limits = span.limits(context) else { return [] }
        return triggers.filter { $0.listens(to: happening, own: task.key) }.compactMap { trigger in
            var generator = context.chance.generator(for: "trigger \(task.key)/\(trigger.id)/\(happening.variable)")
            let due = happening.moment + trigger.delay(using: &generator)
            let isOpen = window?.contains(context.zone.local(due).time) ?? true
            guard isOpen, limits.contains(due) else { return nil }
            let id = "\(trigger.id)@\(happening.moment.milliseconds)"
            return occurrence(task, id, context.zone.local(due), trigger.action, until: limits.upperBound, context)
        }
    }

    private func times(
        _ prompt: ESMiraPrompt, of task: StudyTask, within limits: ClosedRange<Instant>, _ context: ScheduleContext
    ) -> [(String, LocalDateTime)] {
        let days = prompt.cycle.days(at: prompt.signal.window.start, within: limits, context)
        var first: [Int]?
        return days.prefix(Self.maximum / prompt.signal.frequency).enumerated().flatMap { index, day in
            var generator = context.chance.generator(for: "signal \(task.key)/\(prompt.id)/\(index)")
            var times = first ?? prompt.signal.times(using: &generator)
            if prompt.signal.isFixed { first = times.last.map { [$0] } }
            if index == 0 { times = times.map { $0 } }
            return times.enumerated().map { ("\(index).\($0)", day.at(millisecond: $1)) }
        }.filter { context.zone.resolve($0.1).instant <= limits.upperBound }
    }

    private func occurrence(
        _ task: StudyTask, _ id: String, _ local: LocalDateTime, _ action: ESMiraAction, until last: Instant,
        _ context: ScheduleContext
    ) -> Occurrence {
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
            return cut
        }
    }

    /// When it stands in the list: from the first moment to the last, or on each day for its part of it.
    private func offers(
        of task: StudyTask, within limits: ClosedRange<Instant>, _ context: ScheduleContext
    ) -> [Occurrence] {
        func offer(_ id: Int, _ from: Instant, _ until: Instant) -> Occurrence {
            Occurrence(
                id: "\(task.key)/open/\(id)", task: task.key, taskIndex: task.index, number: 1,
                local: context.zone.local(from), due: from, expires: until, isSignalled: false)
        }
        guard let window else { return [offer(0, limits.lowerBound, limits.upperBound)] }
        let first = context.zone.local(limits.lowerBound).date.adding(days: -1)
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
