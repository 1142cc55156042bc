// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Waits for SIGTERM or SIGINT on a thread of its own, instead of in a handler, where hardly anything is allowed.
enum SignalWatch {
    private final class Action {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

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

    /// Calls `action` once, at the first signal; a second one ends the process at once.
    static func onStop(_ action: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Action(action)).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let action = Unmanaged<Action>.fromOpaque(argument).takeRetainedValue()
                var set = stopping
                var number: CInt = 0
                sigwait(&set, &number)
                action.run()
                sigwait(&set, &number)
                _exit(1)
            }, argument)
        if code == 0 { pthread_detach(thread) } else { Unmanaged<Action>.fromOpaque(argument).release() }
    }
}
