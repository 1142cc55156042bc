// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Study
import SystemKit

/// The one loop: takes an event from the mailbox, lets the core decide, and starts
/// what was decided.
///
/// Starting is all it does: commits, signals, sounds and files run elsewhere and come back as
/// events. The exceptions are start, stop, a change of enrolment and another version of the study,
/// at which nothing else may happen.
actor StudyLoop: Service {
    let parts: AgentDependencies
    var core: StudyCore
    var measuring: MeasuringSystem?
    private var health = DeviceHealth()
    /// Faults of the hardware that were logged and shown.
    var told: Set<String> = []
    private var alarm: Task<Void, Never>?
    var isStopping = false
    /// What the start still has to do; nil once all of it is done.
    var coming: StartProgress?
    /// Whom the log names, until the study is read.
    var expected: EnrolmentRecord?
    /// What their study needs of measuring.
    var expectedNeeds = StudyNeeds()
    /// For whom is measured, and what their study needs of it.
    var measuringFor: MeasuringTarget?
    /// When the device was off, until the core has been told.
    var off: (since: Instant, until: MonotonicTime)?
    /// Recorded for runs of an earlier start, until the core has been told.
    var foundForRuns: [SealedRecording] = []
    /// A span of measuring of which the account is not written yet, and its end in UTC where that
    /// was in another boot.
    var pastLife: PastLife?
    var pastLifeEnd: Instant?
    /// When measuring began again after it.
    var pastLifeUntil: MonotonicTime?
    /// Recordings of lower numbers are of earlier starts.
    var firstNumber = Int.max
    /// From which on samples are due.
    var measuringSince: MonotonicTime?

    init(_ parts: AgentDependencies) {
        self.parts = parts
        core = StudyCore(StudyCore.Setting(bootID: parts.stamps.bootID, zone: parts.stamps.zone, digest: Digest.sha256))
    }

    func run() async throws {
        try await withStopHandler {
            do { try await start() } catch let error as DatabaseError {
                // Damage that lies deeper than the opening of the store looked.
                await parts.repair(error.message)
                try await start()
            }
            for await event in parts.mailbox.events {
                guard try await handleOrDefer(event) else { break }
                setAlarm()
            }
            alarm?.cancel()
        } onStop: { [mailbox = parts.mailbox] in
            mailbox.post(.stop)
        }
    }

    // MARK: - The study, stop

    /// What the log says of the enrolment that is to run.
    func entry() async throws -> StudyEntry {
        var entry = try await StudyEntry(try await loadStudy(), from: parts.database)
        (entry.off, entry.found) = (off, foundForRuns)
        (off, foundForRuns) = (nil, [])
        (expected, expectedNeeds) = (nil, StudyNeeds())
        entry.lostEnrolment = await lostEnrolment(besides: entry.study)
        entry.leftForGood = try await settleWithdrawal() ?? core.leftForGood
        return entry
    }

    func loadStudy() async throws -> ActiveStudy? {
        try await ActiveStudy.load(
            from: parts.database, panel: parts.panel, zone: parts.stamps.zone, limits: parts.limits,
            at: parts.stamps.moment)
    }

    /// Stops sampling, waits for the sealed files to be told, and writes the last row.
    private func stop() async {
        isStopping = true
        await send(await stopMeasuring())
        parts.mailbox.post(.stop)
    }

    // MARK: - Events

    /// False when the loop is to end.
    func handle(_ event: AgentEvent) async -> Bool {
        switch event {
        case .edge(let edge):
            await send(
                .conductor(.button(ButtonEvent(button: edge.button, isPressed: edge.isPressed, time: edge.time))))
        case .device(let news): await send(.conductor(.device(news)))
        case .alarm, .clockFound: await send(.tick)
        case .committed(let hasSubmission): await send(.committed(hasSubmission: hasSubmission))
        case .fault(let fault): await report(fault)
        case .recorder(let news, let owner):
            if case .progress = news, let measuring { await inspect(measuring) }
            if !readsSound(news) { await send(.recorder(news, of: owner)) }
        case .soundReadingEnds: measuring?.stopMemo()
        case .delivered: await send(.conductor(.delivered))
        case .storeChanged: await showFault()
        case .storeReturned: await beginWithStore()
        case .lookAround: await inspectAll()
        case .placeWanted:
            let place = measuring?.place
            let news = place.map { DeviceNews.position(latitude: $0.latitude, longitude: $0.longitude) }
            await send(.conductor(.device(news ?? .noPosition)))
        case .followed(let news, let enrolment): await send(.followed(news, of: enrolment))
        case .studyUpdate(let loaded, let version, let enrolment):
            await send(.update(PendingUpdate(loaded: loaded, version: version), of: enrolment))
        case .remark(let place, let message): await send(.remark(place, message))
        case .health(let reading):
            for trouble in health.record(reading) { await send(.remark(trouble.place, trouble.message)) }
            parts.view.change { [health] in $0.health = health }
        case .goOnStarting: break
        case .enrolmentChanged: await send(.enrolmentChanged)
        case .stop:
            guard isStopping else {
                await stop()
                return true
            }
            await send(.stopped)
            return false
        }
        return true
    }

    /// Lets the core decide, starts what it wants, and tells it the answers; a failure is reported
    /// and ends nothing.
    func send(_ event: CoreEvent) async {
        do { try await feed(event) } catch { await report("\(error)") }
    }

    func send(_ events: [CoreEvent]) async { for event in events { await send(event) } }

    /// The same where a failure is the caller's; everything that was decided is started
    /// before it is thrown.
    func feed(_ event: CoreEvent) async throws {
        var failure: (any Error)?
        var wanted = decide(event)[...]
        while let effect = wanted.popFirst() {
            do {
                for answer in try await perform(effect).reversed() { wanted = decide(answer) + wanted }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func decide(_ event: CoreEvent) -> [CoreEffect] {
        let effects = core.handle(event, at: reading)
        parts.view.change { [core] in
            $0.conductor = core.study?.conductor
            $0.clockNote = core.clockNote
        }
        return effects
    }

    private var reading: ClockReading {
        let opinion = parts.trust.opinion
        let anchor = parts.trust.anchor(parts.stamps.clock, opinion)
        let drift = opinion.drift == ClockDiscipline.anyDrift ? nil : opinion.drift
        return ClockReading(
            moment: parts.stamps.moment, anchor: anchor,
            record: AnchorRecord(anchor, drift: drift, marks: parts.stamps.clock.marks),
            isGood: opinion.isGood(within: parts.configuration.promptsWithin), note: opinion.note)
    }

    /// Something is wrong with the agent itself; nil = nothing any more.
    func report(_ fault: String?) async {
        parts.view.change { $0.fault = fault }
        if let fault {
            parts.log.error("fault", metadata: ["what": "\(fault)"])
            try? await feed(.noted([.fault(place: "agent", message: fault)]))
        }
        await showFault()
    }

    /// Tells the core what is wrong.
    func showFault() async {
        let state = parts.view.now
        try? await feed(.fault(state.panelFault, ofAgent: state.fault != nil))
    }

    private func setAlarm() {
        alarm?.cancel()
        let wakes = [core.wake(at: parts.stamps.moment), coming?.retry]
        guard let wake = wakes.compactMap(\.self).min() else { return }
        alarm = Task(executorPreference: TaskThread.current) { [clock = parts.stamps.clock, mailbox = parts.mailbox] in
            do { try await clock.sleep(until: wake) } catch { return }
            mailbox.post(.alarm)
        }
    }
}
