// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Device
import Glibc
import Logging
import Simulation
import Study
import SystemKit

/// What `studyd-tools demo` runs: a receiver, the simulated board, the agent on it, and a participant: you, or
/// a script.
///
/// `init` prepares, `play` runs it to its end, `clean` stops what was started, also after a failure.
struct Demo {
    private let board: BoardDescription
    private let clock: DemoClock
    private let simulation: SimulatedBoard
    private let runtime: AgentRuntime
    private let server: LabServer?
    private let address: String
    private let folder: DemoFolder
    private let zone: Zone
    private let study: String
    private let seed: UInt64
    private let rules: RulesFile?
    private let snapshots = SnapshotQueue()
    private let trace = SignalTrace()
    private var narrator: Narrator
    private var picture: DemoPicture
    private let view: DemoView
    private let player: (any DemoPlayer)?
    /// The player at the terminal, also behind a `TaskOpener`; nil with a script or without a terminal.
    private let person: TerminalPlayer?
    private let ended = DemoEnd()

    /// Prepares everything; there is no enrolment yet. Nothing is drawn where the output is no
    /// terminal, where a script plays, or with `plain`.
    init(
        study: String, task: String?, board path: String, receiver: String?, state: String?, seed: UInt64,
        participant: Participant?, rules: RulesFile? = nil, isPlain: Bool
    ) async throws {
        self.rules = rules
        let task = try task.map { try Self.task($0, of: study) }
        folder = try DemoFolder(named: state)
        server =
            try receiver == nil
            ? LabServer(
                data: folder.path + "/receiver", LoadedStudy.load(study).platform.receiverArguments(playing: study))
            : nil
        // Copied from a browser it ends with a slash, and paths are added with one.
        var address = receiver ?? server?.address ?? ""
        while address.hasSuffix("/") { address.removeLast() }
        self.address = address
        self.study = study
        self.seed = seed
        // The board, on a clock that begins this morning at half past seven.
        board = try BoardDescription(at: path)
        zone = try SystemZone.load(nil)
        let system = SystemClock()
        let morning = LocalDateTime(zone.local(system.now).date, LocalTime(hour: 7, minute: 30) ?? .midnight)
        clock = DemoClock(base: system, start: zone.resolve(morning).instant)
        simulation = try SimulatedBoard(board, clock: clock, datesReceiver: true)
        // The agent, with the simulated parts in the place of the hardware.
        let log = Logger(label: "studyd") { label in
            var handler = JournalLogHandler(label: label, prefixed: false)
            handler.logLevel = .warning
            return handler
        }
        var options = AgentRuntime.Options(trust: ClockTrust { (.simulated, .milliseconds(1)) }, log: log)
        options.clock = clock
        options.parts = simulation.parts
        options.sysfs = ""
        options.endsWithTerminal = true
        options.trace = trace
        options.observer = { [snapshots] in snapshots.put($0) }
        runtime = try await AgentRuntime(
            Self.configuration(board: path, state: folder.path + "/device", receiver: address), board: board, options)
        // What is seen of it, and who plays.
        let panel = try Panel(board)
        picture = DemoPicture(board, panel: panel, address: address, trace: trace)
        let buttons = DemoButtons(simulation, board: board)
        let terminal = participant == nil ? RawTerminal() : nil
        view = DemoView(terminal, isPlain: isPlain)
        narrator = Narrator(
            zone: zone, panel: panel, keys: board.buttons.map(\.terminalKey), explains: view.board == nil)
        person = terminal.map { TerminalPlayer($0, buttons: buttons, panel: panel) }
        let player: (any DemoPlayer)? =
            participant.map { ScriptedParticipant($0, panel: panel, buttons: buttons) } ?? person
        self.player = task.map { TaskOpener($0, panel: panel, buttons: buttons, then: player) } ?? player
    }

    private static func task(_ name: String, of path: String) throws -> String {
        let study = try LoadedStudy.load(path).study
        guard let key = TaskOpener.key(of: name, in: study) else {
            let tasks = study.tasks.map { $0.name.isEmpty || $0.name == $0.key ? $0.key : "\($0.key) (\($0.name))" }
            throw FileError(
                path: path, message: "has no task, or several, called '\(name)'",
                remedy: "use one of \(tasks.joined(separator: ", "))")
        }
        return key
    }

