// SPDX-License-Identifier: Apache-2.0
import Base

extension Scheduler {
    /// Lets time pass: what is due becomes live, what has run out ends.
    mutating func pass(to now: Instant) -> [Effect] {
        closings.removeAll { $0 <= now }
        while next < entries.count, entries[next].occurrence.due <= now {
            if entries[next].state == .future {
                entries[next].state = .live
                join(next)
            }
            next += 1
        }
        let called = call(at: now)
        let over = ending.filter { !entries[$0].isRunning && isOver(entries[$0], at: now) }
        let effects = over.flatMap {
            tooLate($0, at: now) + finish($0, entries[$0].outcome(unseen: unseen(entries[$0])))
        }
        // From here on whatever passes unseen was jumped over by the clock.
        unseenReason = .clockUnknown
        return called + effects + timeouts(at: now)
    }

    /// Time-outs of prompts that closed before, unless the task was done or
    /// prompted for in between.
    private mutating func timeouts(at now: Instant) -> [Effect] {
        unanswered.takeDue(at: now).filter { own in
            guard facts.lastDone(own.task).map({ $0 < own.due }) ?? true, let end = own.silentFrom else { return false }
            return !entries.contains { entry in
                let other = entry.occurrence
                return other.task == own.task && other.notice == nil && !other.isOffer && other.due > own.due
                    && other.due <= end
            }
        }.map { .unanswered($0) }
    }

    /// That its signals ended while nobody could be signalled is told where it ends
    /// before its turn.
    private func tooLate(_ index: Int, at now: Instant) -> [Effect] {
        let entry = entries[index]
        guard !entry.hadItsTurn, entry.obstacle == nil, entry.occurrence.silentFrom.map({ $0 <= now }) ?? false,
            isUnlocked(entry.occurrence.task)
        else { return [] }
        return [.unanswered(entry.occurrence)]
    }

    /// Signals again whoever has not come, and ends signals that have an end of their own. Of
    /// several reminders that are late one is given.
    private mutating func call(at now: Instant) -> [Effect] {
        live.filter { entries[$0].nextCall.map { $0 <= now } ?? false }.flatMap { index -> [Effect] in
            let occurrence = entries[index].occurrence
            let passed = occurrence.reminders.count { $0 <= now }
            let isLate = passed > entries[index].reminded
            entries[index].reminded = passed
            if occurrence.silentFrom.map({ $0 <= now }) ?? false {
                entries[index].isSilenced = true
                return silence(index) + [.unanswered(occurrence)]
            }
            guard isUnlocked(occurrence.task) else {
                entries[index].isSilenced = !waitsWhileLocked(occurrence.task)
                return []
            }
            guard isLate, promptsAreOn, !entries[index].isRunning else { return [] }
            entries[index].isSignalling = true
            return [.remind(occurrence)]
        }
    }

    /// Enters a live entry into the lists that are looked through.
    mutating func join(_ index: Int) {
        live.append(index)
        if entries[index].end != nil { ending.append(index) }
        if !entries[index].hadItsTurn { fresh.append(index) }
    }

    private func isOver(_ entry: ScheduledEntry, at now: Instant) -> Bool {
        // A repeat of a sticky task that gets no signal is nowhere to be seen.
        if entry.occurrence.isHidden, !entry.occurrence.isSignalled { return true }
        return entry.end.map { $0 <= now } ?? false
    }

    /// Why an entry passed by unseen.
    private func unseen(_ entry: ScheduledEntry) -> MissReason {
        let due = entry.occurrence.due
        if let joined = facts.setting?.enrolment.instant, due < joined { return .beforeEnrolment }
        if entry.occurrence.isHidden, let end = entry.end, end - due < .seconds(1) { return .replaced }
        return offSpans.contains { $0.contains(due) } ? .deviceOff : unseenReason
    }

