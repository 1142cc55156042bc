// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// Starts what the core wants of devices, files and the store (`CoreEffect` explains each effect). Answers that
/// are known at once are returned; all others come as events. Belongs to the loop.
struct EffectRunner {
    private let parts: AgentDependencies
    private let measuring: MeasuringControl
    private let readings: DeviceReadings

    init(_ parts: AgentDependencies, _ measuring: MeasuringControl, _ readings: DeviceReadings) {
        (self.parts, self.measuring, self.readings) = (parts, measuring, readings)
    }

    /// `owner` is the enrolment of recordings that are sealed now. Returns the answers that are known at once; nil
    /// for an effect that the loop itself carries out.
    func perform(
        _ effect: CoreEffect, owner: EnrolmentRecord?, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [CoreEvent]? {
        switch effect {
        case .device(let effect): return perform(effect)
        case .playMemo(let memo): play(memo)
        case .commit(let commit, let stamp):
            parts.commits.commit(commit.registered(to: DeliveryRoutes(parts.configuration.destinations)), at: stamp)
        case .discard(let recording): parts.folder.discard(recording)
        case .seal(let files, let anchors): seal(files, anchors, owner)
        case .settle(let files, let resumed):
            return [.found(files, try await parts.database.runKnowledge(of: files, resumed: resumed))]
        case .keepUpdate(let update, let source): return [try await keep(update, source)]
        case .withdraw(let deletes):
            guard let owner else { return [] }
            parts.enrolmentWithdraw(LeavingWish(parts.stamps.stamp(owner.id), deletesData: deletes))
        case .showFault(let fault, let isNew):
            let plan = Signals(parts.panel).plan(.fault(named: fault))
            // Without a light it sounds once.
            if isNew, parts.panel.leds.isEmpty { return perform(.signal(plan)) }
            parts.signals.play(plan.lightOnly.steps)
        case .remark(let place, let words):
            parts.log.warning("remark", metadata: ["place": "\(place)", "what": "\(words)"])
        case .finish: parts.commits.finish()
        case .anchors, .reload, .enter, .measure, .conducted: return nil
        }
        return []
    }

    private func perform(_ effect: DeviceEffect) -> [CoreEvent] {
        let recorder = measuring.system?.recorder
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
            guard let recorder else { return [.recorder(.memoFailed(id), of: nil)] }
            readings.cancel(recorder)
            recorder.startMemo(id)
        case .stopRecording: recorder?.stopMemo()
        case .mark(let time): recorder?.mark(at: time)
        case .withhold(let span): measuring.withhold(span)
        case .takePosition: parts.mailbox.post(.placeWanted)
        case .takeReading(let reading, let id): return readings.begin(reading, id, with: recorder)
        case .startRecorders(let recordings):
            guard let recorder else { return recordings.map { .recorder(.task(.notMeasured($0)), of: nil) } }
            recorder.startTask(recordings)
        case .stopRecorders(let ids): recorder?.stopTask(ids)
        // The core answers the others with effects of its own: `playMemo`, `discard`, `remark`.
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
        parts.speaker?.play { [opener = parts.opener] in
            let sound = try DeviceOpener.sound(of: memo.path, opener)
            return WaveFile(rate: sound.rate, channels: sound.channels, samples: sound.samples)
        }
    }

    private func seal(_ files: [RecordingDescription], _ anchors: [ClockAnchor], _ owner: EnrolmentRecord?) {
        Task(executorPreference: TaskThread.current) { [parts] in
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

    /// Its bytes are on the disk before anything refers to them.
    private func keep(
        _ update: PendingUpdate, _ source: String, isolation: isolated (any Actor)? = #isolation
    ) async throws -> CoreEvent {
        let digest = try await parts.database.keepStudyFile(
            update.loaded.bytes, source: source, at: parts.stamps.clock.now)
        return .updateKept(version: update.version, fileDigest: digest.description)
    }
}
