// SPDX-License-Identifier: Apache-2.0
import Base

/// What the conductor wants written to the event log.
package enum StudyNote: Sendable {
    case drew(ChanceDraw)
    case prompted(Occurrence)
    /// The prompt's signal was given.
    case presented(occurrence: String)
    case pressed(ButtonEvent)
    /// An event marker was pressed; the text is its button's name.
    case marked(String, at: MonotonicTime)
    case sensorsPaused(Range<MonotonicTime>)
    case sensorsResumed(at: MonotonicTime, byHand: Bool)
    case putOff(occurrence: String)
    case listOpened, listLeft, menuOpened, menuLeft
    case promptsSwitched(on: Bool)
    /// `occurrence` is the one the run answers; nil = self-started.
    case runOpened(task: String, opening: Int, occurrence: String?)
    case answered(task: String, opening: Int, GivenAnswer)
    /// How far a performance has come; after a restart it goes on from the last of these.
    case progressed(task: String, opening: Int, TaskProgress)
    case submitted(task: String, opening: Int, Submission)
    case runLeft(task: String, opening: Int, end: RunRecord.End)
    case concluded(Occurrence, Outcome)
    /// The clock by which these fell due was wrong: they come again where the plan has them.
    case returned(occurrences: [String])
    case decided(DecisionRecord)
    /// A rule treated this decision point: its prompt is `DecisionRecord.occurrence`.
    case raised(DecisionRecord)
    case measured(OutcomeRecord)
    /// A date from which schedules count, or another value that outlives its run, is known now.
    case variableSet(name: String, value: AnswerValue)
    /// The server said so: the study's status, a message.
    case serverSaid(name: String, text: String)
}
