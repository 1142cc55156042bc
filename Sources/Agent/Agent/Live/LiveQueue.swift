// SPDX-License-Identifier: Apache-2.0

/// The messages that wait for a broker: the last retained one of each topic, and the newest `most` of all
/// others. In memory only: what must not be lost is in the log and in the outbox. `BrokerLink` calls `next`, then
/// `sent` or `unsent`, later `acknowledged`. Pure.
struct LiveQueue: Sendable {
    /// Events that wait; the oldest of more is dropped and counted.
    static let most = 200
    /// Topics of retained messages: status and discovery of the present study, and of those before.
    private static let mostTopics = 2 * LiveMemory.most
    /// How many messages may be sent and not acknowledged yet.
    private static let mostInFlight = 20

    private var states: [(message: LiveMessage, isSent: Bool)] = []
    private var events: [LiveMessage] = []
    private var inFlight: [Int: LiveMessage] = [:]
    private(set) var dropped = 0

    /// Nothing waits and nothing is on its way.
    var isEmpty: Bool { inFlight.isEmpty && events.isEmpty && states.allSatisfy(\.isSent) }

    mutating func add(_ message: LiveMessage) {
        guard message.isRetained else {
            events.append(message)
            return dropOldest()
        }
        states.removeAll { $0.message.topic == message.topic }
        states.append((message, false))
        if states.count > Self.mostTopics { states.removeFirst() }
    }

    /// The next to send; nil while there is none, or too many are on their way.
    mutating func next() -> LiveMessage? {
        guard inFlight.count < Self.mostInFlight else { return nil }
        if let place = states.firstIndex(where: { !$0.isSent }) {
            states[place].isSent = true
            return states[place].message
        }
        return events.isEmpty ? nil : events.removeFirst()
    }

    /// It is on its way, under that number of the connection.
    mutating func sent(_ message: LiveMessage, as number: Int) { inFlight[number] = message }

    /// It could not be sent, since the connection is gone: it comes again first.
    mutating func unsent(_ message: LiveMessage) { if !message.isRetained { events.insert(message, at: 0) } }

    mutating func acknowledged(_ number: Int) -> LiveMessage? { inFlight.removeValue(forKey: number) }

    /// The connection is gone: what was on its way is sent again, and what is retained as well, since
    /// the broker may have put the will in its place.
    mutating func connectionLost() {
        let unanswered = inFlight.sorted { $0.key < $1.key }.map(\.value)
        events = unanswered.filter { !$0.isRetained } + events
        inFlight = [:]
        for place in states.indices { states[place].isSent = false }
        dropOldest()
    }

    private mutating func dropOldest() {
        let excess = events.count - Self.most
        guard excess > 0 else { return }
        events.removeFirst(excess)
        dropped += excess
    }
}
