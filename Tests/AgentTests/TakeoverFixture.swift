// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Simulation
import Study
import Synchronization
import SystemKit

@testable import Agent

/// A machine in a folder, with a card's boot partition, on which a takeover can do all it does.
final class TakeoverFixture {
    static let key = "2ZZYlBifSbA1NGKO7dB-CkTEYi02bc41UFk9uOzgjF0"
    static let consent = #"{"version":"1.0","recordedBy":"A. Nurse","eligible":true}"#
    private static let board = """
        name = "one button"
        [[button]]
        name = "only"
        device = "/dev/gpiochip9:1"
        [[light]]
        name = "status"
        device = "/dev/gpiochip9:2"
        """
    let tree: SysfsTree
    let boot: String
    let places: TakeoverPlaces
    let clock = VirtualClock(now: Instant(seconds: 1_780_000_000))
    var isClockTrusted = true
    private let commands = Commands()
    private var mounted: [String] = []
    var beforeEnrolling: @Sendable () -> Void = {}

    deinit { for path in mounted { umount2(path, Int32(MNT_DETACH)) } }

    /// What would have been run.
    private final class Commands: Sendable {
        let lines = Mutex<[String]>([])
        let begun = Mutex<[String]>([])
    }

    /// With a folder that is right.
    init() throws {
        tree = try SysfsTree()
        boot = tree.path + "/boot/firmware"
        places = TakeoverPlaces(
            root: tree.path, configuration: tree.path + "/etc/studyd/studyd.toml", state: tree.path + "/var/lib/studyd")
        tree["var/lib/other/file"] = ""
        tree["etc/cloud/cloud.cfg"] = ""
        // As NetworkManager keeps a Wi-Fi (nm-settings-keyfile(5)).
        tree["etc/NetworkManager/system-connections/lab.nmconnection"] =
            "[connection]\nid=lab\ntype=wifi\n[wifi]\nssid=lab\n"
        self["study.json"] = String(
            decoding: AgentFixture.protocolText(days: 3, times: [(9, 0)]), as: UTF8.self)
        self["board.toml"] = Self.board
        self["consent.json"] = Self.consent
        self["setup.toml"] = Self.setup()
    }

    /// A file of the folder; nil removes it.
    subscript(_ name: String) -> String? {
        get { try? BoundedFile.text(boot + "/studyd/" + name) }
        set { tree["boot/firmware/studyd/" + name] = newValue }
    }

    static func setup(
        participant: String = "P001", study: String = "study.json", board: String = "board.toml",
        key: String? = TakeoverFixture.key, more: String = "", end: String = "\n"
    ) -> String {
        var lines = [
            "participant = \"\(participant)\"", "study = \"\(study)\"", "board = \"\(board)\"",
            "zone = \"Europe/Berlin\"", "consent = \"consent.json\"",
        ]
        if let key { lines.append("device_key = \"\(key)\"") }
        if !more.isEmpty { lines.append(more) }
        return lines.joined(separator: end) + end
    }

    var result: String { (try? BoundedFile.text(boot + "/RESULT.txt")) ?? "" }
    var ran: [String] { commands.lines.withLock { $0 } }
    /// Boards that were known when a takeover began.
    var begun: [String] { commands.begun.withLock { $0 } }

    func takeOver() async -> TakeoverOutcome? {
        var actions = FolderTakeover.Actions(
            boards: [
                "breadboard": AgentFixture.package + "/boards/breadboard.toml",
                "simulated": AgentFixture.package + "/boards/simulated.toml",
            ],
            enrol: { [places, clock, beforeEnrolling] in
                beforeEnrolling()
                try await Self.enrol($0, places, clock)
            },
            run: { [commands] words in
                commands.lines.withLock { $0.append(words.joined(separator: " ")) }
                return nil
            })
        actions.boardFound = { [commands] board in commands.begun.withLock { $0.append(board.name) } }
        return await FolderTakeover(
            boot + "/studyd", places: places, clock: clock, isClockTrusted: isClockTrusted, patience: .zero,
            actions: actions
        ).run()?.outcome
    }

    /// With the real enroller, into the device's own log.
    static func enrol(_ request: EnrolmentRequest, _ places: TakeoverPlaces, _ clock: VirtualClock) async throws {
        let configuration = try AgentConfiguration(
            parsing: BoundedFile.text(places.configuration), file: places.configuration)
        let folder = try StateFolder(places.state)
        let path =
            configuration.board.hasPrefix("/") ? configuration.board : places.boardFolder + "/" + configuration.board
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        let zone = try Zone.load(configuration.zone ?? "UTC")
        let enroller = Enroller(
            database: try StudyDatabase(.file(folder.database)), panel: try Panel(board), zone: zone,
            stamps: EventClock(clock: clock, bootID: "boot", zone: zone), media: MediaCache(folder: folder.media))
        _ = try await enroller.enrol(request, .standard)
    }
}

extension TakeoverFixture {
    func removeNetwork() { tree["etc/NetworkManager/system-connections/lab.nmconnection"] = nil }
    /// A disk of that many megabytes at the path; false where none may be mounted.
    func mountDisk(at path: String, megabytes: Int) throws -> Bool {
        try File.makeFolder(path)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else { return false }
        mounted.append(path)
        return true
    }
    func makeExecutable(_ name: String) { chmod(tree.path + "/" + name, 0o755) }
}
