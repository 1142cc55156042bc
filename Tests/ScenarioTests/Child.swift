// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Synchronization
import Testing

/// A program as a separate process; what it prints goes to files.
final class Child: Sendable {
    let pid: pid_t
    private let outputPath: String
    private let errorsPath: String
    private let ending = Mutex<Int32?>(nil)

    /// Starts `arguments[0]`, with its output beside `path`.
    init(_ arguments: [String], output path: String) throws {
        outputPath = path + ".out"
        errorsPath = path + ".err"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, outputPath, flags, 0o644)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorsPath, flags, 0o644)
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, arguments[0], &actions, nil, &words, environ)
        guard code == 0 else { throw Complaint("\(arguments[0]): \(String(cString: strerror(code)))") }
        self.pid = pid
    }

    /// What it has printed so far.
    var output: String { Files.text(outputPath) }
    var errors: String { Files.text(errorsPath) }

    /// Its exit status, minus the signal that ended it; nil while it runs.
    var end: Int32? {
        ending.withLock { end in
            guard end == nil else { return end }
            var status: Int32 = 0
            guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
            end = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
            return end
        }
    }

    /// Sends a signal, unless it has ended.
    func signal(_ number: Int32) { if end == nil { kill(pid, number) } }

    /// Waits for its end and gives it.
    @discardableResult func ended(within limit: Duration = patience) async throws -> Int32 {
        try await eventually("process \(pid) ends; it said: \(errors.suffix(300))", within: limit) { end }
    }

    /// As after a power cut, but for the kernel's own buffers.
    func kill9() async throws {
        let board = simulatedBoard
        signal(SIGKILL)
        try await ended()
        if let board { Files.remove(board) }
    }

    /// SIGTERM, and an end in order.
    func stop(within limit: Duration = patience) async throws {
        signal(SIGTERM)
        let end = try await ended(within: limit)
        #expect(end == 0, "\(errors.suffix(3000))")
    }

    /// The folder of the agent's simulated devices.
    var simulatedBoard: String? {
        openFiles.first { $0.hasPrefix("/tmp/studyd-board-") }.map {
            "/" + $0.split(separator: "/").prefix(2).joined(separator: "/")
        }
    }

    /// Resident memory in bytes.
    var memory: Int {
        let line = Files.text("/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    /// The files that it has open.
    var openFiles: [String] {
        Files.names("/proc/\(pid)/fd").compactMap { name in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = buffer.withUnsafeMutableBytes { readlink("/proc/\(pid)/fd/\(name)", $0.baseAddress!, $0.count) }
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}

/// What a scenario waited for in vain, or a tool could not do.
struct Complaint: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
