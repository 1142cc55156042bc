// SPDX-License-Identifier: Apache-2.0
import Base

/// A submission that waits for the last files recorded for its run, and what came after it.
struct HeldSubmission: Sendable {
    let submission: Submission
    var spoken: SpokenAnswers
    var row: StudyCommit
    /// Rows of the same enrolment keep their order.
    var later: [StudyCommit] = []
    /// Committed without the missing files then.
    let deadline: MonotonicTime

    /// Well over the recorders' patience, and below that of the panel.
    static let patience = Duration.seconds(8)
}

/// The spoken answers of a submission.
struct SpokenAnswers: Sendable {
    var memos: [SealedRecording] = []
    /// Ids of those that are not sealed yet.
    var missing: Set<String> = []
}

/// What is recorded while tasks are done and answers are spoken, and the results of runs.
extension StudyCore {
    /// Spoken answers of a submission among the effects are put into `row`, and into `spoken`.
    mutating func perform(
        _ effect: StudyConductor.Effect, adding row: inout StudyCommit, _ spoken: inout SpokenAnswers
    ) {
        switch effect {
        case .device(.remark(let words)):
            want(.remark("study", words))
            row.events.append(.fault(place: "study", message: words))
        case .device(let effect): perform(effect)
        case .withdraw(let deletes): want(.withdraw(deletesData: deletes))
        case .note(.submitted(_, _, let submission)): spoken = attachMemos(of: submission, to: &row)
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
    private mutating func attachMemos(of submission: Submission, to row: inout StudyCommit) -> SpokenAnswers {
        let (named, missing, unnamed) = memos.submit(submission.answers.values)
        row.files.append(files(named, of: study?.record))
        for memo in unnamed { want(.discard(memo)) }
        return SpokenAnswers(memos: named, missing: missing)
    }

    mutating func handle(_ news: RecorderNews, of owner: EnrolmentRecord?, at now: Moment) {
        switch news {
        case .sealed(let recordings):
            let others = recordings.filter { !$0.isOfRun }
            if !others.isEmpty { register(others, of: owner, at: now) }
            // That waited for the clock.
            let ofRuns = recordings.filter(\.isOfRun)
            if !ofRuns.isEmpty { want(.settle(ofRuns, resumed: study?.conductor.openRun)) }
        case .memo(let id, let recording): handle(recording, spoken: id, of: owner, at: now)
        case .memoFailed(let id):
            memos.fail(id)
            held?.spoken.missing.remove(id)
            conduct(.device(.recordingFailed), at: now)
            releaseComplete(at: now)
        case .task(let recorded): handle(recorded, of: owner, at: now)
        case .direction(let degrees): conduct(.device(.reading(degrees.map { [$0] })), at: now)
        case .progress(let isStored): conduct(.recording(isStored), at: now)
        }
    }

    private mutating func handle(
        _ recording: SealedRecording, spoken id: String, of owner: EnrolmentRecord?, at now: Moment
    ) {
        guard let owed = memos.keep(recording, of: id) else { return }
        guard held?.spoken.missing.remove(id) != nil else { return register([owed], of: owner, at: now) }
        let file = files([owed], of: study?.record)
        held?.spoken.memos.append(owed)
        held?.row.files.append(file)
        releaseComplete(at: now)
    }

    /// Files that never change again go into the log and the outbox of whose they are, who may
    /// have left meanwhile.
    private func registration(of recordings: [SealedRecording], of owner: EnrolmentRecord?) -> StudyCommit {
        var row = StudyCommit()
        row.files = [files(recordings, of: owner)]
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
        want(.commit(row, setting.stamp(owner?.id ?? "", at: now)))
    }

    /// These files, with what the study's own server is sent with those that it takes.
    private func files(_ recordings: [SealedRecording], of owner: EnrolmentRecord?) -> StudyCommit.Files {
        var files = StudyCommit.Files(recordings, of: owner)
        guard let study, owner?.id == study.record.id else { return files }
        files.server = study.scribe.server
        for recording in recordings {
            files.fields[recording.number] = study.runFile(recording).flatMap(study.scribe.fields)
        }
        return files
    }

    /// The run was left: nothing recorded for it is kept.
    mutating func discardTaskFiles() {
        for file in shelf.leave() { want(.discard(file)) }
    }

    private mutating func handle(_ recorded: TaskRecorded, of owner: EnrolmentRecord?, at now: Moment) {
        switch shelf.end(recorded) {
        case .kept: break
        case .discarded(let files): for file in files { want(.discard(file)) }
        case .owed(let files): if !files.isEmpty { register(files, of: owner, at: now) }
        }
        releaseComplete(at: now)
    }

    /// Commits a submission together with what was recorded for its run, as soon as all
    /// of that is sealed.
    mutating func hold(_ row: StudyCommit, of submission: Submission, _ spoken: SpokenAnswers, at now: Moment) {
        release(at: now)
        let deadline = now.monotonic + HeldSubmission.patience
        held = HeldSubmission(submission: submission, spoken: spoken, row: row, deadline: deadline)
        releaseComplete(at: now)
    }

    /// Commits what is held once nothing is waited for.
    private mutating func releaseComplete(at now: Moment) {
        guard let held, held.spoken.missing.isEmpty, held.submission.course.map({ shelf.isComplete($0.id) }) ?? true
        else { return }
        release(at: now)
    }

    /// Commits what is held, with the files that are there; nothing happens where nothing is held.
    mutating func release(at now: Moment) {
        guard var held else { return }
        self.held = nil
        if let run = held.submission.course?.id {
            submittedRuns.insert(run)
            let (recorded, earlier, files) = shelf.submit(run)
            held.row.files.append(self.files(files, of: study?.record))
            if let study, let task = study.loaded.study.task(held.submission.task) {
                let result = RunResult(
                    submission: held.submission, task: task, enrolment: study.record.id, zone: setting.zone,
                    recorded: recorded, earlier: earlier, memos: held.spoken.memos, digest: setting.digest)
                held.row.results = [result.entry].compactMap(\.self)
                if study.scribe.waits(held.submission) {
                    var submission = held.submission
                    submission.recorded = result.recordings
                    submission.spoken = result.spoken
                    held.row.drafts += drafts(.submitted(submission), at: now)
                }
            }
        }
        for row in [held.row] + held.later { commit(row, at: now) }
    }

    /// Files that an earlier start left: kept for a run that goes on or was submitted, discarded
    /// for one that was not. A spoken answer is kept where a submission names it.
    mutating func settle(_ files: [SealedRecording], _ knowledge: RunKnowledge, at now: Moment) {
        for file in files {
            if let memo = file.memo {
                if let latest = knowledge.latest, knowledge.named.contains(memo) {
                    register([file], of: latest, at: now)
                } else {
                    want(.discard(file))
                }
            }
            guard let latest = knowledge.latest, let note = file.description.task else { continue }
            let opening = note.run.split(separator: "-").last.flatMap { Int($0) } ?? 0
            if note.run == knowledge.resumed {
                shelf.adopt([file], of: note.run)
            } else if submittedRuns.contains(note.run)
                || note.run.hasPrefix(latest.id + "-") && knowledge.submitted.contains("\(note.task)/\(opening)")
            {
                register([file], of: latest, at: now)
            } else {
                want(.discard(file))
            }
        }
    }
}
