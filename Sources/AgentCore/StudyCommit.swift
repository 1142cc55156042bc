// SPDX-License-Identifier: Apache-2.0
import Recording
import Store

/// What one call of the conductor wants committed, in one transaction.
public struct StudyCommit: Sendable {
    /// Rows of the event log, in order.
    public var events: [StudyEvent] = []
    /// Requests to the study's server, in the order in which they are to be sent.
    public var drafts: [OutboxDraft] = []
    /// Trees of submitted runs, kept as files before the rows are committed.
    public var results: [ResultEntry] = []
    /// Recordings that never change again, to be registered after the rows.
    package var files: [Files] = []
    /// A submission is among them: the panel waits for the commit.
    public var hasSubmission = false

    public init() {}

    /// True when there is nothing to commit.
    public var isEmpty: Bool {
        events.isEmpty && drafts.isEmpty && results.isEmpty && files.allSatisfy(\.recordings.isEmpty)
    }

    /// Adds what came after.
    public mutating func add(_ other: StudyCommit) {
        events += other.events
        drafts += other.drafts
        results += other.results
        files += other.files
        hasSubmission = hasSubmission || other.hasSubmission
    }
}

extension StudyCommit {
    /// Recordings of somebody.
    package struct Files: Sendable {
        package let recordings: [SealedRecording]
        /// Whose; nil = nobody's.
        package let owner: EnrolmentRecord?
        /// False where the owner left, and nothing more is to be sent.
        package var isToBeSent = true
        /// They are off the disk already.
        package var isRemoved = false

        package init(_ recordings: [SealedRecording], of owner: EnrolmentRecord?) {
            self.recordings = recordings
            self.owner = owner
        }
    }
}
