// SPDX-License-Identifier: Apache-2.0

/// What the panel says in every study, whatever is asked.
///
/// Where ResearchKit's own translations have a word for the same thing it is theirs: leave out
/// (`BUTTON_SKIP`), done (`BUTTON_DONE`), clear (`BUTTON_CLEAR`), the time that is over
/// (`MEMORY_GAME_TIMEOUT_TITLE`), ticked (`AX_SELECTED`).
enum PanelPhrases {
    static let question = Phrase("Question {0}")
    static let ticked = Phrase("ticked")
    static let noAnswer = Phrase("No answer")
    static let done = Phrase("Done")
    static let clear = Phrase("Clear")
    static let isThatRight = Phrase("Is that right?")
    static let takenBack = Phrase("Undone")
    static let required = Phrase("This question needs an answer")
    static let timeRunningOut = Phrase("Time is running out")
    static let timeOver = Phrase("Time is up")
    static let waiting = Phrase("This question is waiting for you")
    static let nothingToDo = Phrase("There is nothing to do now")
    static let promptsOff = Phrase("Prompts are off")
    static let promptsOn = Phrase("Prompts are on")
    static let running = Phrase("The device is running")
    static let recording = Phrase("The device is recording")
    static let sensorsPaused = Phrase("The sensors are paused: nothing is recorded")
    static let sensorsOn = Phrase("The device records again")
    static let marked = Phrase("Noted")
    static let later = Phrase("Later")
    static let saved = Phrase("Thank you. Saved")
    /// `{0}` are seconds.
    static let undoable = Phrase("Saving in {0} seconds. Undo to change your answer")
    static let leaveWithoutSaving = Phrase("Leave without saving?")
    static let leftWithoutSaving = Phrase("Left without saving")

    /// The stages of leaving the study.
    static let leaveStudy = [
        Phrase("Leave the study?"),
        Phrase("Leave the study for good?"),
        Phrase("Should the study delete the answers it has from you?"),
    ]
    static let stayOrLeave = [Phrase("No, stay"), Phrase("Yes, leave")]
    static let keepOrDelete = [Phrase("Keep them"), Phrase("Delete them")]

    static let back = Phrase("Back")
    static let switchPromptsOff = Phrase("Switch prompts off")
    static let switchPromptsOn = Phrase("Switch prompts on")
    static let lastMessage = Phrase("Hear the last message")
    static let pauseSensors = Phrase("Pause the sensors")
    static let endPause = Phrase("End the sensors' pause")
    static let leaveTheStudy = Phrase("Leave the study")

    static let takeUp = Phrase("Start")
    static let notThisTime = Phrase("Skip")

    static let backToQuestion = Phrase("Back to the question")
    static let leaveQuestionOut = Phrase("Skip this question")
    static let leaveTask = Phrase("Leave this task without saving")

    static let removable = Phrase("Nothing more waits for the stick. It may be pulled out")

    /// Everything that may be said in any study.
    static let all: [Phrase] =
        [
            noAnswer, done, clear, isThatRight, takenBack, required, timeRunningOut, timeOver, waiting, nothingToDo,
            promptsOff, promptsOn, running, recording, sensorsPaused, sensorsOn, marked, later, saved,
            removable, leaveWithoutSaving, leftWithoutSaving,
        ] + leaveStudy + stayOrLeave + keepOrDelete
        + [
            back, switchPromptsOff, switchPromptsOn, lastMessage, pauseSensors, endPause, leaveTheStudy, takeUp,
            notThisTime, backToQuestion,
            leaveQuestionOut, leaveTask,
        ] + FaultPhrases.all + DeviceCondition.allCases.map(\.phrase)
}
