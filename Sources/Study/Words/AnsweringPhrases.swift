// SPDX-License-Identifier: Apache-2.0

/// Said after how a question is answered, by `validate` and on the card sheet (`PanelSupport`).
enum AnsweringPhrases {
    static let required = Phrase(". It must be answered")
    static let leftOut = Phrase(". To skip: {0} before you press anything else")
    static let leftOutByMenu = Phrase(". To skip: use the menu")
}
