// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

@testable import PlatformESMira

/// A row of the table in docs/esmira.md of what differs from the phones: which studies it touches.
enum AppDifference: String, CaseIterable {
    /// Reminders and time-outs of a prompt end with the next prompt.
    case overlappingSignals
    /// Several invitations at one moment are one prompt.
    case oneAtAMoment
    /// A time that had passed at joining is signalled once, and its reminders count from its own time.
    case passedAtJoining
    /// A window over midnight counts by the day on which it began.
    case overMidnight
    /// Days, weekdays and times of day are local.
    case localDays
    /// An invitation that a questionnaire raises for itself at once is not given.
    case raisedByItself
    /// Completing a questionnaire near its end does not begin its schedule again.
    case beganAgain

    /// Those that change no prompt of a participant who never answers.
    static let ofSignalsAlone: Set = [overlappingSignals, oneAtAMoment, passedAtJoining, raisedByItself, beganAgain]

    static func known(_ study: StudyProtocol, _ context: ScheduleContext, until end: Instant) -> Set<AppDifference> {
        var all: Set<AppDifference> = []
        let zone = context.zone
        let joined = context.enrolment.instant
        let firstDay = zone.resolve(context.enrolment.local.date.at(millisecond: 0)).instant
        let isShifted = zone.period(at: firstDay).offset != zone.period(at: end + .seconds(86_400)).offset
        for task in study.tasks {
            guard let schedule = task.schedule as? ESMiraSchedule else { continue }
            let own = StudyHappening(.submitted, task: task.key, at: joined)
            if schedule.triggers.contains(where: { $0.delayTo == 0 && $0.listens(to: own, own: task.key) }) {
                all.insert(.raisedByItself)
            }
            let asked = schedule.prompts.filter { $0.action.notice == nil }
            let raised = schedule.triggers.filter { $0.action.notice == nil }
            let places = asked.map(\.time) + raised.map(\.place)
            if Set(places).count < places.count { all.insert(.oneAtAMoment) }
            for prompt in schedule.prompts {
                if prompt.signal.window.end > ESMiraDayWindow.day { all.insert(.overMidnight) }
                let isByDay = prompt.cycle.weekdays != 0 || prompt.cycle.dayOfMonth != 0
                if isByDay, zone.period(at: joined).offset != 0 { all.insert(.localDays) }
                if !prompt.cycle.startsDayOne, !prompt.cycle.skipsFirst, !prompt.cycle.countsHours {
                    let local = context.enrolment.local.time.nanoseconds / 1_000_000
                    if prompt.signal.window.start < local { all.insert(.passedAtJoining) }
                }
            }
            if isShifted { all.insert(.localDays) }
            if let limits = schedule.span.limits(context), limits.upperBound < end + .seconds(8 * 86_400) {
                all.insert(.beganAgain)
            }
        }
        return all
    }
}
