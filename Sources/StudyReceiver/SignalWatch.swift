// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Waits for SIGTERM or SIGINT on a thread of its own, instead of in a handler, where hardly anything is allowed.
enum SignalWatch {
    /// What is to be done at the first signal. A thread's start takes no closure with a context, hence the global.
    private static let action = Mutex<(@Sendable () -> Void)?>(nil)

    private static var stopping: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }

    /// Keeps the signals from ending the process. To be called before there is a second thread, which inherits it.
    static func block() {
        var set = stopping
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls `action` once, at the first signal; a second one ends the process at once. To be called once.
    static func onStop(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { _ in SignalWatch.waiting() }, nil)
        if code == 0 { pthread_detach(thread) }
    }

    private static func waiting() -> UnsafeMutableRawPointer? {
        waitOnce()
        action.withLock { $0 }?()
        waitOnce()
        _exit(1)
    }

    private static func waitOnce() {
        var set = stopping
        var number: CInt = 0
        sigwait(&set, &number)
    }
}
