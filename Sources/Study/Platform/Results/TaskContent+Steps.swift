// SPDX-License-Identifier: Apache-2.0

extension TaskContent {
    /// Every step of every section, in the order of the file.
    package var questionnaireSteps: [Step] {
        switch self {
        case .questionnaire(let questionnaire): questionnaire.steps
        }
    }
}
