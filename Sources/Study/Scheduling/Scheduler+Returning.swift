// SPDX-License-Identifier: Apache-2.0
import Base

/// A clock that goes back after it had gone ahead: what fell due meanwhile and lies in the future
/// again, did not fall due.
///
/// What a participant began, answered or declined stands. cron(8) and systemd's timers do the same:
/// a clock that goes back far is a correction and the new time is used at once, a time of last
/// running that lies in the future is not believed (systemd, src/core/timer.c, `timer_start`); a
/// small one makes nothing run twice.
extension Scheduler {
    /// The clock was set, by so much.
    mutating func jump(_ by: Duration, at now: Instant) -> [Effect] {
        guard let limit = lead.jumped(by: by, at: now) else { return [] }
        return returnUnseen(after: limit)
    }

    /// The device was off between two times of its clock. Where the later is the earlier one, the
    /// clock of the last run was wrong.
    mutating func wasOff(from: Instant, to: Instant) -> [Effect] {
        if from < to {
            offSpans.append(from..<to)
            forgetReported(before: from)
        }
        let limit = lead.jumped(by: to - from, at: to)
        guard from - to >= ClockLead.least else { return [] }
        return returnUnseen(after: limit ?? to)
    }

    /// What timed out while the device was on was reported by the run before.
    private mutating func forgetReported(before off: Instant) {
        unanswered.remove(through: off)
        for index in entries.indices where entries[index].isPresented {
            guard let end = entries[index].occurrence.silentFrom, end <= off else { continue }
            entries[index].isSilenced = true
        }
    }

    private mutating func returnUnseen(after limit: Instant) -> [Effect] {
        let indices = entries.indices.filter { entries[$0].occurrence.due > limit && isUntouched(entries[$0]) }
        guard !indices.isEmpty else { return [] }
        let effects = indices.flatMap { index -> [Effect] in
            let withdrawal = silence(index)
            entries[index].returnUnseen()
            return withdrawal + [.returned(entries[index].occurrence)]
        }
        let gone = Set(indices)
        live.removeAll(where: gone.contains)
        ending.removeAll(where: gone.contains)
        fresh.removeAll(where: gone.contains)
        closings = lastingEnds
        next = min(next, indices[0])
        plans += 1
        return effects
    }

    /// Fell due, and nobody did anything about it.
    private func isUntouched(_ entry: ScheduledEntry) -> Bool {
        let task = entry.occurrence.task
        guard !entry.isBegun, !entry.isRunning, tasks[task] != nil, !retired.contains(task) else { return false }
        switch entry.state {
        case .future, .ended(.completed), .ended(.declined), .ended(.interrupted), .ended(.missed(.deleted)):
            return false
        case .live, .ended(.expired), .ended(.missed): return true
        }
    }
}

extension ScheduledEntry {
    /// To come again. If it is jumped over once more, unseen, it ends as it had ended.
    fileprivate mutating func returnUnseen() {
        if case .ended(let outcome) = state { former = outcome }
        state = .future
        (isPresented, isSignalling, hadItsTurn, obstacle) = (false, false, false, nil)
        (reminded, isSilenced) = (0, false)
    }
}
