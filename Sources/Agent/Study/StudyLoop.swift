// SPDX-License-Identifier: Apache-2.0
import Hardware
import Recording
import Samples
import ServiceLifecycle
import Store
import StudyEngine
import StudyModel
import Times

/// The one loop: takes an event from the mailbox, lets the conductor decide, and starts what was decided.
///
/// Starting is all it does: commits, signals, sounds and files run elsewhere and come back as events. The exceptions are
/// start, stop and a change of enrolment, at which nothing else may happen.
actor StudyLoop: Service {
    private let parts: AgentParts
    private var study: ActiveStudy?
    private var measuring: MeasuringSystem?
    private var memos = MemoShelf()
    private var anchors: [ClockAnchor] = []
    private var isTrusted = false
    private var alarm: Task<Void, Never>?
    private var isStopping = false

    init(_ parts: AgentParts) { self.parts = parts }

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await start()
            for await event in parts.mailbox.events {
                guard await take(event) else { break }
                setAlarm()
            }
            alarm?.cancel()
        } onGracefulShutdown: { [mailbox = parts.mailbox] in
            mailbox.post(.stop)
        }
    }

    // MARK: - Start, stop, change

    private func start() async throws {
        let last = try await parts.database.newestStamp()
        var opening = StudyCommit()
        opening.events.append(.agentStarted(version: AgentVersion.text))
        commit(opening)
        anchor()
        try await recover()
        try await begin(offSince: last?.wall)
    }

    /// Brings the enrolment to life and starts measuring for it.
    private func begin(offSince: Instant?) async throws {
        let now = parts.stamps.moment
        study = try await ActiveStudy.load(
            from: parts.database, panel: parts.panel, zone: parts.stamps.zone, limits: parts.limits, at: now)
        measuring = try await startMeasuring()
        if let id = study?.record.id { try await closeOpenRuns(of: id) }
        if isTrusted {
            if let offSince { conduct(.wasOff(from: offSince, to: now.instant)) }
            conduct(.clock(trusted: true))
        }
        conduct(.tick)
    }

    private func startMeasuring() async throws -> MeasuringSystem {
        let origin = RecordingOrigin(
            study: study?.record.studyID ?? "", participant: study?.record.participant,
            deviceID: DeviceNumber.read(), bootID: parts.stamps.bootID, zone: parts.stamps.zone)
        let active = parts.configuration.measures.filter { $0.activity == .always || study != nil }
        let setting = MeasuringSystem.Setting(
            devices: parts.devices, measures: active, origin: origin, folder: parts.folder, clock: parts.stamps.clock,
            needsMicrophone: study?.needsMicrophone ?? false)
        let system = try await onThread("studyd-start") { [mailbox = parts.mailbox] in
            try MeasuringSystem(
                setting, onEdge: { mailbox.post(.edge($0)) }, tell: { mailbox.post(.recorder($0)) })
        }
        system.setAnchors(anchors)
        return system
    }

    /// A run that a power cut ended is left; its answers were not submitted.
    private func closeOpenRuns(of enrolment: String) async throws {
        var closing = StudyCommit()
        for run in try await parts.database.openRuns(of: enrolment) {
            closing.events.append(.runLeft(task: run.task, opening: run.opening))
        }
        commit(closing)
    }

    private func change() async throws {
        await stopMeasuring()
        try await begin(offSince: nil)
    }

    private func stopMeasuring() async {
        guard let measuring else { return }
        self.measuring = nil
        _ = try? await onThread("studyd-stop") { measuring.stop() }
        parts.view.change { state in
            for measure in measuring.states { state.past.add(measure.counts) }
            state.measures = []
        }
    }

    /// Stops sampling, waits for the sealed files to be told, and writes the last row.
    private func stop() async {
        isStopping = true
        await stopMeasuring()
        parts.mailbox.post(.stop)
    }

    private func leave() {
        var closing = StudyCommit()
        closing.events.append(.agentStopped(reason: "asked to"))
        commit(closing)
        parts.commits.finish()
        parts.signals.play([])
    }

    // MARK: - Events

    /// False when the loop is to end.
    private func take(_ event: AgentEvent) async -> Bool {
        checkClock()
        switch event {
        case .edge(let edge):
            conduct(.button(ButtonEvent(button: edge.button, isPressed: edge.isPressed, time: edge.time)))
        case .alarm: conduct(.tick)
        case .committed(let hasSubmission): if hasSubmission { conduct(.stored) }
        case .fault(let fault): report(fault)
        case .recorder(let news): take(news)
        case .delivered: conduct(.delivered)
        case .enrolmentChanged:
            do { try await change() } catch { report("\(error)") }
        case .stop:
            guard isStopping else {
                await stop()
                return true
            }
            leave()
            return false
        }
        return true
    }

    private func report(_ fault: String?) {
        parts.view.change { $0.fault = fault }
        if let fault {
            parts.log.error("fault", metadata: ["what": "\(fault)"])
            var row = StudyCommit()
            row.events.append(.fault(place: "agent", message: fault))
            commit(row)
        }
        conduct(.fault(fault))
    }

    private func take(_ news: RecorderThread.News) {
        switch news {
        case .sealed(let recordings): commit(registration(of: recordings))
        case .memo(let id, let recording):
            if let owed = memos.keep(recording, of: id) { commit(registration(of: [owed])) }
        case .memoFailed: conduct(.recordingFailed)
        case .progress(let stored):
            if let measuring { look(at: measuring) }
            conduct(.recording(stored))
        }
    }

    /// Shows how the measures are doing; what has newly gone wrong is logged, once.
    private func look(at measuring: MeasuringSystem) {
        let known = Set(parts.view.now.sensorFaults)
        let faults = measuring.sensorFaults
        parts.view.change {
            $0.measures = measuring.states
            $0.buttonsLost = measuring.lostButtons
            $0.sensorFaults = faults
            $0.cost = measuring.cost
        }
        var row = StudyCommit()
        for fault in faults where !known.contains(fault) {
            parts.log.error("sensor", metadata: ["fault": "\(fault)"])
            row.events.append(.fault(place: "sensor", message: fault))
        }
        for fault in known.subtracting(faults) {
            parts.log.notice("sensor gives samples again", metadata: ["was": "\(fault)"])
        }
        commit(row)
    }

    private func conduct(_ event: StudyConductor.Event) {
        guard study != nil else { return glimpse([]) }
        let now = parts.stamps.moment
        guard let effects = study?.conductor.handle(event, at: now) else { return }
        var row = study?.scribe.commit(effects, at: now) ?? StudyCommit()
        for effect in effects.filter({ !$0.isSound }) + effects.filter(\.isSound) { perform(effect, adding: &row) }
        commit(row)
        glimpse(effects)
    }

    private func glimpse(_ effects: [StudyConductor.Effect]) {
        parts.view.change { $0.conductor = study?.conductor }
        parts.observer?(AgentGlimpse(conductor: study?.conductor, effects: effects, now: parts.stamps.moment))
    }

    private func commit(_ commit: StudyCommit) {
        parts.commits.commit(commit, at: parts.stamps.stamp(study?.record.id ?? ""))
    }

    private func setAlarm() {
        alarm?.cancel()
        let now = parts.stamps.moment
        guard let wake = study?.conductor.wake(at: now) else { return }
        alarm = Task { [clock = parts.stamps.clock, mailbox = parts.mailbox] in
            do { try await clock.sleep(until: wake) } catch { return }
            mailbox.post(.alarm)
        }
    }

    // MARK: - Time

    /// Notices a step of the wall clock: anchors anew and plans again.
    private func checkClock() {
        guard let last = anchors.last else { return }
        let now = parts.stamps.moment
        let step = now.instant - last.instant(at: now.monotonic)
        let isStep = abs(step.nanoseconds) > 500_000_000
        guard isStep || now.monotonic - last.monotonic > .seconds(300) else { return }
        if isStep {
            var row = StudyCommit()
            row.events.append(.clockStepped(nanoseconds: step.nanoseconds))
            commit(row)
        }
        anchor()
        if isStep { conduct(.tick) }
    }

    private func anchor() {
        let anchor = parts.trust.anchor(parts.stamps.clock)
        anchors.append(anchor)
        if anchors.count > 256 { anchors.removeSubrange(1..<129) }
        var row = StudyCommit()
        row.events.append(.anchored(anchor: AnchorRecord(anchor)))
        commit(row)
        parts.view.change { $0.anchor = anchor }
        measuring?.setAnchors(anchors)
        if anchor.isTrusted != isTrusted {
            isTrusted = anchor.isTrusted
            conduct(.clock(trusted: isTrusted))
        }
    }
}

// MARK: - Effects

extension StudyLoop {
    private func perform(_ effect: StudyConductor.Effect, adding row: inout StudyCommit) {
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

    private func registration(of recordings: [SealedRecording]) -> StudyCommit {
        RecordingRegistration(
            destination: parts.configuration.recordingsURL == nil ? nil : AgentDestinations.recordings,
            participant: study?.record.participant, study: study?.record.studyID, enrolment: study?.record.id
        ).commit(recordings)
    }

    /// Puts the recordings of an earlier start in order: cuts, seals, registers what the log does not know yet.
    private func recover() async throws {
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

extension StudyConductor.Effect {
    /// Played after what is said in the same breath, though it was wanted before.
    fileprivate var isSound: Bool {
        switch self {
        case .panel(.play), .panel(.playRecording): true
        default: false
        }
    }
}
