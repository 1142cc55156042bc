// SPDX-License-Identifier: Apache-2.0

/// What a platform's own app adds to a study's texts, and its file therefore does not hold.
///
/// `Yes` and `No` as ResearchKit has them (`BOOL_YES`, `BOOL_NO` of its ResearchKit.strings).
public enum StudyPhrases {
    /// Labels of a question that the file only calls `boolean`.
    public static let yes = Phrase("Yes", de: "Ja", es: "Sí")
    /// The other label.
    public static let no = Phrase("No", de: "Nein", es: "No")
    /// An option that has a picture and no text.
    public static let picture = Phrase("picture {0}", de: "Bild {0}", es: "imagen {0}")
    /// After a round of a form that may be filled in again.
    public static let addMore = Phrase("Add more?", de: "Noch etwas hinzufügen?", es: "¿Añadir algo más?")
    /// The end of a task that a branch leads to.
    public static let taskDone = Phrase(
        "Thank you. The task is done.", de: "Danke. Die Aufgabe ist erledigt.", es: "Gracias. La tarea está terminada.")
}
