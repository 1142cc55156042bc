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

    func perform(_ effect: StudyConductor.Effect, adding row: inout StudyCommit) {
        switch effect {
        case .panel(let effect): perform(effect)
        case .withdraw: parts.enrolmentWithdraw()
        case .note(.submitted(_, _, let submission)): attachMemos(of: submission, to: &row)
        case .note(.runLeft): for memo in memos.leave() { parts.folder.discard(memo) }
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
        case .discardRecording(let id):
            if let memo = memos.discard(id) { parts.folder.discard(memo) }
        default: break
        }
    }

    private func startMemo(_ id: String) {
        guard let measuring else { return parts.mailbox.post(.recorder(.memoFailed(id))) }
        measuring.startMemo(id)
    }

    private func play(_ media: MediaReference) {
        parts.speaker?.play { [cache = parts.media] in
            let (samples, rate) = try cache.samples(of: media)
            return WaveFile(rate: rate, channels: 1, samples: samples)
        } failed: { [mailbox = parts.mailbox] in
            mailbox.post(.fault("A sound of the study cannot be played: \($0)"))
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
    private func attachMemos(of submission: Submission, to row: inout StudyCommit) {
        let (named, unnamed) = memos.submit(submission.answers.values)
        row.add(registration(of: named))
        for memo in unnamed { parts.folder.discard(memo) }
    }

    func registration(of recordings: [SealedRecording]) -> StudyCommit {
        RecordingRegistration(
            destination: parts.configuration.recordingsURL == nil ? nil : AgentDestinations.recordings,
            participant: study?.record.participant, study: study?.record.studyID, enrolment: study?.record.id
        ).commit(recordings)
    }

    // MARK: - What an earlier start left

    /// Puts the recordings of an earlier start in order: cuts, seals, registers what the log does not know yet.
    func recover() async throws {
        let stamps = parts.stamps
        let folder = parts.folder
        var known: [String: [ClockAnchor]] = [stamps.bootID: anchors]
        let drafts = try await onThread("studyd-recover") { try folder.openBoots() }
        for boot in drafts where known[boot] == nil { known[boot] = try await parts.database.anchors(ofBoot: boot) }
        let anchorsByBoot = known
        let recovery = try await onThread("studyd-recover") {
            try folder.recover(bootID: stamps.bootID, zone: stamps.zone) { anchorsByBoot[$0] ?? [] }
        }
        for fault in recovery.faults { parts.log.error("recording", metadata: ["fault": "\(fault)"]) }
        let registered = Set(try await parts.database.recordingViews().map(\.recording.id))
        let sealed = try await onThread("studyd-recover") { try folder.sealed() }
        for fault in sealed.faults { parts.log.error("recording", metadata: ["fault": "\(fault)"]) }
        let orphans = sealed.recordings.filter { !registered.contains(RecordingRegistration.id($0)) }
        for memo in orphans where memo.isMemo { folder.discard(memo) }
        let found = orphans.filter { !$0.isMemo }
        commit(registration(of: found))
        var past = Ledger.SampleCounts(try await parts.database.ledger())
        for recording in found { past.add(recording.description) }
        parts.view.change { [past] in $0.past = past }
    }
}
