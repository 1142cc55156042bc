// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What is printed of every question.
enum AnsweringPhrases {
    static let required = Phrase(
        "; it must be answered", de: "; Antwort erforderlich", es: "; es obligatorio responder")
    static let leftOut = Phrase(
        "; {0} first to skip", de: "; überspringen: gleich zu Beginn {0}",
        es: "; omitir: {0} antes que nada")
    static let leftOutByMenu = Phrase(
        "; skip it in the menu", de: "; überspringen: im Menü", es: "; omitir: en el menú")
}
