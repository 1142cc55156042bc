// SPDX-License-Identifier: Apache-2.0
import Base
import Study

@testable import PlatformESMira

/// A row of the table in docs/esmira.md of what differs from the phones: which studies it touches.
enum AppDifference: String, CaseIterable {
    /// Reminders and time-outs of a prompt end with the next prompt.
    case overlappingSignals
    /// Several invitations at one moment are one prompt.
    case oneAtAMoment
    /// A time that had passed at joining is signalled once, and its reminders count
    /// from its own time.
    case passedAtJoining
    /// A window over midnight counts by the day on which it began.
    case overMidnight
    /// Days, weekdays and times of day are local.
    case localDays
    /// An invitation that a questionnaire raises for itself at once is not given.
    case raisedByItself
    /// Completing a questionnaire near its end does not begin its schedule again.
    case beganAgain

    /// Which rows touch a study, and what of its way each can make otherwise.
    static func known(_ study: StudyProtocol, _ context: ScheduleContext, until end: Instant) -> [AppExplanation] {
        var all: [AppExplanation] = []
        let joined = context.enrolment.instant
        // The app counts from the midnight before joining.
        let midnight = context.zone.resolve(context.enrolment.local.date.at(millisecond: 0)).instant
        if let change = clockChange(context.zone, from: midnight, to: end + .seconds(86_400)) {
            all.append(AppExplanation(.localDays, from: change - joined))
        }
        for task in study.tasks {
            guard let schedule = task.schedule as? ESMiraSchedule else { continue }
            let own = StudyHappening(.submitted, task: task.key, at: joined)
            if schedule.triggers.contains(where: { $0.delayTo == 0 && $0.listens(to: own, own: task.key) }) {
                all.append(AppExplanation(.raisedByItself))
            }
            let asked = schedule.prompts.filter { $0.action.notice == nil }
            let raised = schedule.triggers.filter { $0.action.notice == nil }
            let places = asked.map(\.time) + raised.map(\.event)
            if Set(places).count < places.count { all.append(AppExplanation(.oneAtAMoment)) }
            for prompt in schedule.prompts { all += known(prompt, of: task.key, context) }
            if let limits = schedule.span.limits(context), limits.upperBound < end + .seconds(8 * 86_400) {
                all.append(AppExplanation(.beganAgain, task: task.key))
            }
        }
        return all
    }

    private static func known(
        _ prompt: ESMiraPrompt, of task: String, _ context: ScheduleContext
    ) -> [AppExplanation] {
        var all: [AppExplanation] = []
        let local = context.enrolment.local.time.nanoseconds / 1_000_000
        let start = prompt.signal.window.start
        if prompt.signal.window.end > ESMiraDayWindow.day { all.append(AppExplanation(.overMidnight)) }
        let isByDay = prompt.cycle.weekdays != 0 || prompt.cycle.dayOfMonth != 0
        // Another day in UTC than by the wall clock.
        let offset = Int64(context.zone.period(at: context.enrolment.instant).offset) * 1_000
        let isElsewhere = [Int64(local), Int64(start)].contains { !(0..<86_400_000).contains($0 - offset) }
        if isByDay, isElsewhere { all.append(AppExplanation(.localDays, task: task)) }
        if !prompt.cycle.startsDayOne, !prompt.cycle.skipsFirst, !prompt.cycle.countsHours, start < local {
            // Three reminders an hour apart and a time-out of ninety minutes, the
            // most that is drawn.
            all.append(AppExplanation(.passedAtJoining, task: task, until: .seconds(16_200)))
        }
        return all
    }

    private static func clockChange(_ zone: Zone, from start: Instant, to end: Instant) -> Instant? {
        let offset = zone.period(at: start).offset
        guard zone.period(at: end).offset != offset else { return nil }
        var (low, high) = (start, end)
        while high - low > .seconds(1) {
            let middle = low + (high - low) / 2
            if zone.period(at: middle).offset == offset { low = middle } else { high = middle }
        }
        return low
    }

    /// What is otherwise begins with something that a row explains. Where there is no answer and
    /// nothing is raised, so that nothing can follow from it, all of it is explained.
    static func explains(
        _ rows: [AppExplanation], _ habit: AppStudy.Habit, raises: Bool, _ ours: Set<String>, _ theirs: Set<String>?
    ) -> Bool {
        guard let theirs, ours != theirs else { return ours == theirs || !rows.isEmpty }
        let all = ours.symmetricDifference(theirs).map { AppEvent($0, isAppsAlone: theirs.contains($0)) }
        let others = all.filter { own in !all.contains { $0.isTheSame(as: own) } }
        if others.isEmpty { return true }
        let filled = ours.union(theirs).map { AppEvent($0) }.filter { $0.kind == "q" }
        let isExplained = { (event: AppEvent) in rows.contains { $0.explains(event, filled) } }
        if habit == .never, !raises { return others.allSatisfy(isExplained) }
        let first = others.map(\.time).min()
        return others.filter { $0.time == first }.contains(where: isExplained)
    }
}

/// That a row of the table touches a study, and what of its way can be otherwise for it: of which
/// questionnaire, from when until when after joining. The first that is otherwise has to be that;
/// what comes later may follow from it.
struct AppExplanation {
    let difference: AppDifference
    private let task: String?
    private let from: Duration
    private let until: Duration

    init(_ difference: AppDifference, task: String? = nil, from: Duration = .zero, until: Duration = .seconds(.max / 2))
    {
        (self.difference, self.task, self.from, self.until) = (difference, task, from, until)
    }

    func explains(_ event: AppEvent, _ filled: [AppEvent]) -> Bool {
        guard task.map({ $0 == event.task }) ?? true, event.time >= from, event.time <= until else { return false }
        guard difference == .beganAgain else { return true }
        // The app alone has more, once it was filled out.
        return event.isAppsAlone && filled.contains { $0.task == event.task && $0.time <= event.time }
    }
}

/// `i50001@100/90`.
struct AppEvent {
    let kind: Character
    let task: String
    /// Since joining.
    let time: Duration
    let isAppsAlone: Bool

    /// A fixed random time that had passed at joining is cut to the second by the app
    /// (`Scheduler.rescheduleFromSignalTime`).
    func isTheSame(as other: AppEvent) -> Bool {
        isAppsAlone != other.isAppsAlone && kind == other.kind && task == other.task
            && (time - other.time) < .seconds(1) && (other.time - time) < .seconds(1)
    }

    init(_ text: String, isAppsAlone: Bool = false) {
        let parts = text.split { $0 == "@" || $0 == "/" }
        kind = text.first ?? " "
        task = String(parts[0].dropFirst())
        time = .milliseconds(Int64(parts[1]) ?? 0)
        self.isAppsAlone = isAppsAlone
    }
}
