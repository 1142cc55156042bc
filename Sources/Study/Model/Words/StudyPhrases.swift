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
    package static let messageToTeam = Phrase(
        "What do you want to tell the study team?", de: "Was möchten Sie dem Studienteam mitteilen?",
        es: "¿Qué quiere decirle al equipo del estudio?")
    /// A task in which the participant changes when prompts come.
    package static let changeTimes = Phrase(
        "Change the times of prompts", de: "Zeiten der Erinnerungen ändern", es: "Cambiar las horas de los avisos")
    /// Its question for a single time.
    package static let newTime = Phrase(
        "{0} now comes at {1}. When should it come?", de: "{0} kommt jetzt um {1}. Wann soll es kommen?",
        es: "{0} llega ahora a las {1}. ¿A qué hora debe llegar?")
    /// Its questions for a stretch of the day.
    package static let newStart = Phrase(
        "{0} now comes between {1} and {2}. From what time?",
        de: "{0} kommt jetzt zwischen {1} und {2}. Ab wann soll es kommen?",
        es: "{0} llega ahora entre las {1} y las {2}. ¿Desde qué hora?")
    /// The second of them.
    package static let newEnd = Phrase("{0}: until what time?", de: "{0}: bis wann?", es: "{0}: ¿hasta qué hora?")
    package static let timesChanged = Phrase(
        "The new times are saved. Prompts already planned for the next day may still come at the old times.",
        de: "Die neuen Zeiten sind gespeichert. Was für den nächsten Tag geplant ist, kann noch zu den alten kommen.",
        es: "Las nuevas horas están guardadas. Lo previsto para el próximo día puede llegar aún a las anteriores.")
    /// The study does not allow them.
    package static let timesRefused = Phrase(
        "The study does not allow these times. They stay as they were.",
        de: "Die Studie lässt diese Zeiten nicht zu. Sie bleiben, wie sie waren.",
        es: "El estudio no permite estas horas. Se quedan como estaban.")
    /// The end of a task that a branch leads to.
    package static let taskDone = Phrase(
        "Thank you. The task is done.", de: "Danke. Die Aufgabe ist erledigt.", es: "Gracias. La tarea está terminada.")
}
