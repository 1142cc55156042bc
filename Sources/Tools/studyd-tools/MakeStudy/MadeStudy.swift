// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Device
import Glibc
import Logging
import Study
import SystemKit

/// What `studyd-tools make-study` makes, a study as it lies on disks after its last day: `lab`, the folder of a
/// study-receiver, and `devices/P001` …, the state folder of each device.
struct MadeStudy {
    struct Request {
        var study: String
        var participants = 3
        var days = 14
        var seed: UInt64 = 1
        /// Samples per second of the accelerometer.
        var rate = 50.0
        /// What is measured beside the accelerometer.
        var measures: [MeasureKind] = []
        var zone = "Europe/Berlin"
        var start = LocalDate(daysSinceEpoch: 0)
        var decisions: [MadeLife.Decision] = []
        /// Who answers; nil = somebody who answers most prompts, at random.
        var participant: Participant?
        /// A rules file beside the study (docs/rules.md); nil = none.
        var rules: RulesFile?
    }

    private let request: Request
    private let folder: String
    private let loaded: LoadedStudy
    private let board: BoardDescription
    private let panel: Panel
    private let zones: (home: Zone, abroad: Zone)

    /// Only reads; throws where the board, the participant or a decision does not fit the study, where the
    /// board cannot measure what is asked for or lacks a file, and where there is no such zone.
    init(_ request: Request, board: BoardDescription, into folder: String) throws {
        (self.request, self.board) = (request, board)
        self.folder = folder.hasSuffix("/") && folder.count > 1 ? String(folder.dropLast()) : folder
        loaded = try LoadedStudy.load(request.study)
        // Devices deliver on it once all their days are played.
        try SimulatedBoard.check(board)
        panel = try Panel(board)
        let verdict = StudyVerdict(loaded.study, on: panel)
        let refusals =
            verdict.arms.isEmpty ? verdict.refusals(for: nil) : verdict.arms.flatMap { verdict.refusals(for: $0) }
        guard refusals.isEmpty else { throw EnrolmentError.refused(refusals) }
        try request.participant?.check(loaded.study)
        let home = try Zone.load(request.zone)
        zones = (home, try Zone.load(request.zone == "Europe/Lisbon" ? "Europe/Berlin" : "Europe/Lisbon"))
        try check(request.decisions)
        let measures = try configuration(of: "P001", "http://127.0.0.1").measures
        try MeasuringFit(measures, on: board, remedy: "choose another --rate, --measures or --board").check()
    }

    private func check(_ decisions: [MadeLife.Decision]) throws {
        let tasks = loaded.study.tasks.map(\.key)
        for case .remove(let task, _) in decisions where !tasks.contains(task) {
            throw FileError.format(
                path: "--remove",
                problem: "the study has no task '\(task)'; use one of \(tasks.joined(separator: ", "))")
        }
    }

    /// Plays and delivers; true when every ledger balances.
    func make() async throws -> Bool {
        let began = SystemClock().monotonic
        try prepareFolder()
        let lives = (1...request.participants).map {
            MadeLife(
                number: $0, days: request.days, from: request.start, home: zones.home, abroad: zones.abroad,
                seed: request.seed, decisions: request.decisions)
        }
        let end = lives.map(\.end).max() ?? .epoch
        // All devices deliver once the last has ended; the lab's clock begins after that.
        let server = try LabServer(
            data: folder + "/lab",
            loaded.platform.receiverArguments(playing: request.study) + [
                "--clock-from", (end + .seconds(300)).rfc3339(),
            ])
        defer { server.stop() }
        let devices = try zip(lives, lives.indices).map { try device($0, number: $1 + 1, address: server.address) }
        try AtomicFile.write(truth(devices), toNamed: folder + "/truth.json")
        try await play(devices)
        var isBalanced = true
        for device in devices { isBalanced = try await deliver(device) && isBalanced }
        let spent = (SystemClock().monotonic - began).seconds
        let speed = Double(request.participants * request.days) * 86_400 / spent
        Output.line(
            "\(Plural.of(request.participants, "device")), \(Plural.of(request.days, "day")) each, in \(Int(spent.rounded())) s: \(Int(speed)) × real time"
        )
        Output.line(
            "look at it with: study-receiver --data \((folder + "/lab").shellWord), and studyd status --state \((folder + "/devices/P001").shellWord)"
        )
        return isBalanced
    }

    private func prepareFolder() throws {
        let made = try DemoFolder(named: folder, option: "-o")
        let room = DiskSpace(at: made.path)?.free ?? .max
        // The accelerometer's 4.3 bytes per sample, and 60 per second for everything small; all of it twice, on
        // the device and at the lab.
        let bytes = request.rate * 4.3 + 60 + request.measures.reduce(0) { $0 + Self.bytes(of: $1) }
        let needed = Int64(Double(request.participants * request.days) * 86_400 * bytes) * 2
        guard room > needed else {
            throw FileError(
                path: folder, message: "needs about \(needed >> 20) MiB, and \(room >> 20) MiB are free",
                remedy: "make fewer days or participants, or name a folder on a larger disk")
        }
        for path in [folder + "/devices", folder + "/lab"] where mkdir(path, 0o750) != 0 && errno != EEXIST {
            throw FileError(path: path, message: String(cString: strerror(errno)))
        }
    }

