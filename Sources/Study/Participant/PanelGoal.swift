// SPDX-License-Identifier: Apache-2.0

/// What a scripted participant wants to do at the panel; `PressPlanner` pursues it press by press
/// (`PanelSession.press(towards:)`).
package enum PanelGoal: Sendable, Hashable {
    /// Take up the prompt that is signalled, without answering it by the same press.
    case takePrompt
    case putOff
    case decline
    /// Open an entry of the list. A prompt in the way is put off.
    case openItem(String)
    case answer(Wanted)
    case submit
    /// Leave the open task without saving.
    case leaveRun
    case prompts(on: Bool)
    /// Pause the sensors, or end their pause.
    case pause(Bool)
    case leaveStudy
}

extension PanelSession {
    /// The next press on the way to `goal`; nil where it is reached, or cannot be
    /// reached from here.
    package func press(towards goal: PanelGoal) -> Press? {
        switch state {
        case .idle: pressIdle(goal)
        case .notNow(_, let ring): pressNotNow(ring, goal)
        case .list(let ring): pressInList(ring, goal)
        case .running(let run): pressInRun(run.value, goal)
        case .menu(let ring): pressInMenu(ring, goal)
        // 1 says yes: to leaving, and in the last question to deleting the data.
        case .leaving(let dialogue):
            goal == .leaveStudy ? dialogue.ring.press(to: 1, layout: panel.layout) : Press(.undo)
        case .opening, .saving: nil
        }
    }

    private func pressIdle(_ goal: PanelGoal) -> Press? {
        switch goal {
        case .takePrompt where !hasPrompt: nil
        // Where `select` would say yes, the way leads over "not now: take it up".
        case .takePrompt: Press(currentPrompt?.quickCard != nil && panel.layout != .three ? .undo : .select)
        case .putOff, .decline: !hasPrompt ? nil : Press(.undo)
        case .openItem: Press(hasPrompt ? .undo : .select)
        case .prompts(let on): on == promptsAreOn ? nil : Press(.menu)
        case .pause(let on): on == isPaused ? nil : Press(.menu)
        case .leaveStudy: Press(.menu)
        case .answer, .submit, .leaveRun: nil
        }
    }

    private func pressNotNow(_ ring: Ring, _ goal: PanelGoal) -> Press? {
        let place: NotNow
        switch goal {
        case .takePrompt: place = .takeUp
        case .putOff, .openItem: place = .putOff
        case .decline: place = .decline
        default: return Press(.undo)
        }
        return NotNow.allCases.firstIndex(of: place).map { ring.press(to: $0, layout: panel.layout) }
    }

    private func pressInList(_ ring: Ring, _ goal: PanelGoal) -> Press? {
        guard case .openItem(let id) = goal else { return Press(.undo) }
        return items.firstIndex { $0.id == id }.map { ring.press(to: $0, layout: panel.layout) }
    }

    private func pressInRun(_ run: TaskRun, _ goal: PanelGoal) -> Press? {
        switch goal {
        case .answer(let wanted): run.isInReview ? nil : run.press(towards: wanted)
        case .submit: run.isInReview ? Press(.select) : nil
        case .leaveRun: run.pressToLeave
        default: nil
        }
    }

    private func pressInMenu(_ ring: Ring, _ goal: PanelGoal) -> Press? {
        let place: PanelMenu
        switch goal {
        case .prompts(let on): place = on == promptsAreOn ? .back : .prompts
        case .pause(let on): place = on == isPaused ? .back : .pause
        case .leaveStudy: place = .leaveStudy
        default: place = .back
        }
        return menu.firstIndex(of: place).map { ring.press(to: $0, layout: panel.layout) }
    }
}

extension TaskRun {
    /// The next press on the way out of the task.
    fileprivate var pressToLeave: Press? {
        switch state {
        case .asking, .review: Press(.menu)
        case .menu(let ring):
            RunMenu.allCases.firstIndex(of: .leaveTask).map { ring.press(to: $0, layout: panel.layout) }
        case .leaving: Press(.select)
        case .ended: nil
        }
    }
}
