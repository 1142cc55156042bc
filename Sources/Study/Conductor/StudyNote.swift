// SPDX-License-Identifier: Apache-2.0

/// What the conductor wants written to the event log. `EventEncoder` makes rows of it; where the conductor knows
/// the row itself, that is the note.
package enum StudyNote: Sendable {
    case row(StudyEvent)
    case prompted(Occurrence)
    case pressed(ButtonEvent)
    /// How far a performance has come; after a restart it goes on from the last of these.
    case progressed(task: String, opening: Int, TaskProgress)
    case submitted(task: String, opening: Int, Submission)
    case runLeft(task: String, opening: Int, end: RunRecord.End)
    case concluded(Occurrence, Outcome)
    /// The clock by which these fell due was wrong: they come again where the plan has them.
    case returned(occurrences: [String])
}
