// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Waits for SIGTERM or SIGINT on the main thread, instead of in a handler, where hardly anything is allowed.
/// `ReceiverCommand` stops the server by it.
///
/// The main thread must not become that of an `async` main: libdispatch then lets it take
/// every signal again.
enum SignalWatch {
    /// A struct: in generic code a bare function would be wrapped once more at each access.
    private struct Stopping: Sendable { var action: (@Sendable () -> Void)? }
    private static let stop = Mutex(Stopping())

    private static var stopping: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGIO)
        return set
    }

    /// Keeps the signals from ending the process. To be called before there is a second thread,
    /// which inherits it.
    static func block() {
        var set = stopping
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    static func onStop(_ action: @escaping @Sendable () -> Void) { stop.withLock { $0.action = action } }

    /// Makes the end of standard input, a pipe, count as a signal to stop: the process at its other
    /// end is gone, however that came about.
    static func stopWithInput() {
        _ = fcntl(STDIN_FILENO, F_SETOWN, getpid())
        _ = fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_ASYNC)
        // It may have ended before the first look.
        if inputHasEnded { kill(getpid(), SIGIO) }
    }

    private static var inputHasEnded: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0 && input.revents & Int16(POLLHUP) != 0
    }

    /// Waits for ever. The first signal calls the action; a second one, or one before there is an
    /// action, ends the process at once. The end of input is no second one: a parent that stops
    /// this program and exits causes both.
    static func wait() -> Never {
        waitOnce { inputHasEnded }
        guard let action = stop.withLock({ $0 }).action else { _exit(1) }
        action()
        waitOnce { false }
        _exit(1)
    }

    private static func waitOnce(countsInput: () -> Bool) {
        var set = stopping
        var number: CInt = 0
        repeat { sigwait(&set, &number) } while number == SIGIO && !countsInput()
    }
}
