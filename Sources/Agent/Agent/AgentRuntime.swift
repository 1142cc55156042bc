// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Glibc
import Logging
import Study
import SystemKit

/// The composition root: makes every part, joins them, and runs them until it is stopped.
package final class AgentRuntime: Sendable {
    /// What differs between a device, the demo and a test.
    package struct Options: Sendable {
        /// Read by every part; virtual in tests.
        package var clock: any StudyClock = SystemClock()
        /// Says which source, if any, vouches for the wall clock.
        package var trust: ClockTrust
        package var parts = SimulatedParts()
        /// Times of the panel's session: repeats of prompts, pauses, patience.
        package var limits = SessionLimits()
        /// Ends in good order when its terminal goes (SIGHUP), as the demo does.
        package var endsWithTerminal = false
        /// Called after every event of the loop, on the loop's task; must only post.
        package var observer: (@Sendable (AgentSnapshot) -> Void)?
        package var trace: SignalTrace?
        /// Where `NOTIFY_SOCKET` and `WATCHDOG_USEC` of systemd are looked for; empty =
        /// not run by systemd.
        package var environment: [String: String] = [:]
        /// Where the kernel tells of power, heat and card; empty = it is not asked.
        package var sysfs = "/sys"
        /// How long an orderly end may take before what is left is cancelled.
        package var shutdown = ShutdownBudget.agent
        /// How long loop, recorder and measuring threads may be silent before the watchdog
        /// is no longer fed.
        package var bounds = WatchedThreads.Bounds()
        /// For operators; what counts for the study goes to the event log.
        package var log: Logger

        package init(trust: ClockTrust, log: Logger) { (self.trust, self.log) = (trust, log) }
    }

    /// The open store; other parts may write to it while the agent runs.
    package let database: StudyDatabase
    /// What the loop is doing, for any thread.
    package let view = SharedState()
    /// Answers `status`, from the store and the view.
    package let status: StatusReader
    /// Enrols and withdraws. After using it directly call `enrolmentChanged()`.
    package let enroller: Enroller
    private let group: ServiceGroup
    private let devices: BoardDevices
    private let signals: SignalPlayer
    private let speaker: Speaker?
    let mailbox: Mailbox
    private let uploaders: UploaderMaker
    private let wakeUploader: @Sendable () -> Void
    private let reports: ReportRequests
    private let lock: FolderLock
    private let storeMaintenance: StoreMaintenance

    /// Makes all parts; what is wrong is thrown with file, key and remedy. Only the threads of signals and
    /// sounds are started; `run` starts the rest.
    package init(_ configuration: AgentConfiguration, board: BoardDescription, _ options: Options)
        async throws
    {
        let log = options.log
        let store = try StateFolder(configuration.state)
        // First of all: a second agent must not touch the devices of the one that runs.
        var moved = store.clearLock()
        lock = try FolderLock(
            store.lock, of: store.path, taken: "another studyd is running with this state folder",
            remedy: "stop it first (systemctl stop studyd), or use another folder with --state")
        moved += store.clearPlaces()
        let systemd = SystemdNotifier(environment: options.environment)
        // A store that has to be salvaged takes its time.
        systemd.needsTime(.seconds(600))
        let socket = try ControlSocket(path: store.socket)
        // What the configuration asks of this board, before anything is opened.
        let zone = try SystemZone.load(configuration.zone)
        let fit = MeasuringFit(configuration.measures, features: configuration.features, on: board)
        try fit.check()
        for remark in fit.remarks { log.notice("configuration", metadata: ["remark": "\(remark)"]) }
        let panel = try Panel(board, configuration)
        let clock = DisciplinedClock(options.clock, trust: options.trust, setsSystem: configuration.setsSystemClock)
        // Without an id of the boot, nothing of another boot may be taken for this one's.
        let bootID = SystemClock.bootID() ?? "unsaid \(UInt64.random(in: 0 ... .max))"
        let stamps = EventClock(clock: clock, bootID: bootID, zone: zone)
        let media = MediaCache(folder: store.media)
        // The store, damaged or not, and the clock, which resumes by what the store knows.
        let opener = try configuration.encryption.map {
            try DeviceOpener($0, in: store, scratch: options.environment["RUNTIME_DIRECTORY"])
        }
        database = try StudyDatabase(
            rescuing: store.database, recordings: store.recordings,
            encryption: BodyEncryption.present(configuration.encryption, in: store), at: stamps.stamp(""))
        let folder = try RecordingFolder(
            store.recordings, known: (try? await database.highestRecordingNumber()) ?? 0,
            encryption: configuration.encryption.map {
                RecordingEncryption(to: $0.recipients, device: opener?.recipient, patience: $0.patience)
            })
        // An error is ignored here: the store is then more deeply damaged than the checks at start can see. That
        // is found and repaired when the store is next used; the agent starts all the same.
        clock.resume(
            try? await database.newestAnchor(ofBoot: stamps.bootID),
            reference: try? await database.newestReference(), latest: try? await database.newestTrustedTime())
        let leaving = await database.notedWish()
        // The board's devices and the panel's signals.
        devices = try BoardDevices(board, parts: options.parts, clock: clock)
        let mailbox = Mailbox()
        self.mailbox = mailbox
        let unreadable = (try? await database.unreadableAnswers())?.explanation
        // `moved`: files that lay where the agent's own belong, and were moved aside.
        view.change { [moved] in ($0.moved, $0.unreadableAnswers) = (moved, unreadable) }
        for thing in moved { mailbox.post(.remark(place: "state folder", message: "\(thing)")) }
        await Self.replaceLostKey(store, database, mailbox)
        clock.onSourceChange { mailbox.post(.alarm) }
        signals = try SignalPlayer(
            lights: devices.lights, buttons: panel.leds.map(\.button), buzzer: devices.buzzer,
            vibration: devices.vibration
        ) { [mailbox] in mailbox.post(.device(.shown($0))) }
        let voice = SpeechVoice(configuration.speech, on: panel, in: store)
        let isWithoutBuzzer = devices.isWithoutBuzzer
        let speaker = try devices.playback.map { try Speaker($0, voice: voice, playsTones: isWithoutBuzzer) }
        self.speaker = speaker
        // Enrolment, status and delivery.
        enroller = Enroller(
            database: database, panel: panel, zone: zone, stamps: stamps, media: media, voice: voice,
            results: ResultFolder(store.results), key: DeviceKeyFile(store), joins: JoinNote(store), fit: fit,
            destinations: configuration.destinations,
            tries: { ServerContact.problem($0) }, features: configuration.features, isDated: { clock.isTrusted },
            isWithoutStudy: { [view] in view.now.studyLoss != nil })
        var status = StatusReader(database: database, view: view, stamps: stamps, folder: configuration.state)
        let clockStatus = ClockStatus(trust: clock.trust, bound: configuration.promptsWithin)
        status.clock = clockStatus
        self.status = status
        uploaders = UploaderMaker(configuration, database: database, folder: store, stamps: stamps, log: log)
        let uploader = uploaders.make { [view, platforms = configuration.platforms] news in
            switch news {
            case .portal(let destination, let words): view.change { $0.portals[destination] = words }
            case .need(let destination, let words): view.change { $0.destinationNeeds[destination] = words }
            case .refused(let enrolment, let destination, let reason):
                guard platforms[PlatformName(rawValue: destination)]?.endsParticipation(reason) ?? false else { return }
                mailbox.post(.followed(.participantRefused(reason), of: enrolment))
            case .delivered: mailbox.post(.delivered)
            case .fault: break
            }
        }
        wakeUploader = { uploader.sendNow() }
        let reports = ReportRequests(clock: stamps.clock)
        self.reports = reports
        let live = configuration.mqtt.map { _ in LiveNews(clock: stamps.clock) }
        let states = StateWatch(
            database, view: view, clock: clockStatus, stamps: stamps, folder: configuration.state, log: log
        ) {
            reports.post(.changed)
            live?.stateChanged()
        }
        let follower = UpdateService(
            database: database, platforms: configuration.platforms, enroller: enroller, panel: panel, stamps: stamps,
            voice: voice, mailbox: mailbox, log: log,
            reportNeed: { [view] need in view.change { $0.progressNeed = need } },
            reportRefusal: { [view] words in view.change { $0.updateRefusal = words } })
        let retention = RetentionPolicy(
            diskCap: configuration.diskCap, keepDelivered: .seconds(7 * 86_400), freeSpaceFloor: 256 << 20,
            keepAnswers: configuration.keepAnswers)
        storeMaintenance = StoreMaintenance(
            database, retention: retention, stamps: stamps, view: view, mailbox: mailbox, systemd: systemd, log: log)
        await storeMaintenance.begin()
        // The loop, and what writes its decisions and answers commands.
        let commits = CommitService(
            mailbox: mailbox, clock: clock, log: log,
            results: ResultFolder(store.results, encryptedTo: configuration.encryption?.recipients ?? []),
            packer: RequestPacker(folder: store.recordings, opener: opener),
            repair: { [storeMaintenance] in await storeMaintenance.repair($0) },
            makeRoom: { [storeMaintenance] in await storeMaintenance.makeRoom() },
            wakeUploader: {
                uploader.wake()
                live?.work.wake()
                // A phone with the same account shows the participant's progress, too.
                if follower.tellsProgress { follower.wake() }
            }, append: CommitService.appending(to: database))
        let control = ControlService(
            socket: socket, database: database, enroller: enroller, status: status,
            platforms: configuration.platforms, follower: follower, wakeUploader: { uploader.sendNow() },
            sendNow: { uploader.networkChanged() },
            report: {
                reports.post(.urgent)
                live?.work.wake()
            },
            makeRoom: { [storeMaintenance] in await storeMaintenance.makeRoom() }, leaving: leaving,
            mailbox: mailbox, log: log)
        let watched = WatchedThreads(options.bounds)
        let loop = StudyLoop(
            AgentDependencies(
                configuration: configuration, database: database, devices: devices, panel: panel,
                limits: options.limits, signals: signals, speaker: speaker, stamps: stamps,
                trust: clock.trust,
                listener: configuration.listensToGPS && options.parts.position == nil
                    ? clock.listener(log: log) { mailbox.post(.clockFound) } : nil,
                folder: folder, opener: opener, live: live, media: media, backup: EnrolmentBackup(store),
                mailbox: mailbox, commits: commits, enrolmentWithdraw: { control.withdraw($0) }, leaving: leaving,
                repair: { [storeMaintenance] in await storeMaintenance.repair($0) }, observer: options.observer,
                trace: options.trace, view: view,
                heartbeat: (options.environment["RUNTIME_DIRECTORY"] ?? configuration.state) + "/alive",
                watched: watched, log: log))
        let maintenance = MaintenanceService(
            database: database, stamps: stamps, view: view, mailbox: mailbox, systemd: systemd,
            storeMaintenance: storeMaintenance, retention: retention,
            watch: AgentWatch(watched, bootID: stamps.bootID, file: store.restart, log: log), states: states,
            sticks: configuration.destinations.compactMap { ($0.destination as? DirectoryDestination)?.name }, log: log)
        // What watches the kernel, and reports to the lab and to a broker.
        let watch = try KernelWatch(
            networkChanged: {
                uploader.networkChanged()
                reports.post(.networkCame)
                live?.networkCame()
                follower.wake()
            }, clockSet: { [mailbox] in mailbox.post(.alarm) })
        let clockService = ClockService(
            clock: clock, trust: clock.trust, bound: configuration.promptsWithin, mailbox: mailbox)
        let health =
            try options.sysfs.isEmpty
            ? nil
            : HealthWatch(
                reader: HealthReader(root: options.sysfs, folder: configuration.state),
                onReading: { [mailbox] in mailbox.post(.health($0)) })
        let reader = ReportReader(
            database: database, status: status, view: view, clock: clockStatus, stamps: stamps,
            folder: configuration.state, sysfs: options.sysfs, configuration: configuration.digest, watch: states,
            pace: .init(every: configuration.reportEvery, window: configuration.uploadEvery))
        let reporter = configuration.report.map { ReportService(reports, to: $0, configuration, store, reader, log) }
        let feed = try live.flatMap { live in
            try configuration.mqtt.map { try LiveFeed($0, live, reader, folder: configuration.state, log: log) }
        }
        let destinations = configuration.destinations.map(\.destination)
        let recordDestinations = destinations.filter(\.keepsDayRecords).map(\.name)
        let labs = destinations.filter { $0.isLab && !$0.keepsDayRecords }.map(\.name)
        let records = DayRecordService(
            database: database, destinations: recordDestinations, ruledOnly: labs,
            routes: LabRoutes(configuration.destinations, lab: configuration.labAddress), key: DeviceKeyFile(store),
            stamps: stamps, clock: clockStatus, wakeUploader: { uploader.wake() }, log: log,
            unlogged: UnloggedRecordings(in: store.recordings, database))
        let signalDestinations = destinations.filter(\.takesDeviceSignals).map(\.name)
        let deviceSignals = DeviceSignalService(
            database: database, destinations: signalDestinations, sysfs: options.sysfs, stamps: stamps,
            clock: clockStatus, wakeUploader: { uploader.wake() }, log: log)
        // One stick at a time has the panel's light.
        let stick = configuration.destinations.lazy.compactMap { $0.destination as? DirectoryDestination }.first.map {
            [database] stick in
            StickWatch(
                database: database, stick: stick, clock: stamps.clock, pluggedIn: { uploader.networkChanged() },
                mailbox: mailbox)
        }
        // Shut down from the last to the first: no more commands, then stop and seal, then
        // commit, then send.
        let services: [(any Service)?] = [
            health, watch, clockService, UploadService(uploader: uploader), reporter, feed, stick,
            recordDestinations.isEmpty && labs.isEmpty ? nil : records,
            signalDestinations.isEmpty ? nil : deviceSignals, follower, commits, maintenance, loop, control,
        ]
        group = ServiceGroup(
            services.compactMap(\.self), stoppedBy: [SIGTERM, SIGINT] + (options.endsWithTerminal ? [SIGHUP] : []),
            within: options.shutdown, log: log)
    }

    /// Makes a new key where an enrolled device has lost its own: without one the lab's receiver would refuse
    /// it for good, and a new one works once the lab has approved it.
    private static func replaceLostKey(_ store: StateFolder, _ database: StudyDatabase, _ mailbox: Mailbox) async {
        guard let state = try? await database.latestEnrolment(), state.withdrawn == nil else { return }
        let file = DeviceKeyFile(store)
        if let key = try? file.replaceLost() {
            let words = "it was gone, and a new one was made; have the lab approve \(key.publicText.prefix(8))…"
            mailbox.post(.remark(place: "device key", message: words + " ('study-receiver devices approve')"))
        } else if file.read() == nil {
            let words =
                "\(store.deviceKey) holds no key, and nothing that is sent is signed; put the file back, or remove it"
            mailbox.post(
                .remark(place: "device key", message: words + " and restart studyd, which then makes a new one"))
        }
    }

    /// Runs until SIGTERM, SIGINT or `stop()`; returns with every file sealed and everything
    /// dark and silent.
    package func run() async throws {
        try devices.partPoller.start { [mailbox] in mailbox.post(.lookAround) }
        defer {
            signals.stop()
            speaker?.close()
            devices.close()
            lock.release()
        }
        try await group.run()
    }

    package func stop() async { group.stop() }

    /// After `run` has returned: sends what is left, for as long as `limit` at most. True when
    /// nothing is left to send.
    package func deliverRest(within limit: Duration, clock: any StudyClock) async throws -> Bool {
        try await uploaders.deliver(within: limit) { try await self.hasNothingToSend() }
        return try await hasNothingToSend()
    }

    private func hasNothingToSend() async throws -> Bool {
        let counts = try await database.counts().items
        return counts[.waiting] ?? 0 == 0 && counts[.sending] ?? 0 == 0
    }

    /// Tells the loop that the enroller was used directly.
    package func enrolmentChanged() {
        mailbox.post(.enrolmentChanged)
        // The server gets it too.
        wakeUploader()
        reports.post(.urgent)
    }
}
