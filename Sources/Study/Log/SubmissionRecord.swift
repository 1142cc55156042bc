// SPDX-License-Identifier: Apache-2.0
import Base

/// A finished run as the log has it: in the row `StudyEvent.submitted` of `EventEncoder`, read by
/// `RunProjection`.
package struct SubmissionRecord: LoggedRecord {
    /// What it answers; for a sticky task (which may be done again and again) always its first occurrence.
    private var occurrence: OccurrenceRecord
    /// Question ids of all steps in the order of this opening, hidden ones too.
    package var order: [String]
    /// By question id; absent = not answered. Hidden questions keep theirs.
    package var answers: [String: AnswerValue]
    /// Sorted ids of steps that were drawn, whether answered or not.
    private var drawn: [String]
    /// Wall clock of the submission.
    package var submitted: Instant
    /// When its first step was first presented, by the same clock; absent in rows of older versions.
    package var began: Instant?

    package init(_ submission: Submission) {
        occurrence = OccurrenceRecord(submission.occurrence)
        order = submission.order
        answers = submission.answers
        drawn = submission.drawn.sorted()
        submitted = submission.submitted
        began = submission.course?.began
    }

    package var occurrenceID: String { occurrence.id }
}
