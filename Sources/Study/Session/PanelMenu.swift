// SPDX-License-Identifier: Apache-2.0

/// What the menu of the idle panel offers (`PanelSession`).
enum PanelMenu: CaseIterable, Sendable {
    case back, prompts, message, pause, leaveStudy

    func phrase(promptsAreOn: Bool, isPaused: Bool) -> Phrase {
        switch self {
        case .back: PanelPhrases.back
        case .prompts: promptsAreOn ? PanelPhrases.switchPromptsOff : PanelPhrases.switchPromptsOn
        case .message: PanelPhrases.lastMessage
        case .pause: isPaused ? PanelPhrases.endPause : PanelPhrases.pauseSensors
        case .leaveStudy: PanelPhrases.leaveTheStudy
        }
    }
}
