// SPDX-License-Identifier: Apache-2.0
import Base

/// The files recorded for runs and spoken answers (memos), and the submission that is held until the last of
/// them is sealed, that is closed and final. `StudyCore` owns it; at most one submission is held. Pure.
///
/// A file is registered in the log with the submission it belongs to or later, never without one. Files that
/// are returned as left, unnamed or discarded are to be deleted by the caller.
struct RunFiles: Sendable {
    private var memos = PendingVoiceMemos()
    private var recordings = PendingRecordings()
    private var held: HeldSubmission?
    /// Runs submitted since the start, whose rows may not be in the log yet.
    private var submittedRuns: Set<String> = []

    // MARK: Spoken answers

    /// A spoken answer that can be listened to; nil while it is not sealed.
    func memo(_ id: String) -> SealedRecording? { memos[id] }

    /// The participant does not want the memo; nil where it has no file.
    mutating func discardMemo(_ id: String) -> SealedRecording? { memos.discard(id) }

    /// The run was left: returns the files of all its memos.
    mutating func leaveMemos() -> [SealedRecording] { memos.leave() }

    /// The sealed memos that the submission names, the ids it names that are not sealed yet, and memos
    /// that no answer names.
    mutating func submitMemos(
        of submission: Submission
    ) -> (named: [SealedRecording], missing: Set<String>, unnamed: [SealedRecording]) {
        memos.submit(submission.answers.values)
    }

    /// A memo's file was sealed. Returned where its answer was submitted already, with whether that
    /// submission is still held for it.
    mutating func keep(_ memo: SealedRecording, of id: String) -> (memo: SealedRecording, isAwaited: Bool)? {
        memos.keep(memo, of: id).map { ($0, held?.missing.remove(id) != nil) }
    }

    /// The memo could not be recorded: it is waited for no longer.
    mutating func failMemo(_ id: String) {
        memos.fail(id)
        held?.missing.remove(id)
    }

    // MARK: Recordings of runs

    mutating func start(_ started: [TaskRecording]) { recordings.start(started) }

    /// A recording ended, perhaps after its run; says what becomes of its files.
    mutating func end(_ recorded: TaskRecorded) -> PendingRecordings.Fate { recordings.end(recorded) }

    /// A file that was recorded for that run before a restart.
    mutating func adopt(_ file: SealedRecording, of run: String) { recordings.adopt([file], of: run) }

    /// No run is open any more: returns the files of runs that were not submitted.
    mutating func leaveRecordings() -> [SealedRecording] { recordings.leave() }

    /// The run was submitted: returns what was recorded for it, its files from before a restart, and all
    /// files to be registered, each once.
    mutating func submit(
        _ run: String
    ) -> (recorded: [TaskRecorded], earlier: [SealedRecording], files: [SealedRecording]) {
        submittedRuns.insert(run)
        return recordings.submit(run)
    }

    func wasSubmitted(_ run: String) -> Bool { submittedRuns.contains(run) }

    // MARK: The submission that waits

    var isHolding: Bool { held != nil }

    /// When the held submission is committed without the missing files; nil where none is held.
    var deadline: MonotonicTime? { held?.deadline }

    mutating func hold(_ submission: HeldSubmission) { held = submission }

    /// Keeps a row that is to be committed after the held submission; false where none is held.
    mutating func queue(_ row: StudyCommit, at stamp: EventStamp) -> Bool {
        held?.later.append((row, stamp))
        return isHolding
    }

    /// Adds a memo that the held submission waited for.
    mutating func add(_ memo: SealedRecording, _ files: StudyCommit.Files) {
        held?.memos.append(memo)
        held?.row.files.append(files)
    }

    /// The held submission, complete or not; it is held no longer.
    mutating func takeHeld() -> HeldSubmission? {
        defer { held = nil }
        return held
    }

    /// The held submission, if it waits for nothing more; nil otherwise.
    mutating func takeComplete() -> HeldSubmission? {
        guard let held, held.missing.isEmpty,
            held.submission.course.map({ recordings.isComplete($0.id) }) ?? true
        else { return nil }
        return takeHeld()
    }
}

/// A submission that waits for the last files recorded for its run, and what came after it.
struct HeldSubmission: Sendable {
    /// Above the interval at which recorders write (`RecorderPace`), below the time after which the panel
    /// reports a fault (`SessionLimits.replyTimeout`).
    static let patience = Duration.seconds(8)

    let submission: Submission
    fileprivate(set) var memos: [SealedRecording]
    /// Ids of spoken answers that are not sealed yet.
    fileprivate var missing: Set<String>
    /// What is committed with it.
    fileprivate(set) var row: StudyCommit
    /// When it was submitted.
    let stamp: EventStamp
    /// Rows decided after it, each with the moment of its decision: they are committed after it, in order.
    fileprivate(set) var later: [(StudyCommit, EventStamp)] = []

    init(
        _ submission: Submission, memos: [SealedRecording], missing: Set<String>, row: StudyCommit,
        at stamp: EventStamp
    ) {
        (self.submission, self.memos, self.missing, self.row) = (submission, memos, missing, row)
        self.stamp = stamp
    }

    /// When it is committed without the missing files.
    fileprivate var deadline: MonotonicTime { stamp.monotonic + Self.patience }
}
