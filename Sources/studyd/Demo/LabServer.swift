// SPDX-License-Identifier: Apache-2.0
import Agent
import Glibc

/// A study-receiver started beside the demo; ends with it, also when the demo is killed.
final class LabServer {
    /// `http://127.0.0.1:PORT`.
    let address: String
    private let process: pid_t
    /// Its standard input, which nobody writes to: it ends when this end is closed, which the kernel does for whoever is killed.
    private let lifeline: CInt

    /// Starts the `study-receiver` that lies beside this program, with the arguments by which it plays the study's platform.
    init(data: String, _ playing: [String]) throws {
        let program = try Self.program()
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileFault(path: program, message: String(cString: strerror(errno))) }
        defer { close(ends[0]) }
        var life: [CInt] = [-1, -1]
        guard pipe(&life) == 0 else {
            close(ends[1])
            throw FileFault(path: program, message: String(cString: strerror(errno)))
        }
        // The receiver must not hold its own line.
        for end in life { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        lifeline = life[1]
        defer {
            close(life[0])
            close(ends[1])
        }
        process = try Self.spawn(
            [program, "--port", "0", "--data", data, "--end-with-input"] + playing, input: life[0],
            output: ends[1])
        guard let line = Self.line(ends[0]), let start = line.firstRange(of: "http://")?.lowerBound else {
            throw FileFault(path: program, message: "did not say where it listens")
        }
        address = String(line[start...])
    }

    deinit {
        stop()
        close(lifeline)
    }

    /// Asks it to end, and waits.
    func stop() {
        guard kill(process, SIGTERM) == 0 else { return }
        waitpid(process, nil, 0)
    }

    private static func program() throws -> String {
        let own = try ExecutablePath.current()
        let path = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/study-receiver"
        guard access(String(path), X_OK) == 0 else {
            throw FileFault(
                path: String(path), message: "is not there; build it, or name a running one with --receiver")
        }
        return String(path)
    }

    private static func spawn(_ arguments: [String], input: CInt, output: CInt) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Ctrl-C in the terminal is for the demo alone, which ends the receiver in its turn.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, arguments[0], &actions, &attributes, &words, environ)
        guard code == 0 else { throw FileFault(path: arguments[0], message: String(cString: strerror(code))) }
        return process
    }

    private static func line(_ descriptor: CInt) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 4096 {
            let count = read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