    /// Plays until `limit` is over or the participant ends it; true when the ledger balances (every prompt,
    /// sample and upload that was due is accounted for), the log is whole and everything was sent.
    mutating func play(for limit: Duration) async throws -> Bool {
        introduce()
        view.board?.open()
        defer { view.close() }
        let runtime = runtime
        let ended = ended
        async let running: Void = Self.run(runtime, ended)
        try await enrol()
        let end = clock.monotonic + limit
        try await follow(until: end)
        await runtime.stop()
        try await running
        narrate()
        view.close()
        let isSent = try await runtime.deliverRest(within: .seconds(20), clock: clock)
        return try await conclude(isSent)
    }

    /// Runs the agent, and says when it has ended: by Ctrl-C, by SIGTERM, or because
    /// something broke.
    private static func run(_ runtime: AgentRuntime, _ ended: DemoEnd) async throws {
        defer { ended.set() }
        try await runtime.run()
    }

    /// Ends the board and the receiver, and removes the demo's files unless they are to be kept.
    func clean(keeping: Bool) {
        simulation.stop()
        server?.stop()
        guard folder.end(keeping: keeping) else { return }
        Output.line("kept: \(folder.path)")
        Output.line("look at it with: studyd status --state \((folder.path + "/device").shellWord)")
    }

    private func introduce() {
        Output.line("studyd-tools demo: the whole agent on the board '\(board.name)'")
        Output.line("see what arrives at \(address)/")
        if person != nil, view.board == nil {
            let keys = DemoKeys(buttons: board.buttons.map(\.terminalKey))
            Output.line(
                "keys: "
                    + board.buttons.enumerated().map { "[\($1.terminalKey)] \(narrator.name(of: $0))" }.joined(
                        separator: "  "))
            Output.line("      " + keys.legend(tellsReleases: false, in: .english).dropFirst().joined(separator: "  "))
        }
        Output.line("")
    }

    /// Enrols from the receiver's address, as a participant's device would.
    private func enrol() async throws {
        let name = study.split(separator: "/").last.map(String.init) ?? study
        let isServed = server != nil && !File.isFolder(study)
        let url = isServed ? "\(address)/study/\(name)" : study
        let loaded = try await onThread("demo-load") { try LoadedStudy.load(url) }
        let record = try await runtime.enroller.enrol(options(loaded))
        runtime.enrolmentChanged()
        say("\(record.summary), from \(url)")
    }

    /// What is asked of the enroller: an enrolment at the receiver, which plays the platform's server.
    private func options(_ loaded: LoadedStudy) -> EnrolmentOptions {
        let terms = loaded.platform.rehearsal(
            of: loaded.study, at: address, token: StudyFolder.tokens(in: study).first, over: StudyConnection())
        var options = EnrolmentOptions(loaded: loaded, seed: seed, postURL: terms.postURL)
        options.join = terms.join
        options.rules = rules
        return options
    }

    /// Shows what happens and lets the player play, twenty times a second: no pulse of a
    /// signal goes unseen.
    private mutating func follow(until end: MonotonicTime) async throws {
        var quietSince = clock.monotonic
        var hasJumped = false
        var nextSecond = clock.monotonic
        person?.onRedraw = { [view] in view.board?.redraw() }
        while clock.monotonic < end, !ended.isSet {
            try await clock.sleep(until: clock.monotonic + .milliseconds(50))
            let conductor = runtime.view.now.conductor
            let now = Moment(instant: clock.now, monotonic: clock.monotonic)
            narrate()
            if nextSecond <= now.monotonic {
                nextSecond = now.monotonic + .seconds(1)
                try await updateOncePerSecond(at: now)
            }
            draw(conductor, at: now)
            let request = try player?.play(conductor, at: now) ?? .nothing
            switch request {
            case .end: return
            case .jumpTo(let due):
                jump(to: due)
                quietSince = now.monotonic
                continue
            case .opensFirst(let name): say(narrator.language(DemoPhrases.opensFirst, name))
            case .neverOpens:
                say(narrator.language(DemoPhrases.neverOpens))
                guard person != nil else { return }
            case .nothing, .busy, .jump: break
            }
            // Nothing has happened for three seconds, or a jump is requested: on to the next prompt.
            let isQuiet = conductor.map { $0.session.isIdle && !$0.session.hasPrompt } ?? false
            if !isQuiet || request == .busy { quietSince = now.monotonic }
            let jumpsByItself = player?.jumpsByItself ?? true || !hasJumped
            guard request == .jump || jumpsByItself && now.monotonic - quietSince > .seconds(3) else { continue }
            if jump(conductor, isRequested: request == .jump, at: now) {
                (quietSince, hasJumped) = (now.monotonic, true)
            }
        }
    }

