// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Logging
import Patience
import SimulatedWorld
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// The whole agent below a real NOTIFY_SOCKET (sd_notify(3)): WATCHDOG=1 must mean that
/// everybody makes progress.
@Suite(.serialized, .timeLimit(.minutes(20))) struct WatchdogTests {
    @Test func aDriverThatIsStuckIsWorthOneRestartAndThenTheAgentStaysUpWithAFault() async throws {
        try await Rig.with { rig in
            try await rig.live { runtime in
                try await rig.notes.wait(for: "READY=1")
                try await eventually("both chips are recorded") { rig.stored(runtime).allSatisfy { $0 > 0 } }
                try await rig.notes.wait(for: "WATCHDOG=1")

                rig.gate.close()
                try await rig.notes.waitForSilence()
                try await eventually("it is named") {
                    runtime.view.now.stuck.contains { $0.description.hasPrefix("bus-motion has made no progress") }
                }
                let before = rig.stored(runtime)[1]
                try await eventually("the other bus goes on") { rig.stored(runtime)[1] > before }
                #expect(access(rig.folder + "/state/restart", F_OK) == 0)

                rig.gate.open()
                try await rig.notes.wait(for: "WATCHDOG=1")
                rig.gate.close()
                try await rig.notes.waitForSilence()
            }
            // The driver still holds its thread: the end in order did not wait for it. This is the
            // start after the watchdog's restart.
            try await rig.live { runtime in
                try await eventually("the fault is shown") {
                    runtime.view.now.faults.contains { $0.description.contains("a restart did not help") }
                }
                for _ in 0..<20 { try await rig.notes.wait(for: "WATCHDOG=1") }
                try await eventually("the other bus goes on") { rig.stored(runtime)[1] > 0 }
                rig.gate.open()
                try await eventually("the fault passes") { runtime.view.now.stuck.isEmpty }
            }
        }
    }

    /// fsfreeze(8): every write to the file system blocks in the kernel until it is thawed.
    @Test func aRecorderOnAFrozenDiskIsNotFedFor() async throws {
        try await Rig.with { rig in
            let recordings = rig.folder + "/state/recordings"
            guard let disk = FrozenDisk(at: recordings, image: rig.folder + "/disk.img") else {
                return print(
                    "SKIPPED: a file system of its own cannot be made and mounted here (root, mkfs.ext4, a loop device)"
                )
            }
            defer { disk.unmount() }
            try await rig.live { runtime in
                try await eventually("both chips are recorded") { rig.stored(runtime).allSatisfy { $0 > 0 } }
                try await rig.notes.wait(for: "WATCHDOG=1")
                #expect(disk.freeze())
                do {
                    try await rig.notes.waitForSilence()
                    try await eventually("the recorder's thread is named") {
                        runtime.view.now.stuck.contains {
                            $0.description.hasPrefix("studyd-record has made no progress")
                        }
                    }
                    // On a busy machine another may be late, but not for long.
                    try await eventually("the rest feeds") { runtime.view.now.stuck.count == 1 }
                } catch {
                    disk.thaw()
                    throw error
                }
                disk.thaw()
                try await rig.notes.wait(for: "WATCHDOG=1")
            }
        }
    }

    /// proc(5): D is a thread that waits in the kernel and takes no signal; posix_spawn waits so
    /// (vfork(2)) for a child that has not begun, here because its standard input is a pipe without
    /// a writer.
    @Test func aThreadThatTheKernelHoldsIsKnown() async throws {
        try await AgentFixture.inFolder { folder in
            let pipe = folder + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let waker = try Waker()
            let thread = try NamedThread(name: "odd ) D name") {
                waker.countTurn()
                var actions = posix_spawn_file_actions_t()
                posix_spawn_file_actions_init(&actions)
                posix_spawn_file_actions_addopen(&actions, 0, pipe, O_RDONLY, 0)
                var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
                var child: pid_t = 0
                if posix_spawn(&child, "/bin/true", &actions, nil, &words, environ) == 0 { waitpid(child, nil, 0) }
                posix_spawn_file_actions_destroy(&actions)
                free(words[0])
                waker.wait(atMost: .seconds(60))
            }
            try await eventually("the kernel holds it") { AgentWatch.isHeld(waker.threadID) }
            let writer = open(pipe, O_WRONLY | O_CLOEXEC)
            close(writer)
            try await eventually("the kernel lets it go") { !AgentWatch.isHeld(waker.threadID) }
            waker.stop()
            thread.join()
            #expect(!AgentWatch.isHeld(0))
        }
    }
}

/// A board of two buses of which one can be stopped, and the agent on it.
private final class Rig: Sendable {
    static let board = """
        name = "rig"
        bus = [{ name = "motion", device = "simulated" }, { name = "field", device = "simulated" }]
        chip = [{ type = "LIS3DH", bus = "motion", address = 0x18 }, { type = "LIS3MDL", bus = "field", address = 0x1E }]
        button = [{ name = "select", device = "simulated", code = 28 }]
        light = [{ name = "status", device = "simulated" }]
        world = { script = "still 60s" }
        """
    let folder: String
    let gate = Gate()
    let notes: Notes
    private let keys: SimulatedKeys
    private let panel: SimulatedPanelFolder

