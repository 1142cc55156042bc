// SPDX-License-Identifier: Apache-2.0
import Base

/// What a participant submitted at once: the answers of one run of one task. Each platform has its reader
/// (`LabSubmissions`, `LabPlatforms`, `SageResult`); a row of `answers.csv`.
package struct StudySubmission: Sendable, Hashable {
    package struct Answer: Sendable, Hashable {
        /// The question's name in the study.
        package let item: String
        /// As it came, a text without its quotation marks; empty where it was not asked or
        /// not answered.
        package let value: String
        /// Presses of the buttons; nil = unknown.
        package var presses: Int?
        /// When this one was given, where it is known apart from the whole.
        package var answered: StudyTime?
    }

    /// Unique among the participant's, and the same in each export: `schema-17`.
    package let id: String
    package var enrolment: String?
    /// The task's name in the study, where the study is known; else what the platform sends.
    package var task: String
    package let taskName: String?
    /// The prompt that it answers; nil for one without a prompt, and where none fits.
    package var prompt: String?
    package var due: StudyTime?
    package var presented: StudyTime?
    package var opened: StudyTime?
    package let answered: StudyTime
    /// By the lab's clock.
    package let received: Instant?
    /// How far off `answered` can be, one side, in seconds; nil = unknown.
    package var clockError: Double?
    package var answers: [Answer]
    /// The first submission of exactly the same content; nil for that one itself.
    package var repeats: String?
    /// The platform's own name of the run, where a submission has one.
    package var run: String?
    /// The version of the study under which it was given; nil = unknown.
    var studyVersion: String?
    /// That of the task's questions: of ESMira the study's, of FDA MyStudies the activity's.
    var taskVersion: String?

    /// How many seconds before `answered` it was received.
    var ahead: Double? { answered.ahead(of: received, clockError: clockError) }
}
