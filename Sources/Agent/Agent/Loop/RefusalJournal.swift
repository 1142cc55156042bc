// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Synchronization

/// Writes to the system's journal, for `CommitService`, that the disk refuses commits, at most once in `pause`, and
/// that it takes them again; the first refusal after that is written at once.
final class RefusalJournal: Sendable {
    private struct State {
        /// When a line last said that it refuses; nil = none has, since the last one that it takes them again.
        var loggedAt: MonotonicTime?
        var unlogged = 0
    }

    static let pause: Duration = .seconds(600)
    private let state = Mutex(State())
    private let log: Logger

    init(_ log: Logger) { self.log = log }

    func logRefusal(_ error: any Error, at now: MonotonicTime) {
        let count = state.withLock { state -> Int? in
            state.unlogged += 1
            if let last = state.loggedAt, now - last < Self.pause { return nil }
            defer { (state.loggedAt, state.unlogged) = (now, 0) }
            return state.unlogged
        }
        guard let count else { return }
        log.error("cannot commit", metadata: ["error": "\(error)", "refusals": "\(count)"])
    }

    func logRecovery() {
        let wasRefused = state.withLock { state in
            defer { state.loggedAt = nil }
            return state.loggedAt != nil
        }
        if wasRefused { log.notice("the disk takes commits again") }
    }
}
