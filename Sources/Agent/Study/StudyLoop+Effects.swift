// SPDX-License-Identifier: Apache-2.0
import Hardware
import Recording
import Store
import StudyEngine
import StudyModel
import Times

/// What the loop starts, and what it finds when it starts itself.
extension StudyLoop {
    // MARK: - Effects

    /// Spoken answers of a submission among the effects are put into `row`, and into `spoken`.
    func perform(
        _ effect: StudyConductor.Effect, adding row: inout StudyCommit, _ spoken: inout [SealedRecording]
    ) {
        switch effect {
        case .panel(let effect): perform(effect)
        case .withdraw(let deletes): parts.enrolmentWithdraw(deletes)
        case .note(.submitted(_, _, let submission)): spoken += attachMemos(of: submission, to: &row)
        case .note(.runLeft):
            for memo in memos.leave() { parts.folder.discard(memo) }
            discardTaskFiles()
        case .note, .report: break
        }
    }

    private func perform(_ effect: PanelEffect) {
        switch effect {
        case .signal(let plan):
            parts.signals.play(plan.steps)
            parts.speaker?.tell(plan)
        case .stopSignals:
            parts.signals.play([])
            parts.speaker?.stop()
        case .play(let media): play(media)
        case .stopPlaying: parts.speaker?.stop()
        case .startRecording(let id): startMemo(id)
        case .stopRecording: measuring?.stopMemo()
        case .playRecording(let id): playMemo(id)
        case .takePosition: parts.mailbox.post(.placeWanted)
        case .startRecorders(let recordings): startRecorders(recordings)
        case .stopRecorders(let ids): measuring?.stopTask(ids)
        case .discardRecording(let id):
            if let memo = memos.discard(id) { parts.folder.discard(memo) }
        default: break
        }
    }

    private func startMemo(_ id: String) {
        guard let measuring else { return parts.mailbox.post(.recorder(.memoFailed(id), of: nil)) }
        measuring.startMemo(id)
    }

    private func play(_ media: MediaReference) {
        parts.speaker?.play { [cache = parts.media] in
            let (samples, rate) = try cache.samples(of: media)
            return WaveFile(rate: rate, channels: 1, samples: samples)
        } failed: { [mailbox = parts.mailbox] in
            mailbox.post(.soundFailed("A sound of the study cannot be played: \($0)"))
        }
    }

    private func playMemo(_ id: String) {
        guard let memo = memos[id] else { return }
        parts.speaker?.play {
            let sound = try FLACReader.read(DiskFile(memo.path, .read))
            return WaveFile(rate: sound.rate, channels: sound.channels, samples: sound.samples)
        }
    }

    /// A memo is registered and queued in the same transaction as the answer that names it.
    private func attachMemos(of submission: Submission, to row: inout StudyCommit) -> [SealedRecording] {
        let (named, unnamed) = memos.submit(submission.answers.values)
        row.add(registration(of: named, of: study?.record))
        for memo in unnamed { parts.folder.discard(memo) }
        return named
    }

    // MARK: - Sealed files

    func registration(of recordings: [SealedRecording], of owner: EnrolmentRecord?) -> StudyCommit {
        RecordingRegistration(
            destination: parts.configuration.recordingsURL == nil ? nil : AgentDestinations.recordings,
            participant: owner?.participant, study: owner?.studyID, enrolment: owner?.id
        ).commit(recordings)
    }

    /// Files that never change again go into the log and the outbox of whose they are, who may have left meanwhile.
    func register(_ recordings: [SealedRecording], of owner: EnrolmentRecord?) {
        var row = registration(of: recordings, of: owner)
        if let owner, owner.id == leftForGood {
            row.drafts = []
            row.events += recordings.map {
                .recordingRemoved(recording: RecordingRegistration.id($0), reason: .withdrawal)
            }
            for recording in recordings { parts.folder.discard(recording) }
        }
        parts.commits.commit(row, at: parts.stamps.stamp(owner?.id ?? ""))
    }

