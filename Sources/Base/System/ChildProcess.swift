// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Another program that runs. Its starter has to wait for it, or it stays a zombie. `BoundedProgram` starts
/// one, so do the lab's exports (`RunningExport`) and the demo's receiver.
package struct ChildProcess: Sendable {
    private let id: pid_t

    /// Starts a program, looked for in PATH. It takes the signals that our threads block, reads
    /// from `input`, writes to `output` and, where there is one, its errors to `errors`; it
    /// inherits no other descriptor that was opened O_CLOEXEC. Without an `environment` it has
    /// ours.
    ///
    /// With `inOwnGroup` it leads a new process group: a Ctrl-C in the terminal does not end it.
    package init(
        _ arguments: [String], input: CInt, output: CInt, errors: CInt? = nil, environment: [String]? = nil,
        inOwnGroup: Bool = false
    ) throws(SystemError) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        // Our threads block signals; the program must be able to end by one.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | (inOwnGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0))
        let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let settings: [UnsafeMutablePointer<CChar>?] = (environment ?? []).map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        let name = arguments.first ?? ""
        var process: pid_t = 0
        let code =
            environment == nil
            ? posix_spawnp(&process, name, &actions, &attributes, words, environ)
            : posix_spawnp(&process, name, &actions, &attributes, words, settings)
        guard code == 0 else { throw SystemError(code: code, operation: "start", place: name) }
        id = process
    }

    /// Sends it a signal; false when it is gone. Not after `wait`, since its number may be another process's then.
    @discardableResult
    package func signal(_ number: CInt) -> Bool { kill(id, number) == 0 }

    /// Waits for its end, blocking: its exit status, or 128 and the signal it died of, as
    /// a shell says it; 127 where there is no such child.
    @discardableResult
    package func wait() -> CInt {
        var status: CInt = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { return 127 }
        }
        // The lower seven bits are the signal it died of.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
