// SPDX-License-Identifier: Apache-2.0
import Base

/// Something that happened and that a platform may want reported, made by `StudyConductor`,
/// `StudyCore`, `Enroller` and `ParticipantRequests`, and for moved times by the `Schedule`. The study's `ReportWriter` decides which of them are sent, and in which bytes.
package enum Report: Sendable {
    case enrolled
    /// The list of what can be done was opened, or left.
    case listOpened, listLeft
    /// The participant's own graphs.
    case graphsOpened, graphsLeft
    /// The menu with prompts off/on and leaving the study.
    case menuOpened, menuLeft
    case promptTaken(Occurrence)
    /// It was signalled for the first time.
    case prompted(Occurrence)
    /// A prompt of that task, or a reminder, is planned for then.
    case planned(task: String, due: Instant)
    /// What was planned for then has come, or is planned no more.
    case unplanned(task: String, due: Instant)
    /// It was announced, and needs no answer.
    case noticed(Occurrence)
    /// It was signalled again without a reaction so far.
    case reminded(Occurrence)
    /// Its signals are over, or it was never given any, and there was no reaction.
    case unanswered(Occurrence)
    case runOpened(task: String)
    case runLeft(task: String)
    case submitted(Submission)
    /// The participant moved a time of that task; how its times are now, in the platform's words.
    case timesMoved(task: String, text: String)
    /// The study is another version now.
    case updated
    /// The participant asked for what there is for taking part.
    case rewardAsked
    /// A script of that task has something to say to those who run the study.
    case logged(task: String, RunLog)
    /// The participant has left; with `deletesData` the study is to delete what it has.
    case withdrawn(deletesData: Bool)
}
