// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Study
import SystemKit

/// The agent's one loop: takes an event from the mailbox, lets `StudyCore` decide, and starts what was decided.
///
/// Commits, signals, sounds and files run elsewhere and come back as events. The loop itself waits only at start, at
/// stop, at a change of enrolment and at another version of the study, when nothing else may happen.
actor StudyLoop: Service {
    private let parts: AgentDependencies
    private var core: StudyCore
    private var health = DeviceHealth()
    private var alarm: Task<Void, Never>?
    private var isStopping = false
    /// The enrolment that its participant has left, until the log says so; with its study where that ran here.
    private var leaving: (enrolment: String, study: ActiveStudy?)?
    /// Between two looks whether a lost study is back.
    private var lossPause = Duration.zero
    private var nextLossLook = MonotonicTime.zero
    private let starting: StartSequence
    private let measuring: MeasuringControl
    private let readings: DeviceReadings
    private let effects: EffectRunner

    init(_ parts: AgentDependencies) {
        self.parts = parts
        core = StudyCore(StudyCore.Setting(bootID: parts.stamps.bootID, zone: parts.stamps.zone, digest: Digest.sha256))
        starting = StartSequence(parts)
        measuring = MeasuringControl(parts)
        readings = DeviceReadings(
            clock: parts.stamps.clock, folder: parts.folder, mailbox: parts.mailbox, opener: parts.opener)
        effects = EffectRunner(parts, measuring, readings)
        leaving = parts.leaving.map { ($0.enrolment, nil) }
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

    // MARK: - Start

    /// Measuring has begun when this returns; the rest is done by `.goOnStarting`.
    private func start() async throws {
        try await starting.begin()
        if let pause = starting.pause { measuring.withhold(pause) }
        let isBehind = await !parts.database.isCurrent
        // So far the disk was only read: one that is slow to write does not delay measuring.
        try await feed(.began(version: AgentVersion.text))
        for event in try await restartMeasuring() { try await feed(event) }
        if isBehind { parts.log.notice("rebuilding from the event log after an update") }
        parts.mailbox.post(.goOnStarting)
    }

    /// Takes an event; false when the loop is to end. While the start goes on, what needs the
    /// study waits for it.
    private func handleOrDefer(_ event: AgentEvent) async throws -> Bool {
        guard !starting.isOver else { return await handle(event) }
        switch event {
        case .goOnStarting: try await continueStart()
        case .stop:
            if !isStopping { await finishStartToStop() }
            return await handle(event)
        case .alarm:
            let isDue = starting.retry.map { $0 <= parts.stamps.moment.monotonic } ?? false
            if isDue { try await continueStart() }
            return await handle(event)
        case .committed, .fault, .recorder(.progress, _), .clockFound, .storeChanged, .lookAround, .remark, .health:
            return await handle(event)
        // The study is read when the rest is done, whatever changed until then.
        case .enrolmentChanged: break
        default: starting.keepForLater(event)
        }
        return true
    }

    /// The store that a start could not use is there, and may know of more than was known in
    /// memory.
    private func beginWithStore() async {
        await showFault()
        let state = try? await parts.database.latestEnrolment()
        let present = state?.withdrawn == nil ? state?.record.id : nil
        guard starting.isOver, !isStopping, present != core.study?.record.id else { return }
        starting.resume()
    }

    private func continueStart() async throws {
        guard !isStopping else { return }
        do {
            if try await !starting.catchUp() { try await finishStart() }
        } catch let error as DatabaseError {
            try await starting.recover(from: error)
        }
    }

    /// The log is read: what earlier starts left is put in order, and the study comes to life.
    private func finishStart() async throws {
        if let found = try await starting.recover(core.anchors) {
            if let span = found.span { measuring.takeEarlier(span) }
            parts.view.change { $0.past = found.past }
            for event in found.events { try await feed(event) }
            starting.setRecovered()
            for event in measuring.recordBeginning(core.anchors.last, knowsPast: true) { try await feed(event) }
        }
        try await feed(.entered(entry()))
        for event in starting.finish() { _ = await handle(event) }
    }

    /// A stop seals files and says so in the log, for which the start has to be finished first. Where the log
    /// is still being read again, or the disk refuses, the next start finds the files by themselves.
    private func finishStartToStop() async {
        guard await parts.database.isCurrent else { return }
        do { try await finishStart() } catch { parts.log.error("start", metadata: ["fault": "\(error)"]) }
    }

    // MARK: - The study, measuring, stop

    private func entry() async throws -> StudyEntry {
        if await isLeaving() { return entryWithoutStudy() }
        let (study, fault) = try await readStudy()
        var entry = try await StudyEntry(study, from: parts.database)
        starting.moveFindings(into: &entry)
        let lost = await updateBackup(of: entry.study, fault)
        (entry.lostEnrolment, entry.loss) = (lost?.record, lost?.explanation.description ?? "")
        if let lost { entry.lostSince = try? await parts.database.lossBegan(of: lost.record.id) }
        lossPause = lost?.pause ?? .zero
        delayLossLook()
        report(loss: lost?.fault)
        entry.leftForGood = try await parts.settleWithdrawal() ?? core.leftForGood
        return entry
    }

    /// Also where the store cannot be read, unless the copy beside it is of another participant.
    private func isLeaving() async -> Bool {
        guard let leaving else { return false }
        await restoreStudyFile()
        let state = try? await parts.database.latestEnrolment()
        let present = state?.record.id ?? parts.backup.read()?.id ?? leaving.enrolment
        guard state?.withdrawn != nil || present != leaving.enrolment else { return true }
        self.leaving = nil
        return false
    }

    private func entryWithoutStudy() -> StudyEntry {
        var entry = StudyEntry()
        starting.moveFindings(into: &entry)
        entry.leftForGood = core.leftForGood
        return entry
    }

    /// The study, or why it cannot be read. What the store refuses at a start is thrown: it is tried again.
    private func readStudy() async throws -> (study: ActiveStudy?, fault: LostEnrolment.Cause?) {
        do { return (try await loadStudy(), nil) } catch let error as DatabaseError {
            guard starting.isOver else { throw error }
            return (nil, .unread("\(error)"))
        } catch { return (nil, .unreadable("\(error)")) }
    }

    private func loadStudy() async throws -> ActiveStudy? {
        await restoreStudyFile()
        return try await ActiveStudy.load(
            from: parts.database, panel: parts.panel, zone: parts.stamps.zone, limits: parts.limits,
            pause: measuring.withheld.flatMap { parts.stamps.moment.monotonic < $0.upperBound ? $0 : nil },
            lastRow: starting.lastRow, at: parts.stamps.moment)
    }

    /// Writes the files of the study that runs again, where the store has lost one: they were read whole.
    private func restoreStudyFile() async {
        guard let study = core.study ?? leaving?.study,
            let state = try? await parts.database.latestEnrolment(), state.withdrawn == nil,
            state.record.id == study.record.id, state.record.fileDigest == study.record.fileDigest,
            let lost = try? await parts.database.enrolmentWithoutStudy()
        else { return }
        let now = parts.stamps.moment.instant
        _ = try? await parts.database.keepStudyFile(study.loaded.bytes, source: lost.source, at: now)
        if let rules = study.loaded.rulesFile {
            _ = try? await parts.database.keepStudyFile(rules, source: "rules", at: now)
        }
    }

    /// Copies the enrolment beside the store, or removes the copy where no study runs. Returns the enrolment only
    /// where it is in force without its study; `fault` is why that could not be read.
    private func updateBackup(of study: ActiveStudy?, _ fault: LostEnrolment.Cause?) async -> LostEnrolment? {
        if let record = study?.record {
            parts.backup.keep(record)
            return nil
        }
        if let record = try? await parts.database.enrolmentWithoutStudy() {
            return LostEnrolment(record: record, cause: .file)
        }
        let state = try? await parts.database.latestEnrolment()
        if let fault, state?.withdrawn == nil, let record = state?.record ?? parts.backup.read() {
            return LostEnrolment(record: record, cause: fault)
        }
        let isDamaged = !((try? await parts.database.salvages()) ?? []).isEmpty
        guard isDamaged, state?.withdrawn == nil else {
            parts.backup.keep(nil)
            return nil
        }
        guard let record = state?.record ?? parts.backup.read() else { return nil }
        return LostEnrolment(record: record, cause: await parts.database.leavesFile ? .refusedStore : .store)
    }

    private func report(loss: Explanation?) {
        guard parts.view.now.studyLoss != loss else { return }
        parts.view.change { $0.studyLoss = loss }
        parts.mailbox.post(.storeChanged)
    }

    /// Goes on with a study that was lost and can be read again, whoever put its files back: a salvage, or a command.
    private func resumeLostStudy() async {
        delayLossLook()
        guard starting.isOver, !isStopping, parts.view.now.studyLoss != nil, (try? await loadStudy()) != nil else {
            return
        }
        await send(.enrolmentChanged)
    }

    private func delayLossLook() { nextLossLook = parts.stamps.moment.monotonic + lossPause }

    /// The enrolment that recordings belong to, also where it was lost with the store.
    private var owner: EnrolmentRecord? { core.owner ?? starting.expected }

    private var target: MeasuringTarget {
        MeasuringTarget(owner: owner?.id, needs: core.study?.needs ?? starting.expectedNeeds)
    }

    /// Measures with the parts that are there now, for the present participant.
    private func restartMeasuring() async throws -> [CoreEvent] {
        let events = try await measuring.restart(for: target, owner, core.anchors, knowsPast: starting.knowsPast)
        await inspect()
        return events
    }

    /// Shows how measuring is doing, and tells the core what has newly gone wrong.
    private func inspect() async {
        guard let (rows, isChanged) = measuring.inspect() else { return }
        if !rows.isEmpty { await send(.noted(rows)) }
        if isChanged || core.study == nil { await showFault() }
    }

    private func reportLosses() async {
        let (losses, reported) = (parts.mailbox.losses, parts.view.now.eventsLost)
        guard losses > reported else { return }
        parts.view.change { $0.eventsLost = losses }
        await send(.remark("loop", "events lost because the mailbox was full: \(losses - reported)"))
    }

    /// What came or went since the last look; a sensor that was awaited is measured from now on.
    private func inspectAll() async {
        parts.watched.loopTurned()
        await reportLosses()
        guard let system = measuring.system else { return }
        await inspect()
        guard starting.isOver, system.isOutgrown else { return }
        do { await send(try await restartMeasuring()) } catch { await report("\(error)") }
    }

    /// Stops sampling, waits for the notices of sealed files, and writes the last row.
    private func stop() async {
        isStopping = true
        await send(await measuring.stop(knowsPast: starting.knowsPast))
        // Comes after the notices of sealed files, and ends the loop.
        parts.mailbox.post(.stop)
    }

    // MARK: - Events

    /// False when the loop is to end.
    private func handle(_ event: AgentEvent) async -> Bool {
        switch event {
        case .edge(let edge):
            await send(
                .conductor(.button(ButtonEvent(button: edge.button, isPressed: edge.isPressed, time: edge.time))))
        case .device(let news): await send(.conductor(.device(news)))
        case .alarm, .clockFound: await send(.tick)
        case .committed(let runs): await send(.committed(runs))
        case .fault(let fault): await report(fault)
        case .recorder(let news, let owner):
            if case .progress = news { await inspect() }
            if case .computed(let epochs) = news, owner?.id == core.study?.record.id { parts.live?.add(epochs) }
            if !readings.take(news) { await send(.recorder(news, of: owner)) }
        case .soundReadingEnds(let number): readings.end(number, with: measuring.system?.recorder)
        case .soundRead(let figures, let number): await send(readings.finish(figures, number))
        case .delivered: await send(.conductor(.delivered))
        case .removable(let isReady, let isNews): await send(.conductor(.removable(isReady, isNews: isNews)))
        case .storeChanged:
            await restoreStudyFile()
            await resumeLostStudy()
            await showFault()
        case .storeReturned: await beginWithStore()
        case .lookAround:
            if nextLossLook <= parts.stamps.moment.monotonic { await resumeLostStudy() }
            await inspectAll()
        case .placeWanted:
            let place = measuring.system?.place
            let news = place.map { DeviceNews.position(latitude: $0.latitude, longitude: $0.longitude) }
            await send(.conductor(.device(news ?? .noPosition)))
        case .followed(let news, let enrolment): await send(.followed(news, of: enrolment))
        case .studyUpdate(let loaded, let version, let enrolment):
            await resumeLostStudy()
            await send(.update(PendingUpdate(loaded: loaded, version: version), of: enrolment))
        case .remark(let place, let message): await send(.remark(place, message))
        case .health(let reading):
            for trouble in health.record(reading, at: parts.stamps.moment.monotonic) {
                await send(.remark(trouble.place, trouble.message))
            }
            let before = parts.view.now.panelFault
            parts.view.change { [health] in $0.health = health }
            if parts.view.now.panelFault != before { await showFault() }
        case .goOnStarting: break
        case .enrolmentChanged: await send(.enrolmentChanged)
        case .leaving(let wish):
            guard let study = core.study, study.record.id == wish.enrolment else { break }
            leaving = (wish.enrolment, study)
            await send(.enrolmentChanged)
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
    private func send(_ event: CoreEvent) async {
        do { try await feed(event) } catch { await report("\(error)") }
    }

    private func send(_ events: [CoreEvent]) async { for event in events { await send(event) } }

    /// Like `send`, but throws the first failure, once everything that was decided is started. The answers
    /// to an effect are decided in their order, each with all that follows from it, before the effects after it.
    private func feed(_ event: CoreEvent) async throws {
        var failure: (any Error)?
        var ahead: ArraySlice<Step> = [.decide(event)]
        while let step = ahead.popFirst() {
            switch step {
            case .decide(let event): ahead = decide(event).map(Step.perform) + ahead
            case .perform(let effect):
                do {
                    let answers = try await perform(effect)
                    if !answers.isEmpty { ahead = answers.map(Step.decide) + ahead }
                } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    private enum Step {
        case decide(CoreEvent)
        case perform(CoreEffect)
    }

    /// Starts it; what answers at once is given back.
    private func perform(_ effect: CoreEffect) async throws -> [CoreEvent] {
        if let events = try await effects.perform(effect, owner: owner) { return events }
        switch effect {
        case .anchors(let anchors):
            parts.view.change { $0.anchor = anchors.last }
            return measuring.setAnchors(anchors)
        case .reload:
            await parts.commits.waitUntilDrained()
            // The log has ended what the new version replaces: where that cannot be read, the old one cannot go on.
            return [.reloaded(try await readStudy().study)]
        case .enter:
            // Where it fails, measuring goes on as it is.
            let entered = try await entry()
            return await measuring.stop(knowsPast: starting.knowsPast) + [.entered(entered)]
        case .measure where !measuring.isMeasuring(for: target): return try await restartMeasuring()
        case .conducted(let effects):
            let conductor = core.study?.conductor
            parts.observer?(AgentSnapshot(conductor: conductor, effects: effects, now: parts.stamps.moment))
        default: break
        }
        return []
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
    private func report(_ fault: String?) async {
        parts.view.change { $0.fault = fault }
        if let fault {
            parts.log.error("fault", metadata: ["what": "\(fault)"])
            try? await feed(.noted([.fault(place: "agent", message: fault)]))
        }
        await showFault()
    }

    private func showFault() async {
        let state = parts.view.now
        try? await feed(.fault(state.panelFault, ofAgent: state.fault != nil))
    }

    private func setAlarm() {
        alarm?.cancel()
        let wakes = [core.wake(at: parts.stamps.moment), starting.retry]
        guard let wake = wakes.compactMap(\.self).min() else { return }
        alarm = Task(executorPreference: TaskThread.current) { [clock = parts.stamps.clock, mailbox = parts.mailbox] in
            do { try await clock.sleep(until: wake) } catch { return }
            mailbox.post(.alarm)
        }
    }
}

/// What just happened, for the demo's drawing and the simulated participant.
package struct AgentSnapshot: Sendable {
    /// nil while no study is enrolled.
    package let conductor: StudyConductor?
    /// What the conductor wanted done about this event, in order.
    package let effects: [StudyConductor.Effect]
    /// Both clocks at the event.
    package let now: Moment
}
