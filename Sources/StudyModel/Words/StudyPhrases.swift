// SPDX-License-Identifier: Apache-2.0

/// What a platform's own app adds to a study's texts, and its file therefore does not hold.
///
/// `Yes` and `No` as ResearchKit has them (`BOOL_YES`, `BOOL_NO` of its ResearchKit.strings).
package enum StudyPhrases {
    /// Labels of a question that the file only calls `boolean`.
    package static let yes = Phrase("Yes", de: "Ja", es: "Sí")
    /// The other label.
    package static let no = Phrase("No", de: "Nein", es: "No")
    /// An option that has a picture and no text.
    package static let picture = Phrase("picture {0}", de: "Bild {0}", es: "imagen {0}")
    /// After a round of a form that may be filled in again.
    package static let addMore = Phrase("Add more?", de: "Noch etwas hinzufügen?", es: "¿Añadir algo más?")
    /// A task whose answer goes to those who run the study, and its question.
    package static let writeToTeam = Phrase(
        "Write to the study team", de: "Dem Studienteam schreiben", es: "Escribir al equipo del estudio")
    /// The question of that task.
    package static let messageToTeam = Phrase(
        "What do you want to tell the study team?", de: "Was möchten Sie dem Studienteam mitteilen?",
        es: "¿Qué quiere decirle al equipo del estudio?")
    /// The end of a task that a branch leads to.
    package static let taskDone = Phrase(
        "Thank you. The task is done.", de: "Danke. Die Aufgabe ist erledigt.", es: "Gracias. La tarea está terminada.")
}
