// SPDX-License-Identifier: Apache-2.0
import CLinux

/// Signals that ask the process to stop, delivered on a separate thread instead of in a handler,
/// where hardly anything is allowed.
///
/// One at a time in a process: the latest gets them. A handler, and not a mask, since libdispatch's
/// threads take every signal again.
package final class StopSignals: Sendable {
    private let signals: [CInt]
    private let waker: Waker

    /// From now on they are noted, and end nothing; the next `StopSignals` passes on the last one that
    /// came. For the first line of a program.
    package static func note(_ signals: [CInt]) {
        for signal in signals { _ = clinux_catch_signal(signal, -1) }
    }

    /// From now on `handle` is called with the number of the signal, on the thread `studyd-stop`.
    /// Of several that come before it is called, only the last.
    package init(_ signals: [CInt], _ handle: @escaping @Sendable (CInt) -> Void) throws(SystemError) {
        let waker = try Waker()
        self.signals = signals
        self.waker = waker
        // The thread is not joined: the call that ends the group may come from it.
        _ = try NamedThread(name: "studyd-stop") {
            while true {
                waker.wait()
                if waker.isStopping { return }
                let number = clinux_caught_signal()
                if number != 0 { handle(number) }
            }
        }
        for signal in signals where clinux_catch_signal(signal, waker.descriptor) != 0 {
            throw SystemError.last("catch signal \(signal)")
        }
        // For what was noted before.
        waker.wake()
    }

    /// From now on they end the process, as ever.
    package func end() {
        clinux_release_signals(signals, CInt(signals.count), waker.descriptor)
        waker.stop()
    }
}
