// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What the demo prints for whoever plays the participant, besides what the device itself would say or print. The lines of the log
/// that it shows with it are for those who look after the device.
enum DemoPhrases {
    static let card = Phrase("card {0}: {1}", de: "Karte {0}: {1}", es: "tarjeta {0}: {1}")
    static let recording = Phrase(
        "● recording the answer", de: "● die Antwort wird aufgenommen", es: "● grabando la respuesta")
    static let recorded = Phrase("■ recording ended", de: "■ Aufnahme beendet", es: "■ grabación terminada")
    static let leaves = Phrase(
        "the participant leaves the study", de: "die Teilnahme ist beendet", es: "la persona abandona el estudio")
    static let keys = Phrase(
        "(capital: hold)  [t] next prompt  [q] end", de: "(Großbuchstabe: halten)  [t] nächste Erinnerung  [q] Ende",
        es: "(mayúscula: mantener)  [t] próximo aviso  [q] fin")
}
