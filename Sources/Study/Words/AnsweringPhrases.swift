// SPDX-License-Identifier: Apache-2.0

/// What is printed of every question.
enum AnsweringPhrases {
    static let required = Phrase(". It must be answered")
    static let leftOut = Phrase(". To skip: {0} before you press anything else")
    static let leftOutByMenu = Phrase(". To skip: use the menu")
}
