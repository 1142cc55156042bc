// SPDX-License-Identifier: Apache-2.0
import NIOCore
import Synchronization

/// Which connections there are and which of them are answering, so that a stop can close the idle ones at once and
/// wait for the others.
final class ConnectionLedger: Sendable {
    private struct State {
        var isStopping = false
        var listener: (any Channel)?
        var idle: [ObjectIdentifier: any Channel] = [:]
        var busy: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isStopping: Bool { state.withLock(\.isStopping) }

    /// Remembers what has to be closed at a stop. False when the stop has come already.
    func listen(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.listener = channel
            return !state.isStopping
        }
    }

    /// Takes in a connection, or not when there are enough of them or the server is stopping.
    func open(_ channel: any Channel) -> Bool {
        state.withLock { state in
            guard !state.isStopping, state.idle.count + state.busy.count < limit else { return false }
            state.idle[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    /// A request has arrived. False when it comes too late.
    func begin(_ key: ObjectIdentifier) -> Bool {
        state.withLock { state in
            guard !state.isStopping, let channel = state.idle.removeValue(forKey: key) else { return false }
            state.busy[key] = channel
            return true
        }
    }

    /// Its answer is written. False when the connection has to be closed now.
    func end(_ key: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.idle[key] = state.busy.removeValue(forKey: key)
            return !state.isStopping
        }
    }

    func close(_ key: ObjectIdentifier) {
        state.withLock { state in
            state.idle[key] = nil
            state.busy[key] = nil
        }
    }

    /// Closes the listener and what is idle.
    func stop() {
        let channels = state.withLock { state in
            state.isStopping = true
            return Array(state.idle.values) + [state.listener].compactMap(\.self)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    /// Closes what is still answering.
    func abort() {
        for channel in state.withLock({ Array($0.busy.values) + Array($0.idle.values) }) { channel.close(promise: nil) }
    }
}