    /// What is sealed from now on of an enrolment that was left, and whose unsent data was deleted, is deleted too.
    func noteWithdrawal() async throws {
        guard let state = try await parts.database.latestEnrolment(), state.withdrawn != nil else { return }
        let id = state.record.id
        let isErased = try await parts.database.hasErasedAnswers(of: id)
        let isLeft = try await parts.database.hasDeletedUnsent(of: id)
        leftForGood = isErased || isLeft ? id : nil
        if leftForGood != nil { parts.results.remove(of: id) }
        if isErased {
            // What was on its way to the log when the answers were deleted.
            await parts.commits.drained()
            try await parts.database.eraseAnswers(
                of: id, reason: StudyDatabase.withdrawal, at: parts.stamps.stamp(id))
        }
    }

    /// Seals what waited for the clock.
    func sealWaiting() {
        let files = waiting
        waiting = []
        guard !files.isEmpty else { return }
        Task { [parts, anchors, owner] in
            do {
                let sealed = try await onThread("studyd-seal") {
                    try parts.folder.sealWaiting(files, anchors: anchors, zone: parts.stamps.zone)
                }
                parts.mailbox.post(.recorder(.sealed(sealed), of: owner))
            } catch {
                parts.log.error("recording", metadata: ["fault": "\(error)"])
            }
        }
    }

    // MARK: - What an earlier start left

    /// Puts the recordings of an earlier start in order: cuts, seals, registers what the log does not know yet.
    func recover() async throws {
        let stamps = parts.stamps
        let first = coming?.firstNumber ?? .max
        let folder = parts.folder
        var known: [String: [ClockAnchor]] = [stamps.bootID: anchors]
        let drafts = try await onThread("studyd-recover") { try folder.openBoots() }
        for boot in drafts where known[boot] == nil { known[boot] = try await parts.database.anchors(ofBoot: boot) }
        let anchorsByBoot = known
        let recovery = try await onThread("studyd-recover") {
            try folder.recover(bootID: stamps.bootID, zone: stamps.zone, before: first) { anchorsByBoot[$0] ?? [] }
        }
        for fault in recovery.faults { parts.log.error("recording", metadata: ["fault": "\(fault)"]) }
        waiting = recovery.waiting
        try await noteWithdrawal()
        tell(removed: recovery.removedLosses)
        let registered = try await parts.database.recordingNumbers()
        let sealed = try await onThread("studyd-recover") { try folder.sealed(besides: registered, before: first) }
        for fault in sealed.faults { parts.log.error("recording", metadata: ["fault": "\(fault)"]) }
        let orphans = sealed.recordings
        for memo in orphans where memo.isMemo { folder.discard(memo) }
        foundForTasks = orphans.filter { $0.description.task != nil }
        let found = orphans.filter { !$0.isMemo && $0.description.task == nil }
        let removed = recovery.removedDrafts.filter { $0.countedUnit == "samples" && !$0.isExtra }
        try await findPastLife(
            found.map(\.description) + waiting,
            removed: removed.map { PastLife.File(measure: $0.kind, start: $0.start, end: $0.start, stored: 0) })
        // They are of the latest enrolment: a change of enrolment seals all that is open.
        let owner = try await parts.database.latestEnrolment()?.record ?? parts.kept.read()
        // Before they are registered: the row may be written at any moment, and would count them twice.
        var past = Ledger.SampleCounts(try await parts.database.ledger())
        for description in found.map(\.description) + waiting { past.add(description) }
        parts.view.change { [past] in $0.past = past }
        register(found, of: owner)
    }

    /// Files that were begun but had nothing whole on the disk, and the most that each can have lost: a sync interval.
    private func tell(removed: [String: Int]) {
        var row = StudyCommit()
        for (name, lost) in removed.sorted(by: { $0.key < $1.key }) {
            let message =
                "\(name) had nothing whole on the disk when the power went; it was removed, with at most \(lost) lost"
            parts.log.notice("recording", metadata: ["loss": "\(message)"])
            row.events.append(.fault(place: "recording", message: message))
        }
        commit(row)
    }
}
