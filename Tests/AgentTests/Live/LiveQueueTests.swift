// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

struct LiveQueueTests {
    private let topics: LiveTopics

    init() throws {
        topics = LiveTopics(LiveSettings(broker: try #require(BrokerAddress("mqtt://h"))), study: "S")
    }

    private func event(_ number: Int) -> LiveMessage {
        LiveMessage("prompt", id: "\(number)", in: topics, at: nil, .integer(Int64(number)))
    }
    private func status(_ word: String) -> LiveMessage {
        LiveMessage.status(.object([.init("state", .string(word))]), id: word, in: topics, at: nil)
    }
    private func all(_ queue: inout LiveQueue) -> [String] {
        var found: [String] = []
        while let next = queue.next() { found.append(String(decoding: next.payload, as: UTF8.self)) }
        return found
    }

    @Test func ofARetainedTopicTheLastGoesFirst() {
        var queue = LiveQueue()
        queue.add(event(1))
        queue.add(status("idle"))
        queue.add(status("recording"))
        #expect(all(&queue) == [#"{"state":"recording"}"#, "1"])
        #expect(queue.isEmpty)
    }

    /// Of what waits and what is on its way, of either kind, one is enough.
    @Test func itIsEmptyOnceAllIsConfirmed() {
        for message in [event(1), status("idle")] {
            var queue = LiveQueue()
            #expect(queue.isEmpty)
            queue.add(message)
            #expect(!queue.isEmpty)
            queue.next().map { queue.sent($0, as: 1) }
            #expect(!queue.isEmpty, "it is on its way")
            #expect(queue.acknowledged(2) == nil && !queue.isEmpty, "another one was answered")
            #expect(queue.acknowledged(1) == message && queue.isEmpty)
            queue.add(status("recording"))
            #expect(!queue.isEmpty)
        }
    }

    /// At the limit, and one beyond it.
    @Test func theOldestGoWhereThereAreTooManyAndAreCounted() {
        var queue = LiveQueue()
        for number in 1...LiveQueue.most { queue.add(event(number)) }
        #expect(queue.dropped == 0)
        queue.add(event(LiveQueue.most + 1))
        queue.add(status("idle"))
        #expect(queue.dropped == 1)
        #expect(all(&queue).prefix(2) == [#"{"state":"idle"}"#, "2"])
    }

    @Test func noMoreAreOnTheirWayThanABrokerTakes() {
        var queue = LiveQueue()
        for number in 1...30 { queue.add(event(number)) }
        for number in 1...20 { queue.next().map { queue.sent($0, as: number) } }
        #expect(queue.next() == nil)
        #expect(queue.acknowledged(1) == event(1) && queue.next() == event(21))
    }

    /// The broker may have put the will in the place of what is retained.
    @Test func afterALostConnectionWhatWasOnItsWayAndWhatIsRetainedGoAgain() {
        var queue = LiveQueue()
        queue.add(status("recording"))
        for number in 1...3 { queue.add(event(number)) }
        for number in 1...3 { queue.next().map { queue.sent($0, as: number) } }
        _ = queue.acknowledged(1)
        _ = queue.acknowledged(2)
        queue.connectionLost()
        #expect(all(&queue) == [#"{"state":"recording"}"#, "2", "3"])
    }

    /// eclipse-mosquitto 7b8aba10, lib/packet_mosq.c:319: a write to a connection that is gone fails at once
    /// (`MOSQ_ERR_CONN_LOST`), and nothing of it arrives.
    @Test func whatCouldNotBeHandedOverGoesAgainInItsPlace() {
        var queue = LiveQueue()
        queue.add(status("recording"))
        for number in 1...3 { queue.add(event(number)) }
        queue.next().map { queue.unsent($0) }
        queue.next().map { queue.sent($0, as: 1) }
        queue.next().map { queue.unsent($0) }
        queue.connectionLost()
        #expect(all(&queue) == [#"{"state":"recording"}"#, "1", "2", "3"])
    }

    @Test func whatComesBackMakesRoomForTheNewest() {
        var queue = LiveQueue()
        queue.add(event(0))
        queue.next().map { queue.sent($0, as: 1) }
        for number in 1...LiveQueue.most { queue.add(event(number)) }
        queue.connectionLost()
        #expect(queue.dropped == 1 && queue.next() == event(1))
    }
}
