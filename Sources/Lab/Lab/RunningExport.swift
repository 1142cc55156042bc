// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Synchronization
import SystemKit

/// Counts the exports that run for `DatasetRoutes`, and limits how many run at once.
final class ExportCount: Sendable {
    private static let most = 2
    private let counts = Mutex((running: 0, begun: 0))

    /// Counts one more and returns its number; nil where no further one may run. `end` takes it off again.
    func begin() -> Int? {
        counts.withLock { counts in
            guard counts.running < Self.most else { return nil }
            counts = (counts.running + 1, counts.begun + 1)
            return counts.begun
        }
    }

    func end() { counts.withLock { $0.running -= 1 } }
}

/// An export that another process writes and a client takes: `DatasetRoutes` makes one for each download. The
/// short pipe between them keeps it at the client's pace, and it ends with the client. `ClientConnection` calls
/// `begin`, then `next` until it returns nil; `stop` may come at any time, on any thread.
final class RunningExport: ServedStream {
    private struct State {
        /// Its number among this server's exports; nil until it is begun.
        var number: Int?
        var isStopped = false
        /// The process that exports; nil before its start, and once its end was waited for.
        var child: ChildProcess?
    }

    private let command: [String]
    /// Its temporary folder while it runs.
    private let folder: String
    private let count: ExportCount
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Used on the queue's thread alone.
    private let output = Mutex<Descriptor?>(nil)
    /// What `begin` has read, which the first `next` returns.
    private let first = Mutex<[UInt8]?>(nil)
    private let queue = SerialQueue()
    private static let piece = 1 << 16
    private static let longestError = 4000

    init(_ command: [String], folder: String, count: ExportCount, report: @escaping @Sendable (String) -> Void) {
        (self.command, self.folder, self.count, self.report) = (command, folder, count, report)
    }

    /// Returns with the first bytes, so that a refusal comes before the answer's head.
    func begin() async throws {
        let number = try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            guard let number = count.begin() else {
                throw HTTPFailure(
                    503, "as many datasets as may be at once are being written; try again in a minute",
                    fields: ["Retry-After": "60"])
            }
            state.number = number
            return number
        }
        let bytes = try await queue.run {
            try self.start(in: self.folder(number))
            return try self.read()
        }
        first.withLock { $0 = bytes }
    }

    func next() async throws -> [UInt8]? {
        let begun = first.withLock { first in
            defer { first = nil }
            return first
        }
        if let begun { return begun }
        return try await queue.run { try self.read() }
    }

    func stop() {
        let number = state.withLock { state -> Int? in
            defer { state.isStopped = true }
            state.child?.signal(SIGKILL)
            return state.isStopped ? nil : state.number
        }
        if let number { queue.submit { self.end(number) } }
    }

    // MARK: On the queue's thread

    private func start(in folder: String) throws {
        // If it was stopped, `end` has already run on this thread and would not remove the folder.
        guard !state.withLock(\.isStopped) else { throw CancellationError() }
        try File.makeFolder(folder)
        let input = try Descriptor(opening: "/dev/null", flags: O_RDONLY)
        let errors = try Descriptor(opening: folder + "/errors", flags: O_WRONLY | O_CREAT | O_TRUNC)
        let pipe = try Pipe(name: "the export", isBlocking: true)
        let variables = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder]) { _, own in own }
        try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            state.child = try ChildProcess(
                command, input: input.rawValue, output: pipe.writing.rawValue, errors: errors.rawValue,
                environment: variables.map { "\($0.key)=\($0.value)" })
        }
        var reading: Descriptor? = pipe.readingEnd()
        output.withLock { $0 = reading.take() }
    }

    private func read() throws -> [UInt8]? {
        let bytes = try output.withLock { output in try output?.read(upTo: Self.piece) } ?? []
        if !bytes.isEmpty { return bytes }
        guard let status = wait(), status != 0 else { return nil }
        throw failure(status)
    }

    /// Waits until the process has ended. Nil where its status was taken before.
    private func wait() -> CInt? {
        state.withLock { state in
            defer { state.child = nil }
            return state.child?.wait()
        }
    }

    private func failure(_ status: CInt) -> any Error {
        let (isStopped, number) = state.withLock { ($0.isStopped, $0.number ?? 0) }
        guard !isStopped else { return CancellationError() }
        let said = (try? BoundedFile.read(folder(number) + "/errors")) ?? []
        let lines = String(decoding: said.suffix(Self.longestError), as: UTF8.self).split(separator: "\n").prefix {
            !$0.hasPrefix("Usage:")
        }
        let text = lines.joined(separator: "\n").replacing("Error: ", with: "").replacing("--study", with: "study=")
        report("an export for a browser ended with \(status): \(text)")
        return status < 128 ? HTTPFailure(400, "no dataset: \(text)") : HTTPFailure(500, "the export was broken off")
    }

    private func end(_ number: Int) {
        _ = wait()
        output.withLock { $0 = nil }
        FolderRemoval.remove(folder(number))
        count.end()
    }

    private func folder(_ number: Int) -> String { "\(folder)/\(number)" }
}
