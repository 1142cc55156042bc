// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
import SystemKit

/// `studyd takeover`, which systemd runs at boot and when a stick is plugged in: configures and enrols a device
/// from a folder on its card or on a stick.
struct TakeoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "takeover",
        abstract: "Take over a folder from the boot partition or a stick: configure and enrol.",
        discussion: """
            For studyd-takeover.service, at every boot before the network. Looks for a folder studyd/ on /boot/firmware and on disks labelled
            STUDYD or CIDATA, signals what became of it, and writes RESULT.txt beside it. What is secret in the folder is wiped from it.
            Example: studyd takeover
            Example: studyd takeover /media/stick/studyd
            """)

    @Argument(help: "The folder (default: the first that is found).", completion: .directory)
    var folder: String?
    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Enrol as soon as the network is there, for studyd-takeover-finish.service.")
    var finish = false

    func run() async throws {
        guard geteuid() == 0 else {
            throw AgentRefusal(text: "takeover needs root: it writes to /etc and starts services")
        }
        let places = TakeoverPlaces(configuration: common.config, state: state)
        guard !finish else { return try await finish(places) }
        if let folder, access(folder, F_OK) != 0 { throw FileError.lastReading(folder) }
        // Until this is ready systemd does not start the agent (Before=studyd.service).
        let socket = getenv("NOTIFY_SOCKET").map { ["NOTIFY_SOCKET": String(cString: $0)] }
        let notifier = SystemdNotifier(environment: socket ?? [:])
        defer { notifier.ready() }
        let stick = TakeoverStick()
        defer { stick.unmount() }
        guard let folder = try folder ?? Self.findFolder(mounting: stick) else { return }
        try await takeOver(folder, places, notifier)
    }

    private func takeOver(_ folder: String, _ places: TakeoverPlaces, _ notifier: SystemdNotifier) async throws {
        // The configuration, which may vouch for the system's clock, is not read here.
        let clock = DisciplinedClock.resumed(vouched: false, folder: places.state)
        let panel = try RunningAgent.isThere(places.state) ? nil : TakeoverPanel(places: places, clock: clock)
        var actions = FolderTakeover.Actions(boards: Self.boards, enrol: enrol, run: Self.runProgram)
        actions.boardFound = { panel?.showWork(on: $0) }
        let takeover = FolderTakeover(
            folder, places: places, clock: clock, isClockTrusted: clock.isTrusted, actions: actions)
        guard let (outcome, board) = await takeover.run() else {
            panel?.stop()  // There was nothing to do.
            return
        }
        Output.text(outcome.text(date: clock.now.rfc3339()).replacing("\r\n", with: "\n").shownLines)
        try signal(outcome, board, panel, places, notifier)
        if case .refused = outcome { throw ExitCode(1) }
    }

    /// Signals the outcome: a refusal on a new device for ten minutes, so that somebody sees it, all else for
    /// five seconds, since the agent waits for the board. `panel`: nil = an agent has the board already.
    private func signal(
        _ outcome: TakeoverOutcome, _ board: BoardDescription?, _ panel: TakeoverPanel?, _ places: TakeoverPlaces,
        _ notifier: SystemdNotifier
    ) throws {
        guard case .refused = outcome, access(places.state + "/studyd.sqlite", F_OK) != 0 else {
            try panel?.play(outcome, on: board, for: .seconds(5))
            return
        }
        notifier.ready()  // The boot goes on while it is signalled.
        try panel?.play(outcome, on: board, for: .seconds(600))
    }

    // MARK: - The folder

    private static let labels = ["STUDYD", "CIDATA", "cidata"].map { "/dev/disk/by-label/" + $0 }

    /// The folder on the boot partition if it has a setup file, else that of a stick, which stays mounted,
    /// else the one on the boot partition without a setup file; nil where there is none.
    private static func findFolder(mounting stick: TakeoverStick) throws -> String? {
        let known: [String] = ["/boot/firmware/studyd", "/boot/studyd"]
        let fixed = known.filter { (path: String) in access(path, F_OK) == 0 }
        if let ready = fixed.first(where: { access($0 + "/" + SetupFile.name, F_OK) == 0 }) { return ready }
        for device in labels { if let folder = stick.mount(device) { return folder } }
        return fixed.first
    }

    // MARK: - What FolderTakeover has the command do

    private static var boards: [String: String] {
        Resource.boards.reduce(into: [:]) { boards, name in boards[name] = try? Resource.path("boards/\(name).toml") }
    }

    /// The output of a program that failed, or could not be started; nil where it did its work.
    static func runProgram(_ words: [String]) -> String? {
        let program = BoundedProgram(name: words.first ?? "", arguments: Array(words.dropFirst()))
        do {
            let (status, output) = try program.run(input: [], limit: .seconds(900))
            return status == 0 ? nil : output.isEmpty ? "\(words.joined(separator: " ")) ended with \(status)" : output
        } catch { return "\(error)" }
    }

    private var state: String { common.state ?? AgentConfiguration.defaultState }
    /// With the service's state folder, whatever a configuration names: the agent uses that one.
    private var serviceOptions: CommonOptions {
        var options = common
        options.state = state
        return options
    }

    /// Has the running agent enrol; without one this process does.
    @Sendable private func enrol(_ request: EnrolmentRequest) async throws {
        if try RunningAgent.ask(serviceOptions, .enroll(request: request)) != nil { return }
        let store = try StoreAccess(serviceOptions, makesStore: true)
        defer { store.restoreOwner() }
        Output.line(try await store.enroller(isOffline: true).enrol(request, store.configuration.platforms))
    }

    // MARK: - With a network

    private func finish(_ places: TakeoverPlaces) async throws {
        var finish = TakeoverFinish(
            places: places, clock: SystemClock(), reaches: { ServerContact.problem($0) == nil },
            enrol: { try RunningAgent.ask(serviceOptions, .enroll(request: $0)) != nil },
            write: Self.write)
        while try await !finish.takeTurn() { try await Task.sleep(for: Self.pause) }
    }

    /// Rewrites an existing file. One on a stick is gone: the stick was mounted only while it was read.
    private static func write(_ text: [UInt8], to path: String) -> Bool {
        access(path, F_OK) == 0 && (try? AtomicFile.write(text, to: path)) != nil
    }

    /// Between two tries: short, since a try without a network costs nothing.
    private static let pause = Duration.seconds(10)
}
