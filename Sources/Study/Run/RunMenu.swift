// SPDX-License-Identifier: Apache-2.0

/// What the menu offers while a task is open (`TaskRun`).
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
