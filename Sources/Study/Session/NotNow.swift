// SPDX-License-Identifier: Apache-2.0

/// What the participant can choose after "not now" to a prompt (`PanelSession`); `takeUp` answers the prompt
/// after all.
enum NotNow: CaseIterable, Sendable {
    case takeUp, putOff, decline

    var phrase: Phrase {
        switch self {
        case .takeUp: PanelPhrases.takeUp
        case .putOff: PanelPhrases.later
        case .decline: PanelPhrases.notThisTime
        }
    }
}
