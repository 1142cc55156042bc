// SPDX-License-Identifier: Apache-2.0

/// What the panel says in every study, whatever is asked.
///
/// Where ResearchKit's own translations have a word for the same thing it is theirs: leave out
/// (`BUTTON_SKIP`), done (`BUTTON_DONE`), clear (`BUTTON_CLEAR`), the time that is over
/// (`MEMORY_GAME_TIMEOUT_TITLE`), ticked (`AX_SELECTED`).
enum PanelPhrases {
    static let question = Phrase("Question {0}", de: "Frage {0}", es: "Pregunta {0}")
    static let ticked = Phrase("ticked", de: "ausgewählt", es: "seleccionado")
    static let noAnswer = Phrase("No answer", de: "Keine Antwort", es: "Sin respuesta")
    static let done = Phrase("Done", de: "Fertig", es: "Listo")
    static let clear = Phrase("Clear", de: "Löschen", es: "Borrar")
    static let isThatRight = Phrase("Is that right?", de: "Ist das richtig?", es: "¿Es correcto?")
    static let takenBack = Phrase("Undone", de: "Zurückgenommen", es: "Deshecho")
    static let required = Phrase(
        "This question needs an answer", de: "Diese Frage muss beantwortet werden",
        es: "Hay que responder a esta pregunta")
    static let timeRunningOut = Phrase(
        "Time is running out", de: "Die Zeit läuft gleich ab", es: "El tiempo se está acabando")
    static let timeOver = Phrase("Time is up", de: "Die Zeit ist abgelaufen", es: "Se acabó el tiempo")
    static let waiting = Phrase(
        "This question is waiting for you", de: "Diese Frage wartet noch auf eine Antwort",
        es: "Esta pregunta sigue esperando una respuesta")
    static let nothingToDo = Phrase(
        "There is nothing to do now", de: "Im Moment gibt es nichts zu tun", es: "Ahora no hay nada que hacer")
    static let promptsOff = Phrase("Prompts are off", de: "Erinnerungen sind aus", es: "Los avisos están desactivados")
    static let promptsOn = Phrase("Prompts are on", de: "Erinnerungen sind an", es: "Los avisos están activados")
    static let later = Phrase("Later", de: "Später", es: "Más tarde")
    static let saved = Phrase("Thank you. Saved", de: "Danke. Gespeichert", es: "Gracias. Guardado")
    /// `{0}` are seconds.
    static let undoable = Phrase(
        "Saving in {0} seconds. Undo to change your answer",
        de: "Wird in {0} Sekunden gespeichert. Zum Ändern zurücknehmen",
        es: "Se guarda en {0} segundos. Deshaz para cambiar la respuesta")
    static let leaveWithoutSaving = Phrase(
        "Leave without saving?", de: "Ohne Speichern beenden?", es: "¿Terminar sin guardar?")
    static let leftWithoutSaving = Phrase(
        "Left without saving", de: "Ohne Speichern beendet", es: "Terminado sin guardar")

    /// The stages of leaving the study.
    static let leaveStudy = [
        Phrase("Leave the study?", de: "Aus der Studie aussteigen?", es: "¿Abandonar el estudio?"),
        Phrase(
            "Leave the study for good?", de: "Endgültig aus der Studie aussteigen?",
            es: "¿Abandonar el estudio definitivamente?"),
        Phrase(
            "Should the study delete the answers it has from you?",
            de: "Sollen die bisherigen Antworten aus der Studie gelöscht werden?",
            es: "¿Debe el estudio borrar tus respuestas?"),
    ]
    static let stayOrLeave = [
        Phrase("No, stay", de: "Nein, dabeibleiben", es: "No, seguir"),
        Phrase("Yes, leave", de: "Ja, aussteigen", es: "Sí, abandonar"),
    ]
    static let keepOrDelete = [
        Phrase("Keep them", de: "Behalten", es: "Conservarlas"), Phrase("Delete them", de: "Löschen", es: "Borrarlas"),
    ]

    static let back = Phrase("Back", de: "Zurück", es: "Atrás")
    static let switchPromptsOff = Phrase(
        "Switch prompts off", de: "Erinnerungen ausschalten", es: "Desactivar los avisos")
    static let switchPromptsOn = Phrase("Switch prompts on", de: "Erinnerungen einschalten", es: "Activar los avisos")
    static let lastMessage = Phrase(
        "Hear the last message", de: "Letzte Nachricht anhören", es: "Escuchar el último mensaje")
    static let leaveTheStudy = Phrase("Leave the study", de: "Aus der Studie aussteigen", es: "Abandonar el estudio")

    static let takeUp = Phrase("Start", de: "Jetzt antworten", es: "Responder ahora")
    static let notThisTime = Phrase("Skip", de: "Diesmal nicht", es: "Esta vez no")

    static let backToQuestion = Phrase("Back to the question", de: "Zurück zur Frage", es: "Volver a la pregunta")
    static let leaveQuestionOut = Phrase(
        "Skip this question", de: "Diese Frage überspringen", es: "Omitir esta pregunta")
    static let leaveTask = Phrase(
        "Leave this task without saving", de: "Diese Aufgabe ohne Speichern beenden",
        es: "Terminar esta tarea sin guardar")

    /// Everything that may be said in any study.
    static let all: [Phrase] =
        [
            noAnswer, done, clear, isThatRight, takenBack, required, timeRunningOut, timeOver, waiting, nothingToDo,
            promptsOff, promptsOn, later, saved, leaveWithoutSaving, leftWithoutSaving,
        ] + leaveStudy + stayOrLeave + keepOrDelete
        + [
            back, switchPromptsOff, switchPromptsOn, lastMessage, leaveTheStudy, takeUp, notThisTime, backToQuestion,
            leaveQuestionOut, leaveTask,
        ] + FaultPhrases.all
}
