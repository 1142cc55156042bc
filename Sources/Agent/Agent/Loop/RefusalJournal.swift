// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Synchronization

/// Writes to the system's journal that the disk refuses commits, at most once in `pause`, and that it takes them
/// again; the first refusal after that is written at once.
final class RefusalJournal: Sendable {
    private struct State {
        var said: MonotonicTime?
        var unsaid = 0
        /// A line says that it refuses, and none that it takes them again.
        var isOpen = false
    }

    static let pause: Duration = .seconds(600)
    private let state = Mutex(State())
    private let log: Logger

    init(_ log: Logger) { self.log = log }

    func refused(_ error: any Error, at now: MonotonicTime) {
        let count = state.withLock { state -> Int? in
            state.unsaid += 1
            if let said = state.said, now - said < Self.pause { return nil }
            defer { (state.said, state.unsaid, state.isOpen) = (now, 0, true) }
            return state.unsaid
        }
        guard let count else { return }
        log.error("cannot commit", metadata: ["error": "\(error)", "refusals": "\(count)"])
    }

    func taken() {
        let wasOpen = state.withLock { state -> Bool in
            guard state.isOpen else { return false }
            (state.said, state.isOpen) = (nil, false)
            return true
        }
        if wasOpen { log.notice("the disk takes commits again") }
    }
}
