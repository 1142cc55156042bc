// SPDX-License-Identifier: Apache-2.0
import Base

enum PanelMenu: CaseIterable, Sendable {
    case back, prompts, message, leaveStudy

    func phrase(promptsAreOn: Bool) -> Phrase {
        switch self {
        case .back: PanelPhrases.back
        case .prompts: promptsAreOn ? PanelPhrases.switchPromptsOff : PanelPhrases.switchPromptsOn
        case .message: PanelPhrases.lastMessage
        case .leaveStudy: PanelPhrases.leaveTheStudy
        }
    }
}

extension PanelSession {
    mutating func openMenu() {
        effects.append(.openMenu)
        browseMenu(Ring(count: PanelMenu.allCases.count))
    }

    mutating func leaveMenu(at now: MonotonicTime) {
        effects.append(.leaveMenu)
        rest(at: now)
    }

    mutating func handleInMenu(_ ring: Ring, _ gesture: Gesture, at now: MonotonicTime) {
        var ring = ring
        if ring.move(gesture) { return browseMenu(ring) }
        switch (gesture, PanelMenu.allCases[ring.index]) {
        case (.select, .back), (.undo, _), (.cancel, _), (.menu, _): leaveMenu(at: now)
        case (.select, .prompts): switchPrompts(at: now)
        case (.select, .message):
            cues.append(lastMessage.isEmpty || !panel.hasLoudspeaker ? .nothingOpen : .message(lastMessage))
        case (.select, .leaveStudy): askLeaving(stage: 1, Ring(count: 2))
        default: break
        }
    }

    /// Each stage begins at "no"; one has to move to "yes" and choose it, twice. About the data
    /// both answers leave.
    mutating func handleLeaving(_ stage: Int, _ ring: Ring, _ gesture: Gesture, at now: MonotonicTime) {
        var ring = ring
        if ring.move(gesture) { return askLeaving(stage: stage, ring) }
        switch (gesture, ring.index, stage) {
        case (.select, 1, 1): askLeaving(stage: 2, Ring(count: 2))
        case (.select, 1, 2) where asksAboutData: askLeaving(stage: 3, Ring(count: 2))
        case (.select, 1, 2): leave(deletesData: nil, at: now)
        case (.select, let answer, 3): leave(deletesData: answer == 1, at: now)
        default:
            cues.append(.undone)
            leaveMenu(at: now)
        }
    }

    private var asksAboutData: Bool { if case .asks = withdrawal { true } else { false } }

    private mutating func leave(deletesData: Bool?, at now: MonotonicTime) {
        effects.append(.withdrawRequested(deletesData: deletesData))
        cues.append(.accepted)
        leaveMenu(at: now)
    }

    private mutating func browseMenu(_ ring: Ring) {
        state = .menu(ring)
        cues.append(.menuItem(ring.index + 1, PanelMenu.allCases[ring.index].phrase(promptsAreOn: promptsAreOn)))
    }

    private mutating func askLeaving(stage: Int, _ ring: Ring) {
        state = .leaving(stage: stage, ring)
        if ring.index == 0 { cues.append(.leaveStudy(stage: stage)) }
        if stage == 3, ring.index == 0, case .asks(let text) = withdrawal, !text.isEmpty { cues.append(.message(text)) }
        let answers = stage == 3 ? PanelPhrases.keepOrDelete : PanelPhrases.stayOrLeave
        cues.append(.menuItem(ring.index + 1, answers[ring.index]))
    }

    private mutating func switchPrompts(at now: MonotonicTime) {
        promptsAreOn.toggle()
        if !promptsAreOn { waiting = [] }
        effects.append(promptsAreOn ? .promptsOn : .promptsOff)
        cues.append(promptsAreOn ? .promptsOn : .promptsOff)
        leaveMenu(at: now)
    }
}
