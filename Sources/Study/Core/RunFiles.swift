// SPDX-License-Identifier: Apache-2.0
import Base

/// What is recorded while tasks are done and answers are spoken, and the submission that waits for
/// it. Pure.
struct RunFiles: Sendable {
    private var memos = PendingVoiceMemos()
    private var recordings = PendingRecordings()
    private var held: HeldSubmission?
    /// Since the start: their rows may be on their way to the log.
    private var submittedRuns: Set<String> = []

    // MARK: Spoken answers

    /// A spoken answer that can be listened to; nil while it is not sealed.
    func memo(_ id: String) -> SealedRecording? { memos[id] }

    mutating func discardMemo(_ id: String) -> SealedRecording? { memos.discard(id) }

    mutating func leaveMemos() -> [SealedRecording] { memos.leave() }

    /// The spoken answers that it names, ids of those that are not sealed yet, and memos that no answer
    /// names.
    mutating func submitMemos(
        of submission: Submission
    ) -> (named: [SealedRecording], missing: Set<String>, unnamed: [SealedRecording]) {
        memos.submit(submission.answers.values)
    }

    /// A memo's file was sealed; given back where its answer was submitted already, with whether
    /// that submission still waits for it.
    mutating func keep(_ memo: SealedRecording, of id: String) -> (memo: SealedRecording, isAwaited: Bool)? {
        memos.keep(memo, of: id).map { ($0, held?.missing.remove(id) != nil) }
    }

    /// It could not be recorded.
    mutating func failMemo(_ id: String) {
        memos.fail(id)
        held?.missing.remove(id)
    }

    // MARK: Recordings of runs

    mutating func start(_ started: [TaskRecording]) { recordings.start(started) }

    mutating func end(_ recorded: TaskRecorded) -> PendingRecordings.Fate { recordings.end(recorded) }

    /// A file that was recorded for that run before a restart.
    mutating func adopt(_ file: SealedRecording, of run: String) { recordings.adopt([file], of: run) }

    mutating func leaveRecordings() -> [SealedRecording] { recordings.leave() }

    /// What was recorded for it, files of before a restart, and the files to be registered, each once.
    mutating func submit(
        _ run: String
    ) -> (recorded: [TaskRecorded], earlier: [SealedRecording], files: [SealedRecording]) {
        submittedRuns.insert(run)
        return recordings.submit(run)
    }

    func wasSubmitted(_ run: String) -> Bool { submittedRuns.contains(run) }

    // MARK: The submission that waits

    var isHolding: Bool { held != nil }

    /// When it is committed without the missing files.
    var deadline: MonotonicTime? { held?.deadline }

    mutating func hold(_ submission: HeldSubmission) { held = submission }

    /// Takes a row that is to be committed behind it; false where none waits.
    mutating func queue(_ row: StudyCommit, at stamp: EventStamp) -> Bool {
        held?.later.append((row, stamp))
        return isHolding
    }

    /// The spoken answer that it waited for.
    mutating func add(_ memo: SealedRecording, _ files: StudyCommit.Files) {
        held?.memos.append(memo)
        held?.row.files.append(files)
    }

    mutating func takeHeld() -> HeldSubmission? {
        defer { held = nil }
        return held
    }

    /// The same once nothing is waited for.
    mutating func takeComplete() -> HeldSubmission? {
        guard let held, held.missing.isEmpty,
            held.submission.course.map({ recordings.isComplete($0.id) }) ?? true
        else { return nil }
        return takeHeld()
    }
}

/// A submission that waits for the last files recorded for its run, and what came after it.
struct HeldSubmission: Sendable {
    /// Well over the recorders' patience, and below that of the panel.
    static let patience = Duration.seconds(8)

    let submission: Submission
    fileprivate(set) var memos: [SealedRecording]
    /// Ids of spoken answers that are not sealed yet.
    fileprivate var missing: Set<String>
    fileprivate(set) var row: StudyCommit
    /// When it was submitted.
    let stamp: EventStamp
    /// Rows of the same enrolment keep their order, and each the moment of its decision.
    fileprivate(set) var later: [(StudyCommit, EventStamp)] = []

    init(
        _ submission: Submission, memos: [SealedRecording], missing: Set<String>, row: StudyCommit,
        at stamp: EventStamp
    ) {
        (self.submission, self.memos, self.missing, self.row) = (submission, memos, missing, row)
        self.stamp = stamp
    }

    /// Committed without the missing files then.
    fileprivate var deadline: MonotonicTime { stamp.monotonic + Self.patience }
}
