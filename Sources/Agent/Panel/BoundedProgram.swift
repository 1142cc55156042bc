// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Another program, run to its end: a text goes in by its standard input, and time and output have a limit.
struct BoundedProgram: Sendable {
    /// The most bytes that go in: what a pipe takes without anybody reading.
    static let inputLimit = 16_384
    /// The most bytes of output that are kept; the rest is read and thrown away.
    static let outputLimit = 4_096

    /// How often it is looked whether to give up.
    private static let slice: Duration = .milliseconds(20)

    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"]

    /// Looked for in PATH.
    let name: String
    let arguments: [String]

    /// Runs it; blocks. What it printed, and its exit status. Killed after `limit`, or as soon as `isCancelled` says so.
    func run(
        input: [UInt8], limit: Duration, isCancelled: () -> Bool = { false }
    ) throws(ProgramError) -> (status: CInt, output: String) {
        let source = try pipe()
        let sink = try pipe()
        defer { Glibc.close(sink.read) }
        let fed = input.withUnsafeBytes { Glibc.write(source.write, $0.baseAddress, min($0.count, Self.inputLimit)) }
        close(source.write)
        defer { close(source.read) }
        guard fed >= 0 else {
            close(sink.write)
            throw .cannotStart(name, errno)
        }
        let child = spawn(reading: source.read, writing: sink.write)
        close(sink.write)
        guard case .success(let process) = child else {
            guard case .failure(let error) = child else { throw .cannotStart(name, EINVAL) }
            throw error
        }
        let ended = collect(from: sink.read, slices: Int(limit / Self.slice), isCancelled)
        if ended == nil { kill(process, SIGKILL) }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let ended else { throw isCancelled() ? .cancelled(name) : .tooSlow(name, limit) }
        // The lower seven bits are the signal it died of.
        return (status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F), ended)
    }

    /// The output up to its end, which comes with that of the program; nil when the time is over.
    private func collect(from descriptor: CInt, slices: Int, _ isCancelled: () -> Bool) -> String? {
        var kept: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<slices {
            if isCancelled() { return nil }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, CInt(Self.slice / .milliseconds(1))) > 0 else { continue }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: kept, as: UTF8.self) }
            kept += chunk[..<min(count, max(0, Self.outputLimit - kept.count))]
        }
        return nil
    }

    private func spawn(reading source: CInt, writing sink: CInt) -> Result<pid_t, ProgramError> {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, source, 0)
        posix_spawn_file_actions_adddup2(&actions, sink, 1)
        posix_spawn_file_actions_adddup2(&actions, sink, 2)
        // Our threads block signals; the program must be able to end by one.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) } + [nil]
        let environment: [UnsafeMutablePointer<CChar>?] = Self.environment.map { strdup($0) } + [nil]
        defer { for text in words + environment { free(text) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, name, &actions, &attributes, words, environment)
        guard result != 0 else { return .success(process) }
        return .failure(result == ENOENT ? .missing(name) : .cannotStart(name, result))
    }

    private func pipe() throws(ProgramError) -> (read: CInt, write: CInt) {
        var ends: [CInt] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw .cannotStart(name, errno) }
        // Programs do not expect a pipe that would not block.
        for end in ends { _ = fcntl(end, F_SETFL, 0) }
        return (ends[0], ends[1])
    }
}

/// Why a program did not do its work.
enum ProgramError: Error, Hashable, CustomStringConvertible {
    case missing(String)
    case cannotStart(String, CInt)
    case tooSlow(String, Duration)
    case cancelled(String)

    var description: String {
        switch self {
        case .missing(let name): "\(name) is not installed"
        case .cannotStart(let name, let code): "\(name) cannot be started: \(String(cString: strerror(code)))"
        case .tooSlow(let name, let limit): "\(name) was not done after \(limit)"
        case .cancelled(let name): "\(name) was no longer needed"
        }
    }
}
