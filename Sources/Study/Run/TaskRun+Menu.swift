// SPDX-License-Identifier: Apache-2.0
import Base

extension TaskRun {
    mutating func open(menuAt index: Int) {
        let ring = Ring(count: RunMenu.allCases.count, at: index)
        state = .menu(ring)
        cues.append(.menuItem(ring.index + 1, RunMenu.allCases[ring.index].phrase))
    }

    mutating func choose(_ item: RunMenu, at now: MonotonicTime) {
        switch item {
        case .resume: resume(at: now)
        case .leaveOut where navigator.current != nil:
            state = .asking
            let last = question.handle(.gaveUp)
            guard last.isEmpty else { return perform(last, at: now) }
            leaveOut(keepingAnswer: false, at: now)
        case .leaveOut: resume(at: now)
        case .leaveTask:
            state = .leaving
            cues.append(.leaveRun)
        }
    }

    /// Back to where the menu was opened: the question from its beginning, or the review.
    mutating func resume(at now: MonotonicTime) {
        guard let step = navigator.current else { return review(at: now) }
        guard case .active = step.format else { return ask(step, at: now) }
        state = .asking
        perform(question.handle(.resumed), at: now)
    }
}

/// What the menu offers while a task is open.
enum RunMenu: CaseIterable, Sendable {
    case resume, leaveOut, leaveTask

    var phrase: Phrase {
        switch self {
        case .resume: PanelPhrases.backToQuestion
        case .leaveOut: PanelPhrases.leaveQuestionOut
        case .leaveTask: PanelPhrases.leaveTask
        }
    }
}
