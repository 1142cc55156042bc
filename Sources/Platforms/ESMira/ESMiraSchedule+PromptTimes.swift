// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The part of `Schedule` by which a participant moves the times of prompts: with `studyd schedule`
/// (`PromptTimeEditor`), or on the panel (`ESMiraTimesTask`).
extension ESMiraSchedule {
    /// Bounds the stored text; the oldest moves are dropped, which are past.
    private static let keptMoves = 50

    func promptTimes(of task: StudyTask, in context: ScheduleContext) -> [PromptTime] {
        guard span.limits(context) != nil else { return [] }
        return times.filter(\.isEditable).map { time in
            let window = time.present(task.key, context.facts)
            return PromptTime(
                id: time.id, task: task.key, start: window.start, end: time.isRandom ? window.end : nil,
                rhythm: time.rhythm, isMoved: window != time.window)
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
        var changed: [ESMiraSignalTime] = []
        for wish in wanted {
            guard let time = times.first(where: { $0.id == wish.id && $0.isEditable }) else {
                throw PromptTimeError("the study does not let that time of \(task.name) be changed")
            }
            let window = ESMiraDayWindow(wish.start, time.isRandom ? wish.end ?? wish.start : wish.start)
            guard window != time.present(task.key, facts) else { continue }
            try check(window, of: time, task)
            let day = firstDay(of: time, task, context, now)
            let move = ESMiraMove(day: day.daysSinceEpoch, window)
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
        _ window: ESMiraDayWindow, of time: ESMiraSignalTime, _ task: StudyTask
    ) throws(PromptTimeError) {
        guard !time.isFaulty(window) else {
            let least = time.between / 60_000 * max(1, time.frequency)
            throw PromptTimeError(
                "\(task.name): too short, its prompts need at least \(least) minutes from start to end")
        }
        guard signal(time, window) != nil else {
            throw PromptTimeError(
                "\(task.name): it cannot be filled out at that time of the day, so there would be no prompts")
        }
    }

    /// The first day on which a new time holds.
    private func firstDay(
        of time: ESMiraSignalTime, _ task: StudyTask, _ context: ScheduleContext, _ now: Instant
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
    func signal(_ time: ESMiraSignalTime, _ window: ESMiraDayWindow) -> ESMiraSignal? {
        guard let window = window.cut(to: hours) else { return nil }
        var signal = ESMiraSignal(window: window)
        guard time.isRandom else { return signal }
        (signal.isRandom, signal.frequency, signal.between) = (true, time.frequency, time.between)
        return signal.fits ? signal : nil
    }
}
