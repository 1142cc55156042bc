// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A signal time of the study's file, which the participant may move where its schedule is
/// `userEditable` (`SignalTime.kt`, ESMira-apps f750e58).
struct ESMiraTime: Sendable, Hashable {
    /// Indices in the study's file: trigger, schedule, signal time.
    let id: String
    /// The id of the schedule it belongs to.
    let schedule: String
    /// Identifies all schedules of its trigger. If a new version of the study changes one of them, the
    /// app makes all their times again and moves are lost (`ActionTrigger.save`).
    let fingerprint: String
    /// As the file has it.
    let moment: ESMiraMoment
    let isRandom: Bool
    /// Prompts of a day.
    let frequency: Int
    /// The least time between two of them, in milliseconds.
    let between: Int
    let isEditable: Bool
    /// In words: `at random, 3 times every day`.
    let rhythm: String

    /// The name of the study variable in which its moves are kept.
    func variable(_ task: String) -> String { "times/\(task)/\(id)" }

    /// Oldest first; empty if the study has changed the schedules of its trigger since.
    func moves(_ task: String, _ facts: StudyFacts) -> [ESMiraMove] {
        guard case .text(let text)? = facts.variables[variable(task)] else { return [] }
        let parts = text.split(separator: " ")
        guard let first = parts.first, first == fingerprint else { return [] }
        return parts.dropFirst().compactMap { ESMiraMove(String($0)) }
    }

    /// The time that holds for coming days.
    func present(_ task: String, _ facts: StudyFacts) -> ESMiraMoment { moves(task, facts).last?.moment ?? moment }

    /// True where a random time's window is too short for its prompts: as the app's `isFaulty`, it needs
    /// `between` for each of them, even for a single one.
    func isFaulty(_ moment: ESMiraMoment) -> Bool {
        isRandom && (moment.end - moment.start) / max(1, frequency) < between
    }

    /// As `Schedule.toDescString` writes it.
    func text(_ moment: ESMiraMoment, title: String) -> String {
        "\(title): " + Self.clock(moment.start) + (isRandom ? "-" + Self.clock(moment.end) : "") + ", "
    }

    /// Java's short format of American English, which the app uses for all times: `9:00 AM`.
    private static func clock(_ milliseconds: Int) -> String {
        let minutes = milliseconds / 60_000 % 1_440
        let hour = minutes / 60 % 12
        return "\(hour == 0 ? 12 : hour):\((minutes % 60).padded(2)) " + (minutes < 720 ? "AM" : "PM")
    }
}

/// Start and end of a signal time in milliseconds from local midnight; the end of a random one may
/// lie on the next day, and a fixed one ends as it starts.
struct ESMiraMoment: Sendable, Hashable {
    let start: Int
    let end: Int

    /// As the app's `correctStartEndPeriod`.
    init(_ start: Int, _ end: Int, isRandom: Bool) {
        self.start = start
        self.end = !isRandom ? start : end < start ? end + ESMiraDayWindow.day : end
    }
}

/// A new time that the participant has set, which holds from `day` on.
struct ESMiraMove: Sendable, Hashable {
    /// Days since 1970 by the local calendar.
    let day: Int
    let moment: ESMiraMoment

    init(day: Int, _ moment: ESMiraMoment) {
        self.day = day
        self.moment = moment
    }

    /// `20780:32400000-61200000`.
    init?(_ text: String) {
        let parts = text.split { $0 == ":" || $0 == "-" }.compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        self.init(day: parts[0], ESMiraMoment(parts[1], parts[2], isRandom: true))
    }

    var text: String { "\(day):\(moment.start)-\(moment.end)" }
}

extension ESMiraSchedule {
    /// Bounds the stored text; the oldest moves are dropped, which are past.
    private static let keptMoves = 50

    func promptTimes(of task: StudyTask, in context: ScheduleContext) -> [PromptTime] {
        guard span.limits(context) != nil else { return [] }
        return times.filter(\.isEditable).map { time in
            let moment = time.present(task.key, context.facts)
            return PromptTime(
                id: time.id, task: task.key, start: moment.start, end: time.isRandom ? moment.end : nil,
                rhythm: time.rhythm, isMoved: moment != time.moment)
        }
    }

