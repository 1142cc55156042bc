// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Logging
import Study
import SystemKit

/// One participant's device in virtual time: the core of the agent, its store, its drivers and its
/// recorders, on simulated chips, with a scripted participant who presses buttons. `studyd-tools make-study`
/// makes one for each participant, and calls `enrol` once, then `live` for each boot in order.
///
/// What its state folder holds at the end is what a device holds; nothing is sent. Blocks on the
/// disk, but does not wait for flushes: a power cut of the host may lose what it wrote.
package final class PlayedDevice {
    package struct Setting: Sendable {
        let configuration: AgentConfiguration
        let board: BoardDescription
        let panel: Panel
        /// For formats that carry a number of the device.
        let deviceID: UInt32
        let log: Logger

        package init(
            _ configuration: AgentConfiguration, board: BoardDescription, panel: Panel, deviceID: UInt32, log: Logger
        ) {
            (self.configuration, self.board, self.panel) = (configuration, board, panel)
            (self.deviceID, self.log) = (deviceID, log)
        }
    }

    package let database: StudyDatabase
    private let setting: Setting
    private let store: StateFolder
    private let limits: SessionLimits
    private let packer: RequestPacker
    /// The participant's presses still to come.
    private var presses: PlannedPresses
    // Of the present boot:
    private var core: StudyCore
    /// When the log's last row before this boot was written; nil = the log was empty.
    private var lastRow: Instant?
    private var stamps: EventClock
    private var surroundings: SimulatedSurroundings
    private var folder: RecordingFolder
    private var measuring: SteppedMeasuring?
    /// What should have been measured in this boot, for the ledger.
    private var account: SpanAccount
    /// Whether the wall clock is trusted yet (`PlayedBoot.clockKnownAfter`).
    private var isTrusted = false
    /// Whether recorders record, as the core was told last; nil = it was told nothing in this boot.
    private var isRecording: Bool?
    /// What the core decided and `flush` has not written to the store yet, in order.
    private var queue: [(commit: StudyCommit, stamp: EventStamp)] = []
    /// Runs that are in the store, which the core has not been told yet (`tellStored`).
    private var stored: [[SubmittedRun]] = []
    /// How deep calls of `feed` are nested: an effect may be answered by another event.
    private var depth = 0

    /// Rows that are committed at once when no answer is among them.
    private static let group = 64
    /// The longest step of virtual time: a participant who comes back is noticed after it.
    private static let step = Duration.seconds(30)
    /// What a synchronised clock is off by at most.
    private static let uncertainty = Duration.milliseconds(5)

    /// A device before its first boot, which is `boot`; makes the state folder if it is missing.
    package init(
        _ setting: Setting, participant: Participant, seed: UInt64, boot: PlayedBoot,
        in surroundings: SimulatedSurroundings
    ) async throws {
        (self.setting, self.surroundings) = (setting, surroundings)
        store = try StateFolder(setting.configuration.state)
        stamps = EventClock(clock: surroundings.clock, bootID: boot.id, zone: boot.zone)
        database = try StudyDatabase(.file(store.database), recordings: store.recordings)
        folder = try RecordingFolder(store.recordings, waitsForMedium: false)
        packer = RequestPacker(folder: store.recordings)
        presses = PlannedPresses(PressPlanner(participant, panel: setting.panel, seed: seed, opensList: true))
        var limits = SessionLimits()
        // Signs of life are for a person who looks at the light.
        limits.aliveInterval = .seconds(86_400)
        self.limits = limits
        core = StudyCore(StudyCore.Setting(bootID: boot.id, zone: boot.zone, digest: Digest.sha256))
        account = SpanAccount(bootID: boot.id)
    }

    /// Enrols. To be called before the first `live`.
    package func enrol(_ options: EnrolmentOptions) async throws -> EnrolmentRecord {
        try await enroller.enrol(options)
    }

    private var enroller: Enroller {
        Enroller(
            database: database, panel: setting.panel, zone: stamps.zone, stamps: stamps,
            media: MediaCache(folder: store.media), results: ResultFolder(store.results), key: DeviceKeyFile(store),
            fit: MeasuringFit(setting.configuration.measures, on: setting.board),
            destinations: setting.configuration.destinations, features: setting.configuration.features)
    }

    /// Questions that must be answered and that the script does not answer, as task/question.
    package var unanswered: [String] { presses.planner.unanswered.keys.sorted() }

    // MARK: - A boot

    package func live(_ boot: PlayedBoot, in surroundings: SimulatedSurroundings) async throws {
        self.surroundings = surroundings
        stamps = EventClock(clock: surroundings.clock, bootID: boot.id, zone: boot.zone)
        core = StudyCore(StudyCore.Setting(bootID: boot.id, zone: boot.zone, digest: Digest.sha256))
        account = SpanAccount(bootID: boot.id)
        (isTrusted, isRecording) = (boot.clockKnownAfter == .zero, nil)
        presses.forget()
        let start = surroundings.clock.monotonic
        try await begin()
        // When the clock becomes trusted; nil = it is.
        var learning = isTrusted ? nil : start + boot.clockKnownAfter
        let end = start + boot.length
        var news = boot.news[...]
        while surroundings.clock.monotonic < end {
            try await step(until: min(end, learning ?? end, news.first.map { start + $0.after } ?? end))
            while let first = news.first, start + first.after <= surroundings.clock.monotonic {
                news.removeFirst()
                if let owner = core.owner { try await feed(.followed(first.event, of: owner.id)) }
            }
            guard let time = learning, time <= surroundings.clock.monotonic else { continue }
            learning = nil
            surroundings.setClock()
            isTrusted = true
            try await feed(.tick)
        }
        if boot.isCut { try await cut() } else { try await stop() }
    }

    /// As `StudyLoop` starts: measures first, then puts in order what an earlier boot left.
    private func begin() async throws {
        folder = try RecordingFolder(
            store.recordings, known: try await database.highestRecordingNumber(), waitsForMedium: false)
        let last = try await database.newestStamp()
        lastRow = last?.wall
        let span = try await database.lastMeasuring()
        let first = folder.numbers.upcoming
        let owner = try await database.latestEnrolment().flatMap { $0.withdrawn == nil ? $0.record : nil }
        try await feed(.began(version: AgentVersion.text))
        try await startMeasuring(owner)
        let progress = StartProgress(lastRow: last, span: span, beat: nil, firstNumber: first)
        let found = try await Recovery(
            database, folder, stamps, EnrolmentBackup(store), progress, setting.log, settleWithdrawal: { nil }
        ).run(core.anchors)
        if let span = found.span { account.take(span) }
        for event in found.events { try await feed(event) }
        let begun = measuring.map { [StudyEvent.measuringStarted(rates: $0.rates, at: $0.start)] } ?? []
        try await feed(.noted(account.settle(core.anchors.last).map(\.event) + begun))
        var entry = try await StudyEntry(try await load(), from: database)
        entry.off = last.map { ($0.wall, stamps.moment.monotonic) }
        entry.found = found.filesOfRuns
        try await feed(.entered(entry))
    }

    private func startMeasuring(_ owner: EnrolmentRecord?) async throws {
        guard let owner, let loaded = try await database.loadedStudy(owner) else { return }
        let needs = StudyNeeds(loaded.study, condition: owner.condition, panel: setting.panel)
        let origin = RecordingOrigin(
            study: owner.studyID, participant: owner.participant, deviceID: setting.deviceID, bootID: stamps.bootID,
            zone: stamps.zone, software: "studyd " + AgentVersion.text)
        var parts = SimulatedParts()
        parts.buses = surroundings.buses
        let devices = try BoardDevices(setting.board, parts: parts, clock: surroundings.clock)
        measuring = try SteppedMeasuring(
            MeasuringSystem.Setting(
                devices: devices, measures: setting.configuration.measures, origin: origin, folder: folder,
                clock: surroundings.clock, needsMicrophone: needs.microphone, holdTimes: owner.holdTimes ?? .usual,
                needsPosition: needs.position, features: setting.configuration.features, ruleFeatures: needs.features),
            in: surroundings)
        measuring?.anchors = core.anchors
        measuring.map { account.begin(at: $0.start) }
    }

    private func load() async throws -> ActiveStudy? {
        try await ActiveStudy.load(
            from: database, panel: setting.panel, zone: stamps.zone, limits: limits, lastRow: lastRow,
            at: stamps.moment)
    }

    /// Advances to the next press, timer of the core or `limit`, whichever is first, and handles it.
    private func step(until limit: MonotonicTime) async throws {
        let before = stamps.moment
        let wake = core.wake(at: before)
        let times = [wake, presses.next?.time, before.monotonic + Self.step, limit].compactMap(\.self)
        let time = min(limit, max(before.monotonic, times.min() ?? limit))
        for news in measuring?.run(until: time) ?? [] { try await feedNews(news) }
        surroundings.advance(time)
        if let edge = presses.next, edge.time <= time {
            _ = presses.takeNext()
            measuring?.forward(ButtonEdge(button: edge.button, isPressed: edge.isPressed, time: edge.time))
            try await feed(.conductor(.button(edge)))
        } else if let wake, wake <= time {
            try await feed(.tick)
        }
        let isAway = surroundings.isAway(time) && core.study?.conductor.session.isRunning != true
        if !isAway { try presses.plan(on: core, at: stamps.moment) }
    }

    private func stop() async throws {
        try await endMeasuring()
        try await feed(.stopped)
        try await flush()
    }

    private func endMeasuring() async throws {
        guard let measuring else { return }
        self.measuring = nil
        for news in measuring.stop() { try await feedNews(news) }
        account.close(measuring.states, rates: measuring.rates, at: surroundings.clock.monotonic)
        try await feed(.noted(measuring.states.compactMap(\.account?.event) + [.measuringStopped]))
    }

    /// The power fails; what was decided is on the disk by then.
    private func cut() async throws {
        try await flush()
        measuring?.cut()
        measuring = nil
    }

    // MARK: - The core

    private func feedNews(_ news: RecorderNews) async throws {
        if case .progress(let isRecording) = news {
            guard isRecording != self.isRecording else { return }
            self.isRecording = isRecording
        }
        try await feed(.recorder(news, of: core.owner))
    }

    private func feed(_ event: CoreEvent) async throws {
        depth += 1
        for effect in core.handle(event, at: reading) { try await perform(effect) }
        depth -= 1
        presses.observe(core)
        try await tellStored()
    }

    /// Tells the core which runs are stored. As with the agent's mailbox, that is an event of its own, after
    /// all effects of the present one were performed (`depth` is 0).
    private func tellStored() async throws {
        while depth == 0, !stored.isEmpty { try await feed(.committed(stored.removeFirst())) }
    }

    private var reading: ClockReading {
        let now = stamps.moment
        let anchor = ClockAnchor(
            monotonic: now.monotonic, instant: now.instant, source: isTrusted ? .kernel : .unknown,
            uncertainty: isTrusted ? Self.uncertainty : .zero)
        return ClockReading(
            moment: now, anchor: anchor, record: AnchorRecord(anchor, drift: nil, marks: stamps.clock.marks),
            isGood: isTrusted)
    }

    private func perform(_ effect: CoreEffect) async throws {
        switch effect {
        case .device(let effect): for answer in answers(effect) { try await feed(answer) }
        case .commit(let commit, let stamp):
            queue.append((commit.registered(to: DeliveryRoutes(setting.configuration.destinations)), stamp))
            if commit.hasSubmission || queue.count >= Self.group { try await flush() }
        case .discard(let recording): folder.discard(recording)
        case .seal(let files, let anchors):
            let sealed = try folder.sealWaiting(files, anchors: anchors, zone: stamps.zone)
            try await feed(.recorder(.sealed(sealed), of: core.owner))
        case .anchors(let anchors):
            measuring?.anchors = anchors
            if isTrusted { try await settleAccount() }
        case .settle(let files, let resumed):
            try await feed(.found(files, try await database.runKnowledge(of: files, resumed: resumed)))
        case .keepUpdate(let update, let source):
            let digest = try await database.keepStudyFile(update.loaded.bytes, source: source, at: stamps.clock.now)
            try await feed(.updateKept(version: update.version, fileDigest: digest.description))
        case .reload:
            try await flush()
            try await feed(.reloaded(try await load()))
        case .enter:
            try await endMeasuring()
            try await flush()
            try await feed(.entered(try await StudyEntry(try await load(), from: database)))
        case .withdraw(let deletesData):
            try await flush()
            _ = try await enroller.withdraw(deletesUnsent: nil, deletesData: deletesData)
            try await feed(.enrolmentChanged)
        case .playMemo, .measure, .showFault, .remark, .conducted, .finish: break
        }
    }

    /// Performs an effect on a device. Returns the events with which a device answers at once.
    private func answers(_ effect: DeviceEffect) -> [CoreEvent] {
        let now = surroundings.clock.monotonic
        switch effect {
        case .signal(let plan):
            return plan.steps.compactMap(\.mark).map {
                .conductor(.device(.shown(ShownLight(mark: $0, began: now, ended: now))))
            }
        case .startRecording(let id):
            guard let measuring else { return [.recorder(.memoFailed(id), of: nil)] }
            measuring.startMemo(id)
        case .stopRecording: measuring?.stopMemo()
        case .mark(let time): measuring?.mark(at: time)
        case .withhold(let span): measuring?.withhold(span)
        case .takePosition: return [.conductor(.device(measuring?.place ?? .noPosition))]
        case .takeReading: return [.conductor(.device(.reading(presses.planner.intendedFigures)))]
        case .startRecorders(let recordings):
            guard let measuring else { return recordings.map { .recorder(.task(.notMeasured($0)), of: nil) } }
            measuring.startTask(recordings)
        case .stopRecorders(let ids): measuring?.stopTask(ids)
        default: break
        }
        return []
    }

    /// Logs the accounts of samples that can be made by now.
    private func settleAccount() async throws {
        let accounts = account.settle(core.anchors.last)
        if !accounts.isEmpty { try await feed(.noted(accounts.map(\.event))) }
    }

    /// Writes everything that was decided to the store, in order.
    private func flush() async throws {
        guard !queue.isEmpty else { return }
        let batches = queue
        queue = []
        let results = ResultFolder(store.results)
        var entries: [StoreEntry] = []
        for batch in batches {
            for result in batch.commit.results { try results.keep(result) }
            entries.append(
                StoreEntry(
                    events: batch.commit.events, drafts: packer.packed(batch.commit.drafts).drafts, stamp: batch.stamp))
        }
        try await database.append(entries, flushing: false)
        stored += batches.lazy.filter(\.commit.hasSubmission).map(\.commit.submissions)
        try await tellStored()
    }
}
