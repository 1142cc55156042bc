// SPDX-License-Identifier: Apache-2.0
import NIOCore
import Synchronization

/// Which connections there are, which client each belongs to, and which of them are answering: a
/// stop closes the idle ones at once and waits for the others. A newcomer replaces the one that has
/// been silent for longest or, where none is silent, the one that is slowest in bringing its body
/// or taking its answer. `HTTPServer` calls `open` and `close` for each connection, `ClientConnection` `begin` and
/// `end` for each request in between. Any thread.
final class ConnectionLedger: Sendable {
    private struct Entry {
        let channel: any Channel
        /// Empty for a connection of a proxy that carries no request: it has no client yet.
        var client: String
        /// False until a whole head has come, and again between two requests.
        var isBusy = false
        /// When it last began to wait for its client, as a running number.
        var waitingTurn: UInt64
        /// While the server waits for its client within a request.
        var pace: ClientPace?

        /// Whether it waits for its client, so that closing it breaks nothing that the server does.
        var isWaiting: Bool { !isBusy || pace?.waitingSince != nil }
    }

    private struct State {
        var isStopping = false
        var listener: (any Channel)?
        var entries: [ObjectIdentifier: Entry] = [:]
        var turn: UInt64 = 0

        /// Takes out the one to be closed, of `client` or, where that is nil, of the client with
        /// most of those that wait; nil where none waits.
        mutating func evict(of client: String?, at now: NIODeadline) -> (any Channel)? {
            var waiting = entries.filter { $0.value.isWaiting && (client == nil || $0.value.client == client) }
            if client == nil {
                let counts = waiting.values.reduce(into: [String: Int]()) { $0[$1.client, default: 0] += 1 }
                let most = counts.values.max()
                waiting = waiting.filter { counts[$0.value.client] == most }
            }
            let silent = waiting.filter { !$0.value.isBusy }.min { $0.value.waitingTurn < $1.value.waitingTurn }
            let slow = waiting.min { Self.rate($0.value, now) < Self.rate($1.value, now) }
            guard let found = silent ?? slow else { return nil }
            entries[found.key] = nil
            return found.value.channel
        }

        private static func rate(_ entry: Entry, _ now: NIODeadline) -> Double {
            entry.pace?.rate(at: now) ?? .infinity
        }
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

    /// Takes in a connection from that address, empty for a proxy's; one that waits for its
    /// client makes room where there are enough. False when every one is answering, or the
    /// server is stopping.
    func open(_ channel: any Channel, of client: String, at now: NIODeadline = .now()) -> Bool {
        let (isWelcome, closing) = state.withLock { state -> (Bool, (any Channel)?) in
            guard !state.isStopping else { return (false, nil) }
            var evicted: (any Channel)?
            let isCrowd = isCrowd(state, client)
            if isCrowd || state.entries.count >= limit {
                evicted = state.evict(of: isCrowd ? client : nil, at: now)
                guard evicted != nil else { return (false, nil) }
            }
            state.turn += 1
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, client: client, waitingTurn: state.turn)
            return (true, evicted)
        }
        closing?.close(promise: nil)
        return isWelcome
    }

    private func isCrowd(_ state: State, _ client: String) -> Bool {
        !client.isEmpty && state.entries.values.count(where: { $0.client == client }) >= clientLimit
    }

    enum Beginning { case begun, crowded, closing }

    /// A request of that client has arrived. Behind a proxy a connection carries requests of one client, then of
    /// another: where the other has too many under way, the slowest of its connections is closed for this one.
    func begin(_ key: ObjectIdentifier, of client: String, at now: NIODeadline = .now()) -> Beginning {
        let (beginning, evicted) = state.withLock { state -> (Beginning, (any Channel)?) in
            guard !state.isStopping, let entry = state.entries[key], !entry.isBusy else { return (.closing, nil) }
            var evicted: (any Channel)?
            if entry.client != client, isCrowd(state, client) {
                evicted = state.evict(of: client, at: now)
                guard evicted != nil else { return (.crowded, nil) }
            }
            state.entries[key]?.isBusy = true
            state.entries[key]?.client = client
            return (.begun, evicted)
        }
        evicted?.close(promise: nil)
        return beginning
    }

    /// How far the client is with its part of a request; nil = it has done it.
    func note(_ pace: ClientPace?, of key: ObjectIdentifier) { state.withLock { $0.entries[key]?.pace = pace } }

    /// The answer is written, and the connection is `client`'s again. False when the connection has
    /// to be closed now.
    func end(_ key: ObjectIdentifier, of client: String) -> Bool {
        state.withLock { state in
            state.turn += 1
            state.entries[key]?.isBusy = false
            state.entries[key]?.client = client
            state.entries[key]?.waitingTurn = state.turn
            return !state.isStopping
        }
    }

    func close(_ key: ObjectIdentifier) { state.withLock { $0.entries[key] = nil } }

    func stop() {
        let channels = state.withLock { state in
            state.isStopping = true
            return state.entries.values.filter { !$0.isBusy }.map(\.channel) + [state.listener].compactMap(\.self)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    func abort() {
        for channel in state.withLock({ $0.entries.values.map(\.channel) }) { channel.close(promise: nil) }
    }
}