    /// Shows what can be shown: signals the newest of each task that has not had its turn, and
    /// marks the rest as listed.
    mutating func present(at now: Instant) -> [Effect] {
        var signals: [String: Int] = [:]
        var late: [Effect] = []
        var notices: [Int] = []
        for index in fresh {
            guard !isPaused else {
                entries[index].obstacle = .studyPaused
                continue
            }
            guard isAdmissible(entries[index].occurrence) else {
                entries[index].obstacle = .locked
                late += passOver(index)
                continue
            }
            entries[index].hadItsTurn = true
            entries[index].reminded = entries[index].occurrence.reminders.count { $0 <= now }
            if entries[index].occurrence.silentFrom.map({ $0 <= now }) ?? false, !entries[index].isSilenced {
                (entries[index].isSilenced, late) = (true, late + [.unanswered(entries[index].occurrence)])
            }
            guard admits(index) else { continue }
            entries[index].isSignalling = true
            if entries[index].occurrence.notice != nil {
                notices.append(index)
                continue
            }
            if let older = signals[entries[index].occurrence.task] { entries[older].isSignalling = false }
            signals[entries[index].occurrence.task] = index
        }
        fresh.removeAll { entries[$0].hadItsTurn }
        return late + (signals.values + notices).sorted().map { .prompt(entries[$0].occurrence) }
    }

    /// A notice is told whether or not its task can be opened, until the task is over.
    private func isAdmissible(_ occurrence: Occurrence) -> Bool {
        guard occurrence.notice != nil else { return isUnlocked(occurrence.task) }
        return tasks[occurrence.task]?.lives.holds(facts) ?? true
    }

    /// A prompt that found its task locked and does not wait: one that only signals is over,
    /// another stays open in silence.
    private mutating func passOver(_ index: Int) -> [Effect] {
        let occurrence = entries[index].occurrence
        guard occurrence.isSignalled, !waitsWhileLocked(occurrence.task) else { return [] }
        guard !occurrence.isHidden else { return finish(index, .missed(.locked)) }
        entries[index].hadItsTurn = true
        entries[index].isSilenced = true
        return []
    }

    private func waitsWhileLocked(_ task: String) -> Bool { tasks[task]?.schedule.waitsWhileLocked ?? true }

    /// Whether an occurrence whose turn it is shall be signalled; notes how it stands otherwise.
    private mutating func admits(_ index: Int) -> Bool {
        let occurrence = entries[index].occurrence
        guard promptsAreOn || !occurrence.isSignalled else {
            entries[index].obstacle = .promptsOff
            return false
        }
        entries[index].obstacle = nil
        entries[index].isPresented = true
        return occurrence.isSignalled && !entries[index].isRunning && !entries[index].isSilenced
    }

    func isUnlocked(_ task: String) -> Bool {
        !isPaused && !retired.contains(task) && tasks[task]?.unlocked.holds(facts) ?? true && !isResting(task)
            && isWithinHours(task)
    }

    private func isWithinHours(_ task: String) -> Bool {
        guard let hours = tasks[task]?.hours, let zone = facts.setting?.zone else { return true }
        return hours.contains(zone.local(lastLook).time)
    }

    /// It was done so short a time ago that it is not offered again yet.
    private func isResting(_ task: String) -> Bool { restEnd(task).map { lastLook < $0 } ?? false }

    private func restEnd(_ task: String) -> Instant? {
        guard let rest = tasks[task]?.rest, let done = facts.lastDone(task) else { return nil }
        return done + rest
    }

    /// When the next task opens or closes by the clock.
    var nextOpening: Instant? {
        guard opensByClock else { return nil }
        let rested = tasks.keys.compactMap(restEnd).filter { $0 > lastLook }.min()
        let hours = facts.setting.flatMap { setting in
            tasks.values.compactMap { $0.hours?.nextChange(after: lastLook, in: setting.zone) }.min()
        }
        return earliest(rested, hours)
    }

    /// Ends an entry, with its signal.
    mutating func finish(_ index: Int, _ outcome: Outcome) -> [Effect] {
        let withdrawal = silence(index)
        entries[index].state = .ended(outcome)
        entries[index].isRunning = false
        live.removeAll { $0 == index }
        ending.removeAll { $0 == index }
        fresh.removeAll { $0 == index }
        if entries[index].hadItsTurn, entries[index].closedBeforeTimeout {
            unanswered.add(entries[index].occurrence)
        }
        return withdrawal + [.outcome(entries[index].occurrence, outcome)]
    }

    mutating func silence(_ index: Int) -> [Effect] {
        guard entries[index].isSignalling else { return [] }
        entries[index].isSignalling = false
        return [.withdraw(entries[index].occurrence)]
    }
}

extension StudyTask {
    /// Whether it can be opened depends on the time alone, too.
    var opensByClock: Bool { rest != nil || hours != nil }
}
