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
    /// The apps' names of active tasks (ResearchKit's `SPATIAL_SPAN_MEMORY_TITLE`, `TOWER_OF_HANOI_TASK_TITLE`).
    public static let kickCounter = Phrase(
        "Fetal Kick Counter", de: "Kindsbewegungen zählen", es: "Contador de patadas del bebé")
    /// The span test.
    public static let spatialMemory = Phrase("Spatial Memory", de: "Räumliches Gedächtnis", es: "Memoria espacial")
    /// The puzzle.
    public static let towerOfHanoi = Phrase("Tower of Hanoi", de: "Türme von Hanoi", es: "Torre de Hanoi")
    /// After a round of a form that may be filled in again.
    public static let addMore = Phrase("Add more?", de: "Noch etwas hinzufügen?", es: "¿Añadir algo más?")
    /// The end of a task that a branch leads to.
    public static let taskDone = Phrase(
        "Thank you. The task is done.", de: "Danke. Die Aufgabe ist erledigt.", es: "Gracias. La tarea está terminada.")
}
