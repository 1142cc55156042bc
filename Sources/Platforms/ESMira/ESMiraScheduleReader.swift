// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads when a questionnaire is offered and prompted for: `ESMiraQuestionnaireReader` calls `schedule` once, then
/// takes `findings` and `saysDays` back. A trigger has actions, and schedules or events at which all of them happen.
struct ESMiraScheduleReader {
    /// The study's `legacyScheduling`: delays count in stretches of 24 hours.
    let isLegacy: Bool
    /// `findings` already say that days are local ones, which is said once for a study.
    private(set) var saysDays: Bool
    private(set) var findings: Findings

    /// The app's events that happen here, by the names of `DataSet.EventTypes`.
    private static let cues: [String: StudyHappening.Name] = [
        "joined": ESMiraTrigger.joined, "questionnaire": .submitted, "invitation": .prompted, "reminder": .reminded,
        "invitation_missed": .unanswered, "study_message": .message, "study_updated": .updated,
        "schedule_changed": .timesMoved, "message": .noticed(ESMiraAction.message),
        "notification": .noticed(ESMiraAction.notification),
    ]
    /// The names in `cues` of events that prompts themselves cause.
    private static let signals: Set<String> = [
        "invitation", "reminder", "invitation_missed", "message", "notification",
    ]

    mutating func schedule(_ place: JSONPlace, span: ESMiraSpan) -> ESMiraSchedule {
        var schedule = ESMiraSchedule()
        schedule.span = span
        if span.end == nil, span.periodDays == 0 {
            findings.assume("without an end: \(ESMiraSpan.horizon) days from joining are planned", at: place)
        } else if span.periodDays > ESMiraSpan.longest {
            findings.assume("only \(ESMiraSpan.longest) days from joining are planned", at: place)
        }
        schedule.hours = hours(place)
        schedule.isByPrompt = findings.flag("completableOncePerNotification", in: place)
        let minutes = findings.number("completableMinutesAfterNotification", 0...1_000_000, in: place, default: 0)
        schedule.openFor = .seconds(60 * minutes)
        for (index, trigger) in findings.list("actionTriggers", of: "action triggers", in: place).enumerated() {
            let actions = actions(trigger, number: index)
            prompts(trigger, number: index, actions, into: &schedule)
            events(trigger, number: index, actions, into: &schedule)
        }
        let asks = (schedule.prompts.map(\.action) + schedule.triggers.map(\.action)).contains { $0.notice == nil }
        if schedule.isByPrompt, !asks {
            findings.warn(
                "it can be filled out only after a prompt, and has none that is given here: it can never be filled out",
                for: "completableOncePerNotification", in: place)
        }
        return schedule
    }

    private mutating func hours(_ place: JSONPlace) -> OpenHours? {
        guard findings.flag("completableAtSpecificTime", in: place) else { return nil }
        let start = findings.number("completableAtSpecificTimeStart", -1...86_400_000, in: place, default: -1)
        let end = findings.number("completableAtSpecificTimeEnd", -1...86_400_000, in: place, default: -1)
        return OpenHours(start: max(0, start), end: end < 0 ? ESMiraDayWindow.day : end)
    }

    /// The actions of a trigger, each with its indices in the file as `id`.
    private mutating func actions(_ trigger: JSONPlace, number index: Int) -> [(id: String, action: ESMiraAction)] {
        findings.list("actions", of: "actions", in: trigger).enumerated().compactMap { position, place in
            let type = findings.number("type", 0...1_000, in: place, default: 1)
            let message = findings.plain("msgText", in: place)
            if type == 2 || type == 3 {
                let kind = type == 2 ? ESMiraAction.message : ESMiraAction.notification
                return ("\(index).\(position)", ESMiraAction(notice: kind, message: message))
            }
            guard type == 1 else {
                if type != 0 {
                    findings.warn("the app knows no action of type \(type)", for: "type", in: place)
                }
                return nil
            }
            let given = findings.number("reminder_count", 0...1_000_000, in: place, default: 0)
            let reminders = min(given, ESMiraAction.mostReminders)
            if reminders < given {
                findings.assume("only \(reminders) reminders are given", for: "reminder_count", in: place)
            }
            let delay = findings.number("reminder_delay_minu", 0...100_000, in: place, default: 5)
            if delay == 0, reminders > 0 {
                findings.warn(
                    "no reminders: without a delay they would come together with the invitation",
                    for: "reminder_delay_minu", in: place)
            }
            return (
                "\(index).\(position)",
                ESMiraAction(
                    message: message,
                    timeout: .seconds(60 * findings.number("timeout", 0...1_000_000, in: place, default: 0)),
                    reminders: delay == 0 ? 0 : reminders, reminderDelay: .seconds(60 * delay))
            )
        }
    }

