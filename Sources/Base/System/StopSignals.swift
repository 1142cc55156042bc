// SPDX-License-Identifier: Apache-2.0
import CLinux

/// Signals that ask the process to stop, delivered on a separate thread instead of in a handler, where hardly
/// anything is allowed. `ServiceGroup` stops the agent by it.
///
/// Only one of these is active in a process: the latest gets the signals. They are caught by a handler that
/// wakes the thread; a signal mask would not do, since libdispatch's threads unblock every signal.
package final class StopSignals: Sendable {
    private let signals: [CInt]
    private let waker: Waker

    /// From now on the signals no longer end the process; the next `StopSignals` passes on the last one that
    /// came. For the first line of a program.
    package static func catchEarly(_ signals: [CInt]) {
        for signal in signals { _ = clinux_catch_signal(signal, -1) }
    }

    /// From now on `handle` is called with the number of the signal, on the thread `studyd-stop`.
    /// Of several that come before it is called, only the last.
    package init(_ signals: [CInt], _ handle: @escaping @Sendable (CInt) -> Void) throws(SystemError) {
        let waker = try Waker()
        self.signals = signals
        self.waker = waker
        // The thread is not joined: `handle`, which runs on it, may call `end`.
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
        // For a signal that came after `catchEarly` and before this.
        waker.wake()
    }

    /// From now on the signals end the process again, as they do by default.
    package func end() {
        clinux_release_signals(signals, CInt(signals.count), waker.descriptor)
        waker.stop()
    }
}
