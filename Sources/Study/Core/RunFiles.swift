// SPDX-License-Identifier: Apache-2.0
import Base

/// The files recorded for runs (`recordings`) and of spoken answers (`memos`), and the submission that is held
/// until the last of them is sealed, that is closed and final. `StudyCore` owns it; at most one submission is held.
/// Pure.
///
/// A file is registered in the log with the submission it belongs to or later, never without one.
struct RunFiles: Sendable {
    var memos = PendingVoiceMemos()
    var recordings = PendingRecordings()
    private var held: HeldSubmission?
    /// Runs submitted since the start, whose rows may not be in the log yet.
    private var submittedRuns: Set<String> = []

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

    /// The run was submitted: returns what was recorded for it, its files from before a restart, and all
    /// files to be registered, each once.
    mutating func submit(
        _ run: String
    ) -> (recorded: [TaskRecorded], earlier: [SealedRecording], files: [SealedRecording]) {
        submittedRuns.insert(run)
        return recordings.submit(run)
    }

    func wasSubmitted(_ run: String) -> Bool { submittedRuns.contains(run) }

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