    private mutating func prompts(
        _ place: JSONPlace, number trigger: Int, _ actions: [(id: String, action: ESMiraAction)],
        into schedule: inout ESMiraSchedule
    ) {
        let fingerprint = ESMiraScheduleFingerprint.text(of: place.member("schedules")?.node)
        for (index, place) in findings.list("schedules", of: "schedules", in: place).enumerated() {
            let cycle = ESMiraCycle(
                rate: max(1, findings.number("dailyRepeatRate", 0...36_500, in: place, default: 1)),
                weekdays: findings.number("weekdays", 0...127, in: place, default: 0),
                dayOfMonth: findings.number("dayOfMonth", 0...31, in: place, default: 0),
                skipsFirst: findings.flag("skipFirstInLoop", in: place),
                startsDayOne: findings.flag("startDayOne", in: place, default: true), countsHours: isLegacy)
            if place.member("startDayOne") == nil {
                findings.assume(
                    "the first prompt comes on the day after joining, as in the app from 2.22 on; older apps and the editor's preview begin on the same day",
                    at: place)
            }
            remarkDays(place, cycle)
            let isEditable = findings.flag("userEditable", in: place, default: true)
            for (number, time) in findings.list("signalTimes", of: "signal times", in: place).enumerated() {
                let read = Self.time(time, "\(trigger).\(index).\(number)", cycle, isEditable, fingerprint)
                schedule.times.append(read)
                guard let signal = signal(time, within: schedule.hours) else { continue }
                schedule.prompts += actions.map { id, action in
                    ESMiraPrompt(
                        id: "\(id).\(index).\(number)", action: action, cycle: cycle, signal: signal, time: read.id)
                }
            }
        }
    }

    /// Remarks where days differ from the app's; what holds for all schedules is said once.
    private mutating func remarkDays(_ place: JSONPlace, _ cycle: ESMiraCycle) {
        if !saysDays {
            saysDays = true
            findings.assume(
                "days, weekdays and times of day are local, here and in all schedules; the app counts days in UTC and as 24 hours each, so that it may be an hour off after the clocks were set, or take the neighbouring weekday near midnight",
                at: place)
        }
        if cycle.dayOfMonth > 28 {
            findings.assume(
                "a month without a day \(cycle.dayOfMonth) is passed over; the app goes on to the first days of the next month",
                for: "dayOfMonth", in: place)
        }
    }

    /// The signal time as the participant may move it. What is out of range is cut here, and refused by
    /// `signal`, which reads the same keys with findings.
    private static func time(
        _ place: JSONPlace, _ id: String, _ cycle: ESMiraCycle, _ isEditable: Bool, _ fingerprint: String
    ) -> ESMiraSignalTime {
        func whole(_ key: String, _ usual: Int, from least: Int = 0) -> Int {
            let given = place.member(key).flatMap { $0.integer ?? Int($0.text ?? "") }
            return min(max(given ?? usual, least), 172_800_000)
        }
        func clock(_ key: String) -> Int { Self.timeOfDay(whole(key, 0, from: -1)) }
        let isRandom = if case .boolean(true)? = place.member("random")?.node.content { true } else { false }
        let start = clock("startTimeOfDay")
        let frequency = isRandom ? max(1, whole("frequency", 1)) : 1
        let often = cycle.rate == 1 ? "every day" : "every \(cycle.rate) days"
        let many = isRandom ? "at random, \(frequency == 1 ? "once" : "\(frequency) times") " : ""
        return ESMiraSignalTime(
            id: id, schedule: id.split(separator: ".").prefix(2).joined(separator: "."), fingerprint: fingerprint,
            window: ESMiraDayWindow(start, isRandom ? clock("endTimeOfDay") : start), isRandom: isRandom,
            frequency: frequency,
            between: whole("minutesBetween", 60) * 60_000, isEditable: isEditable, rhythm: many + often)
    }

    /// A field for a time that was emptied in the editor is -1; with that the app gets to the last
    /// millisecond of a day (`Scheduler.scheduleSignalTime`, ESMira-apps f750e58).
    private static func timeOfDay(_ milliseconds: Int) -> Int {
        milliseconds == -1 ? ESMiraDayWindow.day - 1 : milliseconds
    }

