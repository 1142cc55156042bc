// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// What the loop starts for the core.
extension StudyLoop {
    /// Starts it; what answers at once is given back.
    func perform(_ effect: CoreEffect) async throws -> [CoreEvent] {
        switch effect {
        case .device(let effect): return perform(effect)
        case .playMemo(let memo): play(memo)
        case .commit(let commit, let stamp):
            parts.commits.commit(commit.registered(to: DeliveryRoutes(parts.configuration.destinations)), at: stamp)
        case .discard(let recording): parts.folder.discard(recording)
        case .seal(let files, let anchors): seal(files, anchors)
        case .anchors(let anchors): return handle(anchors)
        case .settle(let files, let resumed): return [.found(files, try await knowledge(of: files, resumed))]
        case .keepUpdate(let update, let source): return [try await keep(update, source)]
        case .reload:
            await parts.commits.drained()
            return [.reloaded(try await loadStudy())]
        case .enter: return await stopMeasuring() + [.entered(try await entry())]
        case .measure: if measuring == nil || measuringFor != target { return try await restartMeasuring() }
        case .withdraw(let deletes): parts.enrolmentWithdraw(deletes)
        case .showFault(let fault):
            parts.signals.play(Signals(parts.panel).plan(.fault(FaultPhrases.phrase(for: fault))).lightOnly.steps)
        case .remark(let place, let words):
            parts.log.warning("remark", metadata: ["place": "\(place)", "what": "\(words)"])
        case .conducted(let effects):
            let conductor = core.study?.conductor
            parts.observer?(AgentSnapshot(conductor: conductor, effects: effects, now: parts.stamps.moment))
        case .finish: parts.commits.finish()
        }
        return []
    }

    // MARK: - The panel's devices

    private func perform(_ effect: DeviceEffect) -> [CoreEvent] {
        switch effect {
        case .signal(let plan):
            parts.signals.play(plan.steps)
            parts.speaker?.play(plan)
        case .stopSignals:
            parts.signals.play([])
            parts.speaker?.stop()
        case .play(let media): play(media)
        case .stopPlaying: parts.speaker?.stop()
        case .startRecording(let id):
            guard let measuring else { return [.recorder(.memoFailed(id), of: nil)] }
            measuring.startMemo(id)
        case .stopRecording: measuring?.stopMemo()
        case .takePosition: parts.mailbox.post(.placeWanted)
        case .takeReading(let reading, let id): measure(reading, id)
        case .startRecorders(let recordings):
            guard let measuring else { return recordings.map { .recorder(.task(.notMeasured($0)), of: nil) } }
            measuring.startTask(recordings)
        case .stopRecorders(let ids): measuring?.stopTask(ids)
        default: break
        }
        return []
    }

    private func play(_ media: MediaReference) {
        parts.speaker?.play { [cache = parts.media] in
            let (samples, rate) = try cache.samples(of: media)
            return WaveFile(rate: rate, channels: 1, samples: samples)
        } failed: { [mailbox = parts.mailbox] in
            mailbox.post(.device(.soundFailed))
            mailbox.post(.fault("A sound of the study cannot be played: \($0)"))
        }
    }

    private func play(_ memo: SealedRecording) {
        parts.speaker?.play {
            let sound = try FLACReader.read(DiskFile(memo.path, .read))
            return WaveFile(rate: sound.rate, channels: sound.channels, samples: sound.samples)
        }
    }

    // MARK: - Files and the log

    private func handle(_ anchors: [ClockAnchor]) -> [CoreEvent] {
        parts.view.change { $0.anchor = anchors.last }
        measuring?.setAnchors(anchors)
        return anchors.last?.isTrusted == true ? settlePastLife() : []
    }

    private func seal(_ files: [RecordingDescription], _ anchors: [ClockAnchor]) {
        Task(executorPreference: TaskThread.current) { [parts, owner] in
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

    private func knowledge(of files: [SealedRecording], _ resumed: String?) async throws -> RunKnowledge {
        var knowledge = RunKnowledge(latest: try await parts.database.latestEnrolment()?.record, resumed: resumed)
        guard let latest = knowledge.latest else { return knowledge }
        if files.contains(where: { $0.memo != nil }) {
            knowledge.named = try await parts.database.spokenAnswers(in: latest.id)
        }
        for task in Set(files.compactMap(\.description.task?.task)) {
            for opening in try await parts.database.submittedOpenings(of: task, in: latest.id) {
                knowledge.submitted.insert("\(task)/\(opening)")
            }
        }
        return knowledge
    }

    /// Its bytes are on the disk before anything refers to them.
    private func keep(_ update: PendingUpdate, _ source: String) async throws -> CoreEvent {
        let digest = try await parts.database.keepStudyFile(
            update.loaded.bytes, source: source, at: parts.stamps.clock.now)
        return .updateKept(version: update.version, fileDigest: digest.description)
    }

    /// What is sealed from now on of an enrolment that was left, and whose unsent data was deleted,
    /// is deleted too. The enrolment that this is true of.
    func settleWithdrawal() async throws -> String? {
        guard let state = try await parts.database.latestEnrolment(), state.withdrawn != nil else { return nil }
        let id = state.record.id
        let isErased = try await parts.database.hasErasedAnswers(of: id)
        let isLeft = try await parts.database.hasDeletedUnsent(of: id)
        guard isErased || isLeft else { return nil }
        parts.results.remove(of: id)
        if isErased {
            // What was on its way to the log when the answers were deleted.
            await parts.commits.drained()
            try await parts.database.eraseAnswers(of: id, at: parts.stamps.stamp(id))
        }
        return id
    }
}
