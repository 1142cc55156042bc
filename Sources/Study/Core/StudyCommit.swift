// SPDX-License-Identifier: Apache-2.0
import Base

/// What is committed in one transaction: `StudyCore` has it from `EventEncoder`, and `CommitService` stores it.
package struct StudyCommit: Sendable {
    /// Rows of the event log, in order.
    package var events: [StudyEvent] = []
    /// Requests to the study's server, in the order in which they are to be sent.
    package var drafts: [OutboxDraft] = []
    /// Trees of submitted runs, kept as files before the rows are committed.
    package var results: [ResultEntry] = []
    /// Recordings that never change again, to be registered after the rows.
    package var files: [Files] = []

    package init() {}

    /// Runs that are submitted in it: the panel waits for the commit.
    package var submissions: [SubmittedRun] {
        events.compactMap { event in
            guard case .submitted(let task, let opening, _) = event else { return nil }
            return SubmittedRun(task: task, opening: opening)
        }
    }
    package var hasSubmission: Bool { !submissions.isEmpty }

    /// True when there is nothing to commit.
    package var isEmpty: Bool {
        events.isEmpty && drafts.isEmpty && results.isEmpty && files.allSatisfy(\.recordings.isEmpty)
    }

    /// `other` must be the later commit.
    package mutating func add(_ other: StudyCommit) {
        events += other.events
        drafts += other.drafts
        results += other.results
        files += other.files
    }

    package struct Files: Sendable {
        /// Sealed files that belong to the rows, as the log is to name them.
        package let recordings: [SealedRecording]
        /// The enrolment; nil = none.
        package let owner: EnrolmentRecord?
        /// False where the owner left, and nothing more is to be sent.
        package var isToBeSent = true
        /// They are off the disk already.
        package var isRemoved = false
        /// Name of the destination that is the study's own server; nil = it takes none of the files.
        package var server: String?
        /// The form fields that the study's server is sent with a file, by the file's number. A file
        /// without an entry is not sent to that server.
        package var fields: [Int: [String: String]] = [:]

        package init(_ recordings: [SealedRecording], of owner: EnrolmentRecord?) {
            (self.recordings, self.owner) = (recordings, owner)
        }
    }
}