    /// Nil, with a warning, where the signal time gives no prompt.
    private mutating func signal(_ place: JSONPlace, within hours: OpenHours?) -> ESMiraSignal? {
        let times = -1...172_800_000
        let start = Self.timeOfDay(findings.number("startTimeOfDay", times, in: place, default: 0))
        let end = Self.timeOfDay(findings.number("endTimeOfDay", times, in: place, default: 0))
        let isRandom = findings.flag("random", in: place)
        for key in ["startTimeOfDay"] + (isRandom ? ["endTimeOfDay"] : []) {
            if let empty = place.member(key), empty.integer == -1 {
                findings.warn("no time was entered: the end of the day, as in the app", at: empty)
            }
        }
        guard let window = ESMiraDayWindow(start, isRandom ? end : start).cut(to: hours) else {
            findings.warn(
                "no prompts: its time does not lie in one piece within that at which the questionnaire can be filled out, as in the app",
                at: place)
            return nil
        }
        var signal = ESMiraSignal(window: window)
        let frequency = findings.number("frequency", 0...1_000, in: place, default: 1)
        let between = findings.number("minutesBetween", 0...100_000, in: place, default: 60)
        guard isRandom else { return signal }
        (signal.isRandom, signal.isFixed) = (true, findings.flag("randomFixed", in: place))
        (signal.frequency, signal.between) = (max(1, frequency), between * 60_000)
        guard signal.fits else {
            findings.warn(
                "no prompts: \(frequency) a day with \(between) minutes between them do not fit into the time, as in the app",
                at: place)
            return nil
        }
        return signal
    }

    private mutating func events(
        _ trigger: JSONPlace, number position: Int, _ actions: [(id: String, action: ESMiraAction)],
        into schedule: inout ESMiraSchedule
    ) {
        for (index, place) in findings.list("eventTriggers", of: "event triggers", in: trigger).enumerated() {
            let name = place.member("cueCode") == nil ? "joined" : findings.text("cueCode", in: place)
            guard let cue = Self.cues[name] else {
                findings.unsupported(Self.whyNothing(name), at: place)
                continue
            }
            let seconds = findings.number("delaySec", 0...315_360_000, in: place, default: 0)
            let least = findings.number("delayMinimumSec", 0...315_360_000, in: place, default: 0)
            // With no `delaySec` there is no delay, whatever is least
            // (`EventTrigger.triggerCheck`).
            let first = findings.flag("randomDelay", in: place) && seconds > 0 ? least : seconds
            // Messages and notifications are events of their own, and cause no others.
            let isNotice = [ESMiraAction.message, ESMiraAction.notification].contains(name)
            let mayRepeat = isNotice || actions.contains { $0.action.notice == nil }
            if Self.signals.contains(name), mayRepeat, min(first, seconds) < 60 {
                findings.expected(
                    "a delaySec of at least 60 for \"\(name)\": a prompt that raises prompts at once never ends",
                    at: place.member("delaySec") ?? place, found: "\(min(first, seconds))")
            }
            if seconds == 0, cue == ESMiraTrigger.joined || cue == .message {
                findings.assume(
                    "raised at once; the app does nothing where an event of the study has no delay, which is probably a mistake",
                    at: place)
            }
            let specific = findings.number(
                "specificQuestionnaireInternalId", -1...Int(Int32.max), in: place, default: -1)
            schedule.triggers += actions.map { id, action in
                ESMiraTrigger(
                    id: "\(id).e\(index)", action: action, cue: cue, event: "\(position).e\(index)",
                    delayFrom: first, delayTo: seconds,
                    skipsOwn: findings.flag("skipThisQuestionnaire", in: place),
                    specific: specific < 0 ? nil : String(specific))
            }
        }
    }

    /// Why an event raises nothing here.
    private static func whyNothing(_ name: String) -> String {
        switch name {
        case "quit": "nothing comes after \"quit\": the app takes what it raised away with the study"
        case "schedule_planned", "schedule_removed":
            "\"\(name)\" raises nothing: a prompt that is planned because a prompt was planned never ends"
        case "statistic_viewed", "requested_reward_code":
            "\"\(name)\" raises nothing: here an assistant asks for it, at the command line"
        default: "\"\(name)\" never happens on this device, so it raises nothing"
        }
    }
}
