// SPDX-License-Identifier: Apache-2.0
import Database
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
    let parts: AgentParts
    var study: ActiveStudy?
    var measuring: MeasuringSystem?
    var memos = MemoShelf()
    var shelf = TaskShelf()
    var held: HeldSubmission?
    /// Recorded for runs of an earlier start, until it is known what became of those.
    var foundForTasks: [SealedRecording] = []
    var anchors: [ClockAnchor] = []
    var isTrusted = false
    /// What the start still has to do; nil once all of it is done.
    var coming: Coming?
    /// Whom the log names, until the study is read.
    var expected: EnrolmentRecord?
    /// What their study needs of measuring.
    var expectedNeeds = StudyNeeds()
    /// For whom is measured, and what their study needs of it.
    var measuringFor: MeasuringTarget?
    private var health = DeviceHealth()
    /// Faults of the hardware that were logged and shown.
    var told: Set<String> = []
    private var alarm: Task<Void, Never>?
    var isStopping = false
    /// The enrolment of which nothing more is to be sent.
    var leftForGood: String?
    /// Of the participant whose enrolment was lost with the store.
    var lostEnrolment: EnrolmentRecord?
    /// Waits until nothing is open on the panel.
    var update: PendingUpdate?
    /// Files of this boot, sealed once its clock is trusted.
    var waiting: [RecordingDescription] = []
    /// When the device was off, until the scheduler has been told, which takes a trusted clock; ends at a time of this boot.
    var off: (since: Instant, until: MonotonicTime)?
    /// A span of measuring of which the account is not written yet, and its end in UTC where that was in another boot.
    var pastLife: PastLife?
    var pastLifeEnd: Instant?
    /// When measuring began again after it.
    var pastLifeUntil: MonotonicTime?
    /// From which on samples are due.
    var measuringSince: MonotonicTime?

    init(_ parts: AgentParts) { self.parts = parts }

    func run() async throws {
        try await withGracefulShutdownHandler {
            do { try await start() } catch let error as DatabaseError {
                // Damage that lies deeper than the opening of the store looked.
                await parts.repair(error.message)
                try await start()
            }
            for await event in parts.mailbox.events {
                guard try await takeOrDefer(event) else { break }
                setAlarm()
            }
            alarm?.cancel()
        } onGracefulShutdown: { [mailbox = parts.mailbox] in
            mailbox.post(.stop)
        }
    }

    // MARK: - Stop, change

    /// What fell due while the device was off can be told only now: before, nobody knew how long that was.
    func tellTrust() {
        if isTrusted, let off {
            self.off = nil
            let now = parts.stamps.moment
            conduct(.wasOff(from: off.since, to: now.instant + (off.until - now.monotonic)))
        }
        conduct(.clock(trusted: isTrusted))
    }

    /// Measures with whatever is there now.
    func restartMeasuring() async throws {
        await stopMeasuring()
        let target = target
        let system = try await startMeasuring(target.needs)
        (measuring, measuringFor) = (system, target)
        noteMeasuring(system)
        parts.signs.measure(system.signs, recorder: system.recorderSign)
        look(at: system)
    }

    private func startMeasuring(_ needs: StudyNeeds) async throws -> MeasuringSystem {
        let origin = RecordingOrigin(
            study: owner?.studyID ?? "", participant: owner?.participant,
            deviceID: DeviceNumber.read(), bootID: parts.stamps.bootID, zone: parts.stamps.zone,
            software: "studyd " + AgentVersion.text)
        let active = parts.configuration.measures.filter { $0.activity == .always || owner != nil }
        let setting = MeasuringSystem.Setting(
            devices: parts.devices, measures: active, origin: origin, folder: parts.folder, clock: parts.stamps.clock,
            needsMicrophone: needs.microphone, needsPosition: needs.position,
            listener: parts.listener, heartbeat: Heartbeat(path: parts.heartbeat, boot: parts.stamps.bootID))
        let system = try await onThread("studyd-start") { [mailbox = parts.mailbox, owner = owner] in
            try MeasuringSystem(
                setting, onEdge: { mailbox.post(.edge($0)) }, tell: { mailbox.post(.recorder($0, of: owner)) })
        }
        system.setAnchors(anchors)
        return system
    }

    func change() async throws {
        release()
        await stopMeasuring()
        discardTaskFiles()
        try await noteWithdrawal()
        try await begin()
    }

    private func stopMeasuring() async {
        guard let measuring else { return }
        self.measuring = nil
        parts.signs.measure([], recorder: nil)
        let rates = measuring.rates
        let held = try? await onThread("studyd-stop") { measuring.stop() }
        for name in held ?? [] {
            parts.log.error("a driver holds a thread, which is left behind", metadata: ["thread": "\(name)"])
        }
        // The log does not know of this span yet: the next start reckons it by its files.
        if coming?.isRecovered != false { closeMeasuring(measuring.states, rates: rates) }
    }

    /// Stops sampling, waits for the sealed files to be told, and writes the last row.
    func stop() async {
        isStopping = true
        await stopMeasuring()
        parts.mailbox.post(.stop)
    }

    private func leave() {
        release()
        var closing = StudyCommit()
        closing.events.append(.agentStopped(reason: "asked to"))
        commit(closing)
        parts.commits.finish()
        parts.signals.play([])
    }

    // MARK: - Events

    /// False when the loop is to end.
    func take(_ event: AgentEvent) async -> Bool {
        checkClock()
        if let held, held.deadline <= parts.stamps.moment.monotonic { release() }
        switch event {
        case .edge(let edge):
            conduct(.button(ButtonEvent(button: edge.button, isPressed: edge.isPressed, time: edge.time)))
        case .soundFailed(let why):
            conduct(.soundFailed)
            report(why)
        case .shown(let light): conduct(.shown(light))
        case .alarm: conduct(.tick)
        case .committed(let hasSubmission): if hasSubmission { conduct(.stored) }
        case .fault(let fault): report(fault)
        case .recorder(.sealed(let recordings), let owner): await take(sealed: recordings, of: owner)
        case .recorder(let news, let owner): take(news, of: owner)
        case .clockFound:
            anchor()
            conduct(.tick)
        case .delivered: conduct(.delivered)
        case .storeChanged: showFault()
        case .lookAround: await lookAround()
        case .placeWanted:
            let place = measuring?.place
            conduct(place.map { .position(latitude: $0.latitude, longitude: $0.longitude) } ?? .noPosition)
        case .followed(let news, let enrolment): if study?.record.id == enrolment { conduct(news) }
        case .studyUpdate(let loaded, let version, let enrolment):
            if study?.record.id == enrolment { update = PendingUpdate(loaded: loaded, version: version) }
        case .remark(let place, let message): remark(place, message)
        case .health(let reading):
            for trouble in health.take(reading) { remark(trouble.place, trouble.message) }
            parts.view.change { [health] in $0.health = health }
        case .goOnStarting: break
        case .enrolmentChanged:
            update = nil
            do { try await change() } catch { report("\(error)") }
        case .stop:
            guard isStopping else {
                await stop()
                return true
            }
            leave()
            return false
        }
        await followUpdate()
        return true
    }

    func remark(_ place: String, _ message: String) {
        parts.log.warning("remark", metadata: ["place": "\(place)", "what": "\(message)"])
        var row = StudyCommit()
        row.events.append(.fault(place: place, message: message))
        commit(row)
    }

    func report(_ fault: String?) {
        parts.view.change { $0.fault = fault }
        if let fault {
            parts.log.error("fault", metadata: ["what": "\(fault)"])
            var row = StudyCommit()
            row.events.append(.fault(place: "agent", message: fault))
            commit(row)
        }
        showFault()
    }

    /// Tells the panel what is wrong, nil = nothing any more. Where nobody is enrolled there is no panel, and the light alone shows it.
    func showFault() {
        let fault = parts.view.now.panelFault
        guard study == nil else { return conduct(.fault(fault)) }
        guard let fault else { return }
        parts.signals.play(Signals(parts.panel).plan(.fault(FaultPhrases.phrase(for: fault))).lightOnly.steps)
    }

    func conduct(_ event: StudyConductor.Event) {
        guard study != nil else { return glimpse([]) }
        let now = parts.stamps.moment
        guard let effects = study?.conductor.handle(event, at: now) else { return }
        apply(effects, at: now)
    }

    /// Goes on with a count of kicks that a restart broke off.
    func resume(_ broken: BrokenRun) {
        let now = parts.stamps.moment
        guard let effects = study?.conductor.resume(broken, at: now) else { return }
        apply(effects, at: now)
    }

    private func apply(_ effects: [StudyConductor.Effect], at now: Moment) {
        var row = study?.scribe.commit(effects, at: now) ?? StudyCommit()
        var spoken: [SealedRecording] = []
        for effect in effects.filter({ !$0.isSound }) + effects.filter(\.isSound) {
            perform(effect, adding: &row, &spoken)
        }
        if let submission = effects.lazy.compactMap(\.submission).first {
            commit(row, with: submission, memos: spoken)
        } else {
            commit(row)
        }
        glimpse(effects)
    }

    private func glimpse(_ effects: [StudyConductor.Effect]) {
        parts.view.change { $0.conductor = study?.conductor }
        parts.observer?(AgentGlimpse(conductor: study?.conductor, effects: effects, now: parts.stamps.moment))
    }

    func commit(_ commit: StudyCommit) {
        if held != nil {
            held?.later.append(commit)
            return
        }
        parts.commits.commit(commit, at: parts.stamps.stamp(study?.record.id ?? ""))
    }

    func setAlarm() {
        alarm?.cancel()
        let now = parts.stamps.moment
        let wakes = [study?.conductor.wake(at: now), held?.deadline, coming?.retry]
        guard let wake = wakes.compactMap(\.self).min() else { return }
        alarm = Task { [clock = parts.stamps.clock, mailbox = parts.mailbox] in
            do { try await clock.sleep(until: wake) } catch { return }
            mailbox.post(.alarm)
        }
    }
}

extension StudyConductor.Effect {
    /// What was submitted, where that is it.
    fileprivate var submission: Submission? {
        if case .note(.submitted(_, _, let submission)) = self { submission } else { nil }
    }

    /// Played after what is said in the same breath, though it was wanted before.
    fileprivate var isSound: Bool {
        switch self {
        case .panel(.play), .panel(.playRecording): true
        default: false
        }
    }
}
