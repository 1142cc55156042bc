// SPDX-License-Identifier: Apache-2.0

/// What a platform's own app adds to a study's texts, and its file therefore does not hold; the readers of
/// ESMira and MyStudies add it.
///
/// `Yes` and `No` as ResearchKit has them (`BOOL_YES`, `BOOL_NO` of its ResearchKit.strings).
package enum StudyPhrases {
    /// Labels of a question that the file only calls `boolean`.
    package static let yes = Phrase("Yes")
    package static let no = Phrase("No")
    /// An option that has a picture and no text.
    package static let picture = Phrase("picture {0}")
    /// After a round of a form that may be filled in again.
    package static let addMore = Phrase("Add more?")
    /// A task with an answer for the study's staff, and its question.
    package static let writeToTeam = Phrase("Write to the study team")
    package static let messageToTeam = Phrase("What do you want to tell the study team?")
    /// A task in which the participant changes when prompts come.
    package static let changeTimes = Phrase("Change the times of prompts")
    /// Its question for a single time.
    package static let newTime = Phrase("{0} now comes at {1}. When should it come?")
    /// Its questions for a stretch of the day.
    package static let newStart = Phrase("{0} now comes between {1} and {2}. From what time?")
    package static let newEnd = Phrase("{0}: until what time?")
    package static let timesChanged = Phrase(
        "The new times are saved. Prompts already planned for the next day may still come at the old times.")
    /// The study does not allow them.
    package static let timesRefused = Phrase("The study does not allow these times. They stay as they were.")
    /// A new version of the study has dropped the times that the participant had chosen.
    package static let timesDropped = Phrase(
        "The study has changed. Prompts that you had moved come at the study's own times again.")
    /// The end of a task that a branch leads to.
    package static let taskDone = Phrase("Thank you. The task is done.")
}
