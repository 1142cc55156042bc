// SPDX-License-Identifier: Apache-2.0

/// What is printed of every question.
enum AnsweringPhrases {
    static let required = Phrase(
        ". It must be answered", de: ". Eine Antwort ist nötig", es: ". Hay que responder")
    static let leftOut = Phrase(
        ". To skip: {0} before you press anything else",
        de: ". Überspringen: {0}, bevor eine andere Taste gedrückt wird",
        es: ". Para omitirla: {0} antes de pulsar otra cosa")
    static let leftOutByMenu = Phrase(
        ". To skip: use the menu", de: ". Überspringen: im Menü", es: ". Para omitirla: en el menú")
}