    /// Bytes per second on the disk; measures that need far less are within the 60 for everything else.
    private static func bytes(of kind: MeasureKind) -> Double {
        switch kind {
        case .sound: 20
        case .magnetometer: 160
        default: 0
        }
    }

    private func device(_ life: MadeLife, number: Int, address: String) throws -> MadeDevice {
        let name = "P" + number.padded(3)
        var device = MadeDevice(
            name, life, loaded, participant: request.participant ?? Self.participant(number),
            try configuration(of: name, address), on: board, panel: panel, address: address, Self.log)
        device.rules = request.rules
        device.token = StudyFolder.tokens(in: request.study).dropFirst(number - 1).first
        return device
    }

    /// By number: every third misses 35 % of its prompts, the others 8 % and 18 %.
    static func participant(_ number: Int) -> Participant {
        var participant = Participant(latency: .seconds(Int64(25 + 20 * number % 90)), otherwise: .random)
        participant.misses = [0.35, 0.08, 0.18][number % 3]
        (participant.delays, participant.declines) = (0.08, 0.06)
        (participant.leaves, participant.goesBack, participant.opens) = (0.03, 0.05, 0.5)
        (participant.silences, participant.dawdles) = (0.03, 0.05)
        return participant
    }

    /// As a lab would write it; recordings begin a new file each day.
    func configuration(of name: String, _ address: String) throws -> AgentConfiguration {
        var lines = [
            "board = \(ConfigurationDraft.quoted(board.file))",
            "zone = \(ConfigurationDraft.quoted(request.zone))", "body_location = \"left wrist\"", "", "[upload]",
            "recordings = \(ConfigurationDraft.quoted(address + "/files"))", "", "[report]",
            "url = \(ConfigurationDraft.quoted(address))",
        ]
        for kind in [.accelerometer] + request.measures {
            lines += ["", "[[measure]]", "channel = \"\(kind.rawValue)\"", "rotate = \"24h\"", "optional = true"]
            if kind == .accelerometer { lines.append("rate = \(request.rate)") }
            if kind == .sound { lines.append("format = \"levels\"") }
        }
        // Those that are looked at every day; others can be computed from the recordings.
        let features =
            ["enmo", "wear"] + (request.measures.contains(.sound) ? ["sound"] : [])
            + (request.measures.contains(.position) ? ["visits"] : [])
        lines += ["", "[features]", "is = [\(features.map { "\"\($0)\"" }.joined(separator: ", "))]"]
        var configuration = try AgentConfiguration(
            parsing: lines.joined(separator: "\n") + "\n", file: name + ".toml")
        // As with `--state`: the file takes an absolute path only, and `folder` may be relative.
        configuration.state = folder + "/devices/" + name
        return configuration
    }

    /// As many at once as there are processors.
    private func play(_ devices: [MadeDevice]) async throws {
        try await withThrowingTaskGroup(of: [String].self) { group in
            var waiting = devices[...]
            for device in waiting.prefix(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
                waiting.removeFirst()
                group.addTask { try await Self.play(device) }
            }
            while let unanswered = try await group.next() {
                for question in unanswered {
                    Output.remark("studyd-tools: \(question) must be answered, and the script does not answer it")
                }
                if let device = waiting.popFirst() { group.addTask { try await Self.play(device) } }
            }
        }
    }

    private static func play(_ device: MadeDevice) async throws -> [String] {
        try await device.play { share in
            if Output.isTerminal { Output.remark("\(device.name): \(Int(share * 100)) % of its days") }
        }
    }

    private func deliver(_ device: MadeDevice) async throws -> Bool {
        let limit = Duration.seconds(Int64(120 + 20 * request.days))
        let ledger = try await device.deliver(within: limit)
        Output.line("\(device.name)")
        Output.text(ledger.text)
        if !ledger.isBalanced {
            Output.remark("studyd-tools: the ledger does not balance (this is a bug; please report it)")
        }
        return ledger.isBalanced
    }

    private func truth(_ devices: [MadeDevice]) -> [UInt8] {
        Array(
            (JSONText.object([
                .init("seed", .string(String(request.seed))), .init("rate", .decimal(request.rate)),
                .init("participants", .array(devices.map { $0.life.truth(of: $0.name) })),
            ]).text + "\n").utf8)
    }

    private static let log = Logger(label: "studyd") { label in
        var handler = JournalLogHandler(label: label, prefixed: false)
        handler.logLevel = .critical
        return handler
    }
}