    /// As `Schedule.saveTimeFrames`: a prompt due within 24 hours keeps its time, with all prompts of its
    /// day, and the new time holds from the day after. If none is due, the app begins the schedule again;
    /// here its days stay, and only the time of day changes.
    func moving(
        _ wanted: [PromptTime], of task: StudyTask, in context: ScheduleContext, at now: Instant
    ) throws(PromptTimeError) -> MovedTimes {
        var moved = MovedTimes()
        var facts = context.facts
        var changed: [ESMiraTime] = []
        for wish in wanted {
            guard let time = times.first(where: { $0.id == wish.id && $0.isEditable }) else {
                throw PromptTimeError("the study does not let that time of \(task.name) be changed")
            }
            let moment = ESMiraMoment(wish.start, wish.end ?? wish.start, isRandom: time.isRandom)
            guard moment != time.present(task.key, facts) else { continue }
            try check(moment, of: time, task)
            let day = firstDay(of: time, task, context, now)
            let move = ESMiraMove(day: day.daysSinceEpoch, moment)
            let before = time.moves(task.key, facts).filter { $0.day < move.day }.suffix(Self.keptMoves)
            let variable = time.variable(task.key)
            let value = AnswerValue.text(([time.fingerprint] + (before + [move]).map(\.text)).joined(separator: " "))
            moved.variables[variable] = value
            facts.variables[variable] = value
            changed.append(time)
            moved.lines.append("\(task.name): \(wish.text) from \(day) on")
        }
        for time in changed {
            let all = times.filter { $0.schedule == time.schedule }
            let text = all.map { $0.text($0.present(task.key, facts), title: task.wireName) }.joined()
            moved.reports.append(.timesMoved(task: task.key, text: text))
        }
        return moved
    }

    private func check(
        _ moment: ESMiraMoment, of time: ESMiraTime, _ task: StudyTask
    ) throws(PromptTimeError) {
        guard !time.isFaulty(moment) else {
            let least = time.between / 60_000 * max(1, time.frequency)
            throw PromptTimeError(
                "\(task.name): too short, its prompts need at least \(least) minutes from start to end")
        }
        guard signal(time, moment) != nil else {
            throw PromptTimeError(
                "\(task.name): it cannot be filled out at that time of the day, so there would be no prompts")
        }
    }

    /// The first day on which a new time holds.
    private func firstDay(
        of time: ESMiraTime, _ task: StudyTask, _ context: ScheduleContext, _ now: Instant
    ) -> LocalDate {
        let today = context.zone.local(now).date
        guard let prompt = prompts.first(where: { $0.time == time.id }), let limits = span.limits(context) else {
            return today.adding(days: 1)
        }
        let next = signals(prompt, of: task, within: limits, context).first { $0.due.instant > now }
        guard let next else { return today.adding(days: 1) }
        // All prompts of a day stay or move together, so that a day that has begun stays.
        let dayStart = context.zone.resolve(LocalDateTime(next.day, .midnight)).instant
        let isNear = next.due.instant - now <= .seconds(86_400) || dayStart <= now
        return isNear ? next.day.adding(days: 1) : next.day
    }

    /// The signal of a moved time; nil where it would give no prompt: outside the hours of the questionnaire,
    /// or too short for its prompts.
    func signal(_ time: ESMiraTime, _ moment: ESMiraMoment) -> ESMiraSignal? {
        var stretch: ESMiraDayWindow? = ESMiraDayWindow(moment.start, time.isRandom ? moment.end : moment.start)
        if let hours { stretch = stretch?.cut(to: hours) }
        guard let stretch else { return nil }
        var signal = ESMiraSignal(window: stretch)
        guard time.isRandom else { return signal }
        (signal.isRandom, signal.frequency, signal.between) = (true, time.frequency, time.between)
        return signal.fits ? signal : nil
    }
}
