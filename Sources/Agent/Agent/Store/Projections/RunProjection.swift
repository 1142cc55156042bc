// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// Runs of tasks (one for each time that a task was opened) and the answers given in them. `EnrolmentHistory` reads the
/// tables.
enum RunProjection: Projection {
    static let name = "run"
    static let version = 1
    static let tables = ["answer", "run"]
    static let kinds: Set<String> = ["runOpened", "runLeft", "answered", "submitted"]
    static let definition = """
        CREATE TABLE run (
            enrolment TEXT NOT NULL, task TEXT NOT NULL, opening INTEGER NOT NULL, occurrence TEXT,
            opened INTEGER NOT NULL, left_at INTEGER, submitted INTEGER,
            PRIMARY KEY (enrolment, task, opening)) STRICT;
        CREATE TABLE answer (
            enrolment TEXT NOT NULL, task TEXT NOT NULL, opening INTEGER NOT NULL, question TEXT NOT NULL,
            value TEXT NOT NULL, sequence INTEGER NOT NULL, presented INTEGER, answered INTEGER, presses INTEGER,
            PRIMARY KEY (enrolment, task, opening, question)) STRICT;
        CREATE INDEX answer_question ON answer (enrolment, question, sequence);
        """

    static func apply(_ logged: LoggedEvent, to connection: Connection) throws {
        let wall = logged.stamp.wall.nanoseconds
        let enrolment = logged.stamp.enrolment
        switch logged.event {
        case .runOpened(let task, let opening, let occurrence):
            try connection.run(
                "INSERT OR IGNORE INTO run VALUES (?, ?, ?, ?, ?, NULL, NULL)", enrolment, task, opening, occurrence,
                wall)
        case .runLeft(let task, let opening):
            try connection.run(
                "UPDATE run SET left_at = ? WHERE enrolment = ? AND task = ? AND opening = ?", wall, enrolment, task,
                opening)
        case .answered(let task, let opening, let answer):
            try keep(answer, task, opening, logged, connection)
        case .submitted(let task, let opening, let submission):
            try submit(submission, task, opening, logged, connection)
        default: break
        }
    }

    /// Without the key a submitted run still counts as submitted; its answers are missing.
    static func apply(encrypted row: StoredRow, to connection: Connection) throws {
        guard row.kind == "submitted", let run = row.run else { return }
        try connection.run(
            "UPDATE run SET submitted = ? WHERE enrolment = ? AND task = ? AND opening = ?",
            row.stamp.wall.nanoseconds, row.stamp.enrolment, run.task, run.opening)
    }

    private static func keep(
        _ answer: AnswerRecord, _ task: String, _ opening: Int, _ logged: LoggedEvent, _ connection: Connection
    ) throws {
        try connection.run(
            "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", logged.stamp.enrolment, task, opening,
            answer.question, try StoredAnswer.text(answer.value, in: connection), logged.sequence,
            answer.presented?.nanoseconds, answer.answered.nanoseconds, answer.presses)
    }

    /// The answers of the submission are final: they replace those logged one by one, and add those that were not
    /// logged, such as values drawn by chance.
    private static func submit(
        _ submission: SubmissionRecord, _ task: String, _ opening: Int, _ logged: LoggedEvent, _ connection: Connection
    ) throws {
        let enrolment = logged.stamp.enrolment
        try connection.run(
            "UPDATE run SET submitted = ? WHERE enrolment = ? AND task = ? AND opening = ?",
            submission.submitted.nanoseconds, enrolment, task, opening)
        for (question, value) in submission.answers.sorted(by: { $0.key < $1.key }) {
            try connection.run(
                """
                INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL)
                ON CONFLICT DO UPDATE SET value = excluded.value
                """, enrolment, task, opening, question, try StoredAnswer.text(value, in: connection), logged.sequence)
        }
    }
}

/// A run that was begun and neither submitted nor left: what a power cut leaves behind.
package struct OpenRun: Sendable, Hashable {
    package let task: String
    /// Which opening of the task, from 1.
    package let opening: Int
    /// Nil for a run the participant started.
    package let occurrence: String?
}

/// One submitted answer to one question, for graphs and messages.
package struct HistoryEntry: Sendable, Hashable {
    /// As submitted, hidden questions too.
    package let value: AnswerValue
    package let submitted: Instant
    /// The participant's at that moment; nil where the log no longer says so.
    package let zone: Zone?
}

package struct CompletedRun: Sendable, Hashable {
    package let task: String
    package let submitted: Instant
    /// The participant's at that moment; nil where nothing was answered.
    package let zone: Zone?
}
