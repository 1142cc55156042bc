// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// The agent's Unix socket: commands that change state go through it while the agent runs.
///
/// `serve()` blocks and belongs on a thread of its own, which does nothing but take calls: each caller has a thread and a patience of their own, so that
/// one who sends nothing, or takes nothing, holds up nobody. `stop()` may come from any thread, `close()` after `serve()` has returned.
package struct ControlSocket: Sendable {
    private let path: String
    private let listener: CInt
    private let waker: Waker
    private let callers: ControlCallers

    /// Listens at `path`; a socket file that a dead agent left behind is replaced, a living one refused. A caller who sends, or takes, nothing is
    /// dismissed after `patience`.
    package init(path: String, patience: Duration = ControlLine.patience) throws {
        callers = ControlCallers(patience: patience)
        guard let address = sockaddr_un(path: path) else {
            throw ConfigError(
                file: path, path: "", line: nil, cause: "is too long for a socket", remedy: "use a shorter --state")
        }
        if let other = try ControlClient(path: path).connection() {
            _ = Glibc.close(other)
            throw ConfigError(
                file: path, path: "", line: nil, cause: "another studyd is running with this state folder")
        }
        unlink(path)
        self.path = path
        waker = try Waker()
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let isOpen =
            listener >= 0 && address.withAddress { bind(listener, $0, $1) } == 0 && chmod(path, 0o660) == 0
            && listen(listener, 8) == 0
        let reason = errno
        self.listener = listener
        guard isOpen else {
            close()
            throw ConfigError(
                file: path, path: "", line: nil, cause: "cannot listen here: \(String(cString: strerror(reason)))")
        }
    }

    /// Takes calls until `stop()`; `handle` must answer each by its `reply`, is called on the callers' threads and returns at once.
    package func serve(_ handle: @escaping @Sendable (ControlCall) -> Void) {
        defer { callers.dismiss() }
        while true {
            var waiting = [waker.descriptor, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&waiting, 2, -1) >= 0 || errno == EINTR else { return }
            if waiting[0].revents != 0 { return }
            if waiting[1].revents != 0 { accept(handle) }
        }
    }

    private func accept(_ handle: @escaping @Sendable (ControlCall) -> Void) {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else {
            guard errno == EMFILE || errno == ENFILE else { return }
            // The caller stays in the queue and would wake us at once again.
            var stop = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&stop, 1, 1000)
            return
        }
        // A program that the agent starts gets no part of the socket.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        callers.listen(to: descriptor, handle)
    }

    /// Makes `serve()` return and takes the socket file away.
    package func stop() {
        waker.stop()
        unlink(path)
    }

    /// Gives the descriptor back; the socket is of no use afterwards.
    package func close() { if listener >= 0 { _ = Glibc.close(listener) } }
}
