// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Times

@testable import StudyReceiver

/// Time that stands still; waiting for it is over at once.
struct StillClock: StudyClock {
    var now: Instant { Instant(seconds: 1_780_000_000) }
    var monotonic: MonotonicTime { .zero }
    func sleep(until deadline: MonotonicTime) async throws {}
}

/// Time that moves when it is told to.
final class MovableClock: StudyClock {
    private let time = Mutex(Instant(seconds: 1_780_000_000))
    var now: Instant { time.withLock { $0 } }
    var monotonic: MonotonicTime { .zero }
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

/// Runs a program and returns what it wrote; `input` goes to its standard input.
@discardableResult
func run(_ arguments: [String], input: String? = nil) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let path = NSTemporaryDirectory() + "study-receiver-out-\(UUID().uuidString)"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    process.standardOutput = file
    process.standardError = file
    let pipe = Pipe()
    process.standardInput = pipe
    let exits = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in exits.continuation.finish() }
    try process.run()
    if let input { try pipe.fileHandleForWriting.write(contentsOf: Array(input.utf8)) }
    try pipe.fileHandleForWriting.close()
    for await _ in exits.stream {}
    return String(decoding: FileManager.default.contents(atPath: path) ?? .init(), as: UTF8.self)
}

/// What curl shows: the head and the content of the answer.
func curl(_ arguments: String...) async throws -> String {
    try await run(["curl", "-s", "-S", "-i", "--max-time", "20"] + arguments)
}

/// A Python that has the tus client of tus.io (tuspy), if there is one: `STUDYD_TUS_PYTHON` or `python3`.
let tusPython: String? = {
    let path = ProcessInfo.processInfo.environment["STUDYD_TUS_PYTHON"] ?? "python3"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [path, "-c", "import tusclient.client"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? path : nil
}()
