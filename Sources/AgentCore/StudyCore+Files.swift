// SPDX-License-Identifier: Apache-2.0
import Recording
import Store
import StudyEngine
import StudyModel
import Times

/// A submission that waits for the last files recorded for its run, and what came after it.
struct HeldSubmission: Sendable {
    let submission: Submission
    let memos: [SealedRecording]
    var row: StudyCommit
    /// Rows of the same enrolment keep their order.
    var later: [StudyCommit] = []
    /// Committed without the missing files then.
    let deadline: MonotonicTime

    /// Well over the recorders' patience, and below that of the panel.
    static let patience = Duration.seconds(8)
}

/// What is recorded while tasks are done and answers are spoken, and the results of runs.
extension StudyCore {
    /// Spoken answers of a submission among the effects are put into `row`, and into `spoken`.
    mutating func perform(
        _ effect: StudyConductor.Effect, adding row: inout StudyCommit, _ spoken: inout [SealedRecording]
    ) {
        switch effect {
        case .device(let effect): perform(effect)
        case .withdraw(let deletes): want(.withdraw(deletesData: deletes))
        case .note(.submitted(_, _, let submission)): spoken += attachMemos(of: submission, to: &row)
        case .note(.runLeft):
            for memo in memos.leave() { want(.discard(memo)) }
            discardTaskFiles()
        case .note, .report: break
        }
    }

    private mutating func perform(_ effect: DeviceEffect) {
        switch effect {
        case .playRecording(let id): if let memo = memos[id] { want(.playMemo(memo)) }
        case .discardRecording(let id): if let memo = memos.discard(id) { want(.discard(memo)) }
        case .startRecorders(let recordings):
            shelf.start(recordings)
            want(.device(effect))
        default: want(.device(effect))
        }
    }

    /// A memo is registered and queued in the same transaction as the answer that names it.
    private mutating func attachMemos(of submission: Submission, to row: inout StudyCommit) -> [SealedRecording] {
        let (named, unnamed) = memos.submit(submission.answers.values)
        row.files.append(StudyCommit.Files(named, of: study?.record))
        for memo in unnamed { want(.discard(memo)) }
        return named
    }

    /// What recorders say.
    mutating func take(_ news: RecorderNews, of owner: EnrolmentRecord?, at now: Moment) {
        switch news {
        case .sealed(let recordings):
            let others = recordings.filter { $0.description.task == nil }
            if !others.isEmpty { register(others, of: owner, at: now) }
            // Of runs that waited for the clock.
            let ofTasks = recordings.filter { $0.description.task != nil }
            if !ofTasks.isEmpty { want(.settle(ofTasks, resumed: nil)) }
        case .memo(let id, let recording):
            if let owed = memos.keep(recording, of: id) { register([owed], of: owner, at: now) }
        case .memoFailed: conduct(.recordingFailed, at: now)
        case .task(let recorded): take(recorded, of: owner, at: now)
        case .progress(let isStored): conduct(.recording(isStored), at: now)
        }
    }

    /// Files that never change again go into the log and the outbox of whose they are, who may have left meanwhile.
    func registration(of recordings: [SealedRecording], of owner: EnrolmentRecord?) -> StudyCommit {
        var row = StudyCommit()
        row.files = [StudyCommit.Files(recordings, of: owner)]
        return row
    }

    private mutating func register(_ recordings: [SealedRecording], of owner: EnrolmentRecord?, at now: Moment) {
        var row = registration(of: recordings, of: owner)
        if let owner, owner.id == leftForGood {
            row.files[0].isToBeSent = false
            row.files[0].isRemoved = true
            for recording in recordings { want(.discard(recording)) }
        }
        // Not behind what is held: they may be another enrolment's.
        want(.commit(row, stamp(owner?.id ?? "", at: now)))
    }

    /// The run was left: nothing recorded for it is kept.
    mutating func discardTaskFiles() {
        for file in shelf.leave() { want(.discard(file)) }
    }

    private mutating func take(_ recorded: TaskRecorded, of owner: EnrolmentRecord?, at now: Moment) {
        switch shelf.end(recorded) {
        case .kept: break
        case .discarded(let files): for file in files { want(.discard(file)) }
        case .owed(let files): if !files.isEmpty { register(files, of: owner, at: now) }
        }
        if let held, isComplete(held.submission) { release(at: now) }
    }

    /// Commits a submission together with what was recorded for its run, as soon as all of that is sealed.
    mutating func hold(_ row: StudyCommit, of submission: Submission, memos: [SealedRecording], at now: Moment) {
        release(at: now)
        let deadline = now.monotonic + HeldSubmission.patience
        held = HeldSubmission(submission: submission, memos: memos, row: row, deadline: deadline)
        if isComplete(submission) { release(at: now) }
    }

    /// Commits what is held, with the files that are there; nothing happens where nothing is held.
    mutating func release(at now: Moment) {
        guard var held else { return }
        self.held = nil
        if let run = held.submission.course?.id {
            let (recorded, earlier, files) = shelf.submit(run)
            held.row.files.append(StudyCommit.Files(files, of: study?.record))
            if let study, let task = study.loaded.study.task(held.submission.task) {
                let result = RunResult(
                    submission: held.submission, task: task, enrolment: study.record.id, zone: setting.zone,
                    recorded: recorded, earlier: earlier, memos: held.memos)
                held.row.results = [result.entry].compactMap(\.self)
            }
        }
        for row in [held.row] + held.later { commit(row, at: now) }
    }

    private func isComplete(_ submission: Submission) -> Bool {
        submission.course.map { shelf.isComplete($0.id) } ?? true
    }

    /// Files that an earlier start left: kept for a run that goes on or was submitted, discarded for one that was not.
    mutating func settle(_ files: [SealedRecording], _ knowledge: RunKnowledge, at now: Moment) {
        guard let latest = knowledge.latest else { return }
        for file in files {
            guard let note = file.description.task else { continue }
            let opening = note.run.split(separator: "-").last.flatMap { Int($0) } ?? 0
            if note.run == knowledge.resumed {
                shelf.adopt([file], of: note.run)
            } else if note.run.hasPrefix(latest.id + "-"), knowledge.submitted.contains("\(note.task)/\(opening)") {
                register([file], of: latest, at: now)
            } else {
                want(.discard(file))
            }
        }
    }
}