    /// Puts the clock forward to the next time of a task. It may be there already, where the agent
    /// has not noticed yet.
    private func jump(to due: Instant) {
        guard clock.now < due else { return }
        say(narrator.language(DemoPhrases.jumpedToTask))
        clock.skip(to: due)
    }

    /// Puts the clock forward to the next prompt, or says why not.
    private func jump(_ conductor: StudyConductor?, isRequested: Bool, at now: Moment) -> Bool {
        guard let conductor else { return false }
        switch DemoJump(from: conductor, at: now.instant) {
        case .refused(let why):
            if isRequested { say(narrator.language(why)) }
            return false
        case .to(let time):
            say(narrator.language(DemoPhrases.jumped))
            clock.skip(to: time)
            return true
        }
    }

    private func say(_ words: String) { view.line(narrator.line(words, at: clock.now)) }

    private mutating func narrate() {
        for snapshot in snapshots.drain() {
            for line in narrator.narrate(snapshot) { view.line(line) }
        }
        for line in view.board?.takeErrorLines() ?? [] { view.line(line) }
    }

    /// Once a second: prints new faults, and records the measures for the drawing.
    private mutating func updateOncePerSecond(at now: Moment) async throws {
        for line in narrator.narrate(faults: runtime.view.now.faults, at: now.instant) { view.line(line) }
        guard view.board != nil else { return }
        picture.record(runtime.view.now.measures, try await runtime.status.ledger())
    }

    private func draw(_ conductor: StudyConductor?, at now: Moment) {
        view.board?.draw(
            picture.picture(
                conductor, simulation.panels.map { $0.read() }, narrator, tellsReleases: person?.tellsReleases ?? false,
                log: view.log, at: now))
    }

    private func conclude(_ isSent: Bool) async throws -> Bool {
        let ledger = try await runtime.status.ledger()
        Output.line("")
        Output.text(ledger.text)
        if !ledger.isBalanced {
            Output.remark("studyd-tools: the ledger does not balance (this is a bug; please report it)")
        }
        if !isSent { Output.remark("studyd-tools: some items could not be sent within 20 s") }
        if let fault = try await runtime.database.verifyLog() {
            Output.remark("studyd-tools: \(fault)")
            return false
        }
        Output.line("event log intact")
        return ledger.isBalanced && isSent
    }

    /// For any board: measures those of these channels that it has, at the chip's own rate where the
    /// chip does not offer ours.
    private static func configuration(board: String, state: String, receiver: String) -> AgentConfiguration {
        func measure(_ kind: MeasureKind, _ rate: Double, _ format: RecordingFormat) -> ConfiguredMeasure {
            var measure = ConfiguredMeasure(
                channel: kind, rate: rate, range: nil, activity: .enrolled, format: format, rotation: .seconds(30))
            measure.isRateAsked = false
            measure.isOptional = true
            return measure
        }
        return AgentConfiguration(
            board: board, state: state, destinations: [.recordings(to: receiver + "/files")],
            measures: [
                measure(.accelerometer, 100, .cwa), measure(.magnetometer, 20, .csv), measure(.sound, 16_000, .levels),
                measure(.position, 1, .nmea),
            ])
    }
}
