// SPDX-License-Identifier: Apache-2.0
import NIOCore
import Synchronization

/// Which connections there are, whose they are, and which of them are answering: a stop closes the idle ones at once and waits for the
/// others, and a newcomer takes the place of the one that has kept silent for longest. Any thread.
final class ConnectionLedger: Sendable {
    private struct Entry {
        let channel: any Channel
        let client: String
        /// False until a whole head has come, and again between two requests.
        var isBusy = false
        /// When it last began to wait for its client, as a running number.
        var waitingSince: UInt64
    }

    private struct State {
        var isStopping = false
        var listener: (any Channel)?
        var entries: [ObjectIdentifier: Entry] = [:]
        var turn: UInt64 = 0
    }

    private let state = Mutex(State())
    private let limit: Int
    private let clientLimit: Int

    init(limit: Int, clientLimit: Int) {
        self.limit = limit
        self.clientLimit = clientLimit
    }

    var isStopping: Bool { state.withLock(\.isStopping) }

    /// Remembers what has to be closed at a stop. False when the stop has come already.
    func listen(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.listener = channel
            return !state.isStopping
        }
    }

    /// Takes in a connection from that address; one that waits for its client makes room where there are enough. False when every one is
    /// answering, or the server is stopping.
    func open(_ channel: any Channel, of client: String) -> Bool {
        let (isWelcome, closing) = state.withLock { state -> (Bool, (any Channel)?) in
            guard !state.isStopping else { return (false, nil) }
            var evicted: (any Channel)?
            if let crowd = crowd(state.entries, client) {
                let oldest = state.entries.filter { !$0.value.isBusy && (crowd.isEmpty || $0.value.client == crowd) }
                    .min { $0.value.waitingSince < $1.value.waitingSince }
                guard let oldest else { return (false, nil) }
                evicted = oldest.value.channel
                state.entries[oldest.key] = nil
            }
            state.turn += 1
            state.entries[ObjectIdentifier(channel)] = Entry(
                channel: channel, client: client, waitingSince: state.turn)
            return (true, evicted)
        }
        closing?.close(promise: nil)
        return isWelcome
    }

    /// Of which client one has to go; empty = of any; nil = there is room.
    private func crowd(_ entries: [ObjectIdentifier: Entry], _ client: String) -> String? {
        if entries.values.count(where: { $0.client == client }) >= clientLimit { return client }
        guard entries.count >= limit else { return nil }
        let counts = entries.values.reduce(into: [String: Int]()) { if !$1.isBusy { $0[$1.client, default: 0] += 1 } }
        return counts.max { $0.value < $1.value }?.key ?? ""
    }

    /// A request has arrived. False when it comes too late.
    func begin(_ key: ObjectIdentifier) -> Bool {
        state.withLock { state in
            guard !state.isStopping, state.entries[key]?.isBusy == false else { return false }
            state.entries[key]?.isBusy = true
            return true
        }
    }

    /// Its answer is written. False when the connection has to be closed now.
    func end(_ key: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.turn += 1
            state.entries[key]?.isBusy = false
            state.entries[key]?.waitingSince = state.turn
            return !state.isStopping
        }
    }

    func close(_ key: ObjectIdentifier) {
        state.withLock { $0.entries[key] = nil }
    }

    /// Closes the listener and what is idle.
    func stop() {
        let channels = state.withLock { state in
            state.isStopping = true
            return state.entries.values.filter { !$0.isBusy }.map(\.channel) + [state.listener].compactMap(\.self)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    /// Closes what is still answering.
    func abort() {
        for channel in state.withLock({ $0.entries.values.map(\.channel) }) { channel.close(promise: nil) }
    }
}