    static func with(_ body: (Rig) async throws -> Void) async throws {
        var template = Array("/tmp/studyd-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(path: "/tmp", message: "cannot make a folder") }
        let rig = try Rig(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        defer { system("rm -rf '\(rig.folder)'") }
        try await body(rig)
    }

    private init(_ folder: String) throws {
        self.folder = folder
        mkdir(folder + "/state", 0o750)
        notes = try Notes(folder + "/notify")
        keys = try SimulatedKeys(path: folder + "/keys")
        panel = try SimulatedPanelFolder(isColoured: false)
    }

    /// Samples stored by the two recorders.
    func stored(_ runtime: AgentRuntime) -> [Int] {
        let states = runtime.view.now.measures.map(\.counts.stored)
        return states.count == 2 ? states : [0, 0]
    }

    /// Runs the agent while `life` lasts.
    func live(_ life: @escaping @Sendable (AgentRuntime) async throws -> Void) async throws {
        let clock = SystemClock()
        var log = Logger(label: "test")
        log.logLevel = .critical
        log.handler = SwiftLogNoOpLogHandler()
        var surroundings = AgentRuntime.Options(trust: ClockTrust { (.simulated, .milliseconds(1)) }, log: log)
        surroundings.environment = ["NOTIFY_SOCKET": notes.path, "WATCHDOG_USEC": "300000"]
        surroundings.bounds.measuring = .seconds(1)
        surroundings.bounds.recorder = .seconds(2)
        surroundings.parts.keys = keys.path
        surroundings.parts.lights["status"] = panel.light
        let world = try World(script: "still 60s", start: clock.monotonic, seed: 1)
        func bus(_ chip: String, _ address: UInt8) throws -> SimulatedI2CBus {
            let entry = try #require(SimulatedCatalog.chip(named: chip))
            let twin = entry.make(address, PhysicalInput(world), Specimen(noise: 0.01, seed: 1), clock.monotonic)
            return SimulatedI2CBus(chips: [twin]) { clock.monotonic }
        }
        surroundings.parts.buses["motion"] = GatedBus(bus: try bus("LIS3DH", 0x18), gate: gate)
        surroundings.parts.buses["field"] = try bus("LIS3MDL", 0x1E)
        func measure(_ kind: MeasureKind, _ rate: Double, _ format: RecordingFormat) -> ConfiguredMeasure {
            .init(channel: kind, rate: rate, range: nil, activity: .always, format: format, rotation: .seconds(3600))
        }
        let configuration = AgentConfiguration(
            board: "rig", state: folder + "/state", zone: "UTC",
            measures: [measure(.accelerometer, 100, .cwa), measure(.magnetometer, 20, .csv)])
        let runtime = try await AgentRuntime(
            configuration, board: try BoardDescription(parsing: Self.board, file: "rig.toml"), surroundings)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await runtime.run() }
            tasks.addTask {
                try await life(runtime)
                await runtime.stop()
            }
            try await tasks.waitForAll()
        }
    }
}

/// A bus with a driver that waits in the kernel: no transaction ends while the gate is closed.
private struct GatedBus: I2CBus {
    let bus: SimulatedI2CBus
    let gate: Gate

    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        gate.pass()
        return try bus.transaction(address, operations)
    }
}

private final class Gate: Sendable {
    private let isClosed = Atomic<Bool>(false)

    func close() { isClosed.store(true, ordering: .releasing) }
    func open() { isClosed.store(false, ordering: .releasing) }
    func pass() { while isClosed.load(ordering: .acquiring) { usleep(2000) } }
}

/// What the service's manager hears.
private final class Notes: Sendable {
    let path: String
    private let descriptor: CInt

    struct Missed: Error, CustomStringConvertible { let description: String }

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard let address = sockaddr_un(path: path), address.withAddress({ bind(descriptor, $0, $1) }) == 0 else {
            throw FileError(path: path, message: "cannot listen")
        }
    }

    deinit { _ = close(descriptor) }

    /// The next word that comes from now on; nil when none does within that time.
    private func next(within milliseconds: CInt) -> String? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, milliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Until that is said, what was said before included; throws after a minute of silence.
    func wait(for word: String) async throws {
        try await onThread("test-notes") { [self] in
            while let said = next(within: 60_000) { if said == word { return } }
            throw Missed(description: "a minute without \(word)")
        }
    }

    /// Until nothing has been said for ten periods; throws when that does not come in 600.
    func waitForSilence() async throws {
        try await onThread("test-notes") { [self] in
            for _ in 0..<600 where next(within: 1000) == nil { return }
            throw Missed(description: "the watchdog is fed on and on")
        }
    }
}

/// A small file system that can be frozen.
private final class FrozenDisk: Sendable {
    private let path: String

    /// nil where it cannot be made or frozen.
    init?(at path: String, image: String) {
        self.path = path
        mkdir(path, 0o750)
        let made = "truncate -s 32M '\(image)' && mkfs.ext4 -q '\(image)' && mount -o loop '\(image)' '\(path)'"
        let tried = "fsfreeze -f '\(path)' && fsfreeze -u '\(path)'"
        guard geteuid() == 0, system("{ \(made); } >/dev/null 2>&1") == 0 else { return nil }
        guard system("{ \(tried); } >/dev/null 2>&1") == 0 else {
            unmount()
            return nil
        }
    }

    func freeze() -> Bool { system("fsfreeze -f '\(path)'") == 0 }
    func thaw() { system("fsfreeze -u '\(path)'") }
    func unmount() { system("umount -l '\(path)'") }
}
