// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import RecordingSchema
import Synchronization
import Testing

/// A device and its lab server, as their users have them: the built programs, a folder,
/// commands. Everything that was started is ended, and everything that was made is removed,
/// with the scenario.
final class Stage: Sendable {
    /// Where the device's files lie: `studyd.toml`, `board.toml`, `state/`, `study.json`.
    let folder: String
    /// The state folder, which may lie on a separate disk.
    let state: String
    private let children = Mutex<[Child]>([])
    private let names = Atomic<Int>(0)

    /// What the `[world]` of the board says besides the script.
    struct World: Sendable {
        var participant = #"{"latency":"0s","otherwise":"first"}"#
        var wishes: [String] = []
        /// Address, and until when it is silent.
        var silentAddress: String?
    }

    private init(folder: String, state: String) {
        self.folder = folder
        self.state = state
    }

    /// A stage for one scenario.
    static func with(state: String? = nil, _ scenario: (Stage) async throws -> Void) async throws {
        let folder = try Files.temporaryFolder("studyd-scenario")
        let stage = Stage(folder: folder, state: state ?? folder + "/state")
        let result: Result<Void, any Error>
        do { result = .success(try await scenario(stage)) } catch { result = .failure(error) }
        if case .failure = result {
            for child in stage.children.withLock({ $0 }) where !child.errors.isEmpty {
                print(child.errors.suffix(2000))
            }
        }
        await stage.clear()
        try result.get()
    }

    private func clear() async {
        for child in children.withLock({ $0 }) where child.end == nil { try? await child.kill9() }
        for place in state.hasPrefix(folder) ? [folder] : [folder, state] {
            for fault in DescriptionSchema.faults(below: place) { Issue.record("\(fault)") }
        }
        Files.remove(folder)
    }

    // MARK: - Files

    /// Writes `studyd.toml`; without measures nothing is recorded.
    func configure(recordings: String?, measures: [String] = Stage.allMeasures, rotate: String = "10s") throws {
        let tables = measures.map { "[[measure]]\nchannel = \"\($0)\"\nrotate = \"\(rotate)\"\n" }
        try Files.write(
            """
            board = "board.toml"
            state = "\(state)"
            zone = "\(LabStudy.zone)"
            [clock]
            trust_system = true
            \(recordings.map { "[upload]\nrecordings = \"\($0)\"" } ?? "")
            \(tables.joined())
            """, to: folder + "/studyd.toml")
    }

    static let allMeasures = ["accelerometer", "magnetometer", "sound", "position"]

    /// The chip of `World.silentAddress` does not answer as long as this file is there.
    var silence: String { folder + "/unplugged" }

    /// Writes `board.toml`: the simulated board with this world.
    func board(_ world: World = World()) throws {
        try Files.write(world.participant, to: folder + "/participant.json")
        // The sound of a room is made for a minute in advance, which is only worth while
        // where it is measured.
        let measuresSound = Files.text(folder + "/studyd.toml").contains("\"sound\"")
        var text =
            (measuresSound ? Self.board : Self.boardWithoutMicrophone)
            + "\nparticipant = \"participant.json\"\nwishes = \"\(world.wishes.joined(separator: "; "))\"\n"
        if let address = world.silentAddress {
            try Files.write("", to: silence)
            text += "[[world.silence]]\naddress = \(address)\nwhile = \"\(silence)\"\n"
        }
        try Files.write(text, to: folder + "/board.toml")
    }

    /// The text of `boards/simulated.toml`.
    static let board = Files.text(Programs.package + "/boards/simulated.toml")

    private static let boardWithoutMicrophone: String = {
        guard let start = board.firstRange(of: "[microphone]")?.lowerBound,
            let end = board[start...].firstRange(of: "\n\n")?.upperBound
        else { return board }
        return String(board[..<start] + board[end...])
    }()

    // MARK: - Processes

    /// Starts a command of the device; what it prints is kept apart from other children's.
    func start(_ arguments: [String]) throws -> Child {
        let number = names.wrappingAdd(1, ordering: .relaxed).newValue
        // Minutes of computing stay behind what other tests do in real time.
        let patient = arguments.contains("make-study") ? ["nice", "-n", "10"] : []
        let child = try Child(patient + arguments, output: "\(folder)/child-\(number)")
        children.withLock { $0.append(child) }
        return child
    }

    /// Starts the agent and waits until it answers.
    func agent() async throws -> Child {
        let agent = try start([Programs.tools, "run", "--config", folder + "/studyd.toml"])
        try await eventually("the agent answers; it said: \(agent.errors)") {
            if let end = agent.end { throw Complaint("the agent ended with \(end): \(agent.errors)") }
            return try await status()["running"].isTrue
        }
        return agent
    }

    /// Runs `studyd` with these words to its end.
    @discardableResult
    func studyd(_ words: String..., limit: Duration = patience) async throws -> Finished {
        try await finished(Programs.studyd, words, within: limit)
    }

    /// Runs `studyd-tools` with these words to its end.
    @discardableResult
    func tools(_ words: String..., limit: Duration = patience) async throws -> Finished {
        try await finished(Programs.tools, words, within: limit)
    }

    private func finished(_ program: String, _ words: [String], within limit: Duration) async throws -> Finished {
        let child = try start([program] + words + ["--config", folder + "/studyd.toml"])
        let code = try await child.ended(within: limit)
        return Finished(code: code, output: child.output, errors: child.errors)
    }

    /// What a command left behind.
    struct Finished: Sendable {
        let code: Int32
        let output: String
        let errors: String
    }

    /// `status --json`; null before anything has made a store.
    func status(uploads: Bool = false) async throws -> JSON {
        let finished = try await uploads ? studyd("status", "--json", "--uploads") : studyd("status", "--json")
        if finished.errors.contains("there is no store here") { return .null }
        guard finished.code == 0 else { throw Complaint("status: \(finished.errors)") }
        return try JSON(parsing: finished.output)
    }

    /// Runs that were submitted, prompted or not, as the ledger has them.
    func submissions() async throws -> Int { Self.submissions(try await status()) }

    /// Runs that were submitted, prompted or not, as the ledger has them.
    static func submissions(_ status: JSON) -> Int {
        let counts = status["ledger"]["occurrences"]
        return counts["completed"].int + counts["selfStarted"].int
    }
}

/// The programs that are tried: those in the folder that `STUDYD_PROGRAMS` names, such as a release,
/// else those beside the bundle of tests.
enum Programs {
    static let studyd = folder + "/studyd"
    /// Has the simulated board.
    static let tools = folder + "/studyd-tools"
    static let receiver = folder + "/study-receiver"

    static let package: String = {
        var parts = #filePath.split(separator: "/")
        parts.removeLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    static let areNamed = named != nil
    private static let named = getenv("STUDYD_PROGRAMS").map { String(cString: $0) }

    /// The bundle's is that of the file that this code is mapped from.
    static let folder: String = {
        if let named { return named }
        for line in Files.text("/proc/self/maps").split(separator: "\n") where line.hasSuffix(".xctest") {
            guard let start = line.firstIndex(of: "/"), let end = line.lastIndex(of: "/") else { continue }
            let folder = String(line[start..<end])
            if access(folder + "/studyd", X_OK) == 0 { return folder }
        }
        return package + "/.build/debug"
    }()
}
