// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What is printed of every question.
enum AnsweringPhrases {
    static let required = Phrase(
        "; it must be answered", de: "; Antwort erforderlich", es: "; es obligatorio responder")
    static let leftOut = Phrase(
        "; {0} before anything else leaves it out", de: "; überspringen: gleich zu Beginn {0}",
        es: "; omitir: {0} antes que nada")
}
