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
    public var results: [ResultFolder.Entry] = []
    /// Recordings that never change again, to be registered after the rows.
    var files: [Files] = []
    /// A submission is among them: the panel waits for the commit.
    public var hasSubmission = false

    /// Nothing to commit.
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
    struct Files: Sendable {
        let recordings: [SealedRecording]
        /// Whose; nil = nobody's.
        let owner: EnrolmentRecord?
        /// False where the owner left, and nothing more is to be sent.
        var isToBeSent = true
        /// They are off the disk already.
        var isRemoved = false

        init(_ recordings: [SealedRecording], of owner: EnrolmentRecord?) {
            self.recordings = recordings
            self.owner = owner
        }
    }

    /// The same with rows and items in place of the files, whose descriptions are read from the disk. `destination` is where recordings go;
    /// nil = they stay on the device.
    func registered(to destination: String?) -> StudyCommit {
        var commit = self
        commit.files = []
        for files in files {
            let registration = RecordingRegistration(
                destination: files.isToBeSent ? destination : nil, participant: files.owner?.participant,
                study: files.owner?.studyID, enrolment: files.owner?.id)
            commit.add(registration.commit(files.recordings))
            guard files.isRemoved else { continue }
            commit.events += files.recordings.map {
                .recordingRemoved(recording: RecordingRegistration.id($0), reason: .withdrawal)
            }
        }
        return commit
    }
}
