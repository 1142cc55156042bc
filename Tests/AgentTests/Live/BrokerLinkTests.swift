// SPDX-License-Identifier: Apache-2.0
import Base
import Patience
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10)), .enabled(if: TestBroker.isThere)) struct BrokerLinkTests {
    /// No study is enrolled any more, and what it said last is still to be published: then the connection ends.
    @Test func theLastWordsGoWithoutAStudy() async throws {
        let broker = try await TestBroker()
        let settings = LiveSettings(broker: try #require(BrokerAddress("mqtt://127.0.0.1:\(broker.port)")))
        let topics = LiveTopics(settings, study: "S")
        let standing = Mutex<LiveStatus?>(nil)
        let link = try BrokerLink(settings, clock: SystemClock(), zone: .utc) { now in standing.withLock { $0 = now } }
        let reader = try await broker.reader()
        let thread = try NamedThread(name: "test-live") { link.run() }
        defer { link.stop() }
        link.offer([
            LiveMessage.status(.object([.init("state", .string("ended"))]), id: "1", in: topics, at: nil)
        ])
        let said = try await reader.first("the last words") { $0.topic == topics.base + "/status" }
        #expect(said["state"] == "ended")
        try await eventually("the connection is ended") {
            standing.withLock { $0.map { $0.published == 1 && !$0.isConnected } ?? false }
        }
        link.stop()
        thread.join()
        reader.end()
    }

    @Test(arguments: [(7, 5, true), (8, 5, false), (44, 30, true), (45, 30, false), (59, 60, true), (60, 60, false)])
    func aConnectionThatTheBrokerTimedOutMeansNoOtherDevice(lasted: Int, keepAlive: Int, isBrief: Bool) {
        #expect(BrokerLink.isBrief(.seconds(lasted), keepAlive: .seconds(keepAlive)) == isBrief)
    }

    /// eclipse-mosquitto 7b8aba10: the library asks for a sign of life in the first turn after that many seconds
    /// (lib/util_mosq.c:88); a broker waits for one and a half of them (src/keepalive.c:71).
    @Test(arguments: [10, 11, 13, 21, 26, 60, 65_535]) func aBrokerMayWantSignsOfLifeOftener(seconds: Int) {
        let wait = Int(BrokerLink.longestWait.components.seconds)
        let sign = (seconds + wait - 1) / wait * wait
        #expect(sign * 2 < seconds * 3)
    }
}
