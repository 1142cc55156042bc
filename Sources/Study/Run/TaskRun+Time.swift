// SPDX-License-Identifier: Apache-2.0
import Base

/// What time does to a run: recordings that are full, tasks that go by themselves,
/// patience that ends.
extension TaskRun {
    var questionEnd: MonotonicTime? {
        guard case .asking = state, let limit = limits.question, navigator.mayBeLeftOut else {
            return nil
        }
        return questions.last.map { $0.presented + limit }
    }

    /// When the section is left by itself; nil = when everything in it was answered.
    var pageEnd: MonotonicTime? {
        guard case .asking = state, let page, let limit = opened.sections[page.section].limit else { return nil }
        return page.began + limit
    }

    mutating func tick(at now: MonotonicTime) {
        stop(recorders.tick(at: now))
        if let ownWake, now < ownWake { return }
        if let recordingEnds {
            guard recordingEnds <= now else { return }
            perform(question.handle(.recordingFull), at: now)
            return press(at: now)
        }
        if question.isUnderWay {
            perform(question.handle(.tick(now)), at: now)
            return press(at: now)
        }
        if case .review(let grace?) = state, grace <= now { return end(.submitted, at: now) }
        if let pageEnd, pageEnd <= now {
            cues.append(.expired)
            lastPress = max(lastPress, now)
            return go(navigator.leaveSection(), at: now)
        }
        if let end = questionEnd, end <= now { return runOut(at: now) }
        if let end = questionEnd, !isWarned, end - limits.warning <= now {
            isWarned = true
            cues.append(.timeRunningOut)
        }
        if lastPress + limits.interruption <= now { return interrupt(at: now) }
        if !isReminded, lastPress + limits.reminder <= now { remind() }
    }

    /// What was performed is kept, though nobody confirmed it; what was only answered is not.
    private mutating func interrupt(at now: MonotonicTime) {
        if case .active? = navigator.current?.format { perform(question.handle(.gaveUp), at: now) }
        let isPerformed = navigator.answers.values.contains {
            if case .performance = $0 { true } else { false }
        }
        end(isPerformed ? .submitted : .interrupted, at: now)
    }

    private mutating func runOut(at now: MonotonicTime) {
        cues.append(.expired)
        leaveOut(keepingAnswer: true, at: now)
    }

    private mutating func remind() {
        isReminded = true
        cues.append(.reminder)
        switch state {
        case .asking: readCard()
        case .leaving: cues.append(.leaveRun)
        default: cues += [.confirm] + saidBack(asked)
        }
    }
}
