// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import Synchronization

@testable import Lab
@testable import StandIns

extension Receiver.Options {
    /// The stand-ins that play.
    var played: ChosenStandIns {
        get { standIns as? ChosenStandIns ?? ChosenStandIns() }
        set { standIns = newValue }
    }
}

/// Time that stands still; waiting for it is over at once.
struct StillClock: StudyClock {
    var now: Instant { Instant(seconds: 1_780_000_000) }
    var monotonic: MonotonicTime { .zero }
    var marks: ClockMarks { ClockMarks() }
    func sleep(until deadline: MonotonicTime) async throws {}
}

/// Time that moves only when the test moves it.
final class MovableClock: StudyClock {
    private let time = Mutex(Instant(seconds: 1_780_000_000))
    var now: Instant { time.withLock { $0 } }
    var monotonic: MonotonicTime { .zero }
    var marks: ClockMarks { ClockMarks() }
    func sleep(until deadline: MonotonicTime) async throws {}
    func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// Lines that a receiver has said.
final class Said: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Runs the real server on a free port, gives its address to the body, and stops it.
func withReceiver(
    _ directory: String, _ change: (inout Receiver.Options) -> Void = { _ in },
    clock: any StudyClock = StillClock(), said: Said? = nil, draw: @escaping @Sendable () -> Double = { 0 },
    _ body: @Sendable @escaping (String, Receiver) async throws -> Void
) async throws {
    var options = Receiver.Options(directory: directory)
    change(&options)
    let receiver = try Receiver(
        options, clock: clock, draw: draw, newID: { UUID().uuidString },
        report: { line in
            print(line)
            said?.add(line)
        })
    let ports = AsyncStream<Int>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await receiver.server.run(port: 0) { ports.continuation.yield($0) } }
        for await port in ports.stream {
            defer { receiver.server.stop() }
            try await body("http://127.0.0.1:\(port)", receiver)
            break
        }
        try await tasks.waitForAll()
    }
}

/// A new empty folder, removed after the body.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "study-receiver-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

/// Uploads in a new folder, and their archive, `receiver.sqlite` in it.
func withUploads(_ body: (UploadFolder, Archive, String) async throws -> Void) async throws {
    try await withFolder { folder in
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let archive = try Archive(.file(folder + "/receiver.sqlite"))
        let files = try UploadFolder(
            folder, archive, quota: Quota(archive: archive, directory: folder, perDevice: .max, free: 0),
            retention: .seconds(60))
        try await body(files, archive, folder)
    }
}

/// Does what waits on a thread of its own. The server accepts and answers by tasks, so that a client that waits in their
/// pool may wait for itself; a connection beyond the server's backlog does so for two minutes.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
    }
}

/// Runs a program and returns what it wrote; `input` goes to its standard input.
///
/// By posix_spawn: Foundation's `Process` has crashed when many tests started one at the same time.
@discardableResult
func run(_ arguments: [String], input: String? = nil) async throws -> String {
    let path = NSTemporaryDirectory() + "study-receiver-out-\(UUID().uuidString)"
    defer { for end in ["", ".in"] { try? FileManager.default.removeItem(atPath: path + end) } }
    try (input ?? "").write(toFile: path + ".in", atomically: false, encoding: .utf8)
    let code = try await onThread { spawn(arguments, output: path) }
    guard code == 0 else { throw POSIXError(.init(rawValue: code) ?? .EIO) }
    return String(decoding: FileManager.default.contents(atPath: path) ?? .init(), as: UTF8.self)
}

/// Runs a program to its end, with both outputs in the file `output` and its input from
/// `output.in`. Blocks. Gives errno.
private func spawn(_ arguments: [String], output: String) -> CInt {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, output + ".in", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // The server's sockets must not live on in a child.
    for descriptor in CInt(3)..<8_192 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var words = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var child: pid_t = 0
    let code = posix_spawnp(&child, arguments[0], &actions, nil, words, environ)
    guard code == 0 else { return code }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return 0
}

/// What curl shows: the head and the content of the answer.
func curl(_ arguments: String...) async throws -> String {
    try await run(["curl", "-s", "-S", "-i", "--max-time", "300"] + arguments)
}

/// A Python that has the tus client of tus.io (tuspy), if there is one:
/// `STUDYD_TUS_PYTHON` or `python3`.
let tusPython = python("STUDYD_TUS_PYTHON", with: "tusclient.client")

/// The Python that a variable names, or `python3`; nil where it has no such module.
func python(_ variable: String = "STUDYD_PYTHON", with module: String) -> String? {
    let path = ProcessInfo.processInfo.environment[variable] ?? "python3"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [path, "-c", "import \(module)"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitAsleep()
    return process.terminationStatus == 0 ? path : nil
}

/// A folder above this file; empty where there is none.
func folderAbove(_ name: String) -> String {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
        folder.deleteLastPathComponent()
        let candidate = folder.appendingPathComponent(name).path
        if FileManager.default.fileExists(atPath: candidate) { return candidate }
    }
    return ""
}
