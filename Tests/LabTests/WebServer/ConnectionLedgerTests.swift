// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOEmbedded
import Testing

@testable import Lab

/// Which connection goes when there are too many, in virtual time: swift-nio's channels without
/// sockets.
@Suite struct ConnectionLedgerTests {
    /// A ledger and its connections; each has brought its bytes from the moment it began.
    private final class Hall {
        let ledger: ConnectionLedger
        private var channels: [String: EmbeddedChannel] = [:]

        init(limit: Int, clientLimit: Int = 64) { ledger = ConnectionLedger(limit: limit, clientLimit: clientLimit) }

        deinit { for channel in channels.values { _ = try? channel.finish(acceptAlreadyClosed: true) } }

        /// Opens a connection of that name; false when it is not taken.
        func open(_ name: String, of client: String, at time: Double) throws -> Bool {
            let channel = EmbeddedChannel()
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            channels[name] = channel
            return ledger.open(channel, of: client, at: at(time))
        }

        /// Its head has come, and it brings `rate` bytes a second from then until `end`.
        func bring(_ name: String, of client: String, _ rate: Int, from start: Double, to end: Double) throws {
            #expect(ledger.begin(key(name), of: client, at: at(start)) == .begun)
            var pace = ClientPace(ServerLimits())
            pace.wait(since: at(start))
            _ = pace.receive(Int(Double(rate) * (end - start)), at: at(end))
            pace.wait(since: at(end))
            ledger.note(pace, of: key(name))
        }

        func key(_ name: String) -> ObjectIdentifier {
            channels[name].map { ObjectIdentifier($0) } ?? ObjectIdentifier(self)
        }

        /// Those that are still open.
        var open: [String] { channels.filter(\.value.isActive).map(\.key).sorted() }
    }

    /// 60 bytes a second beside 20 kB: each newcomer takes the place of one of the slow, and the
    /// fast one stays to the last.
    @Test func theSlowestBodyMakesRoomAndAFasterOneStays() throws {
        let hall = Hall(limit: 4)
        for (index, rate) in [60, 61, 20_000, 59].enumerated() {
            #expect(try hall.open("\(rate)", of: "client \(index)", at: 0))
            try hall.bring("\(rate)", of: "client \(index)", rate, from: 0, to: 10)
        }
        for (number, left) in [(1, ["20000", "60", "61"]), (2, ["20000", "61"]), (3, ["20000"])] {
            #expect(try hall.open("new \(number)", of: "new \(number)", at: 10.5))
            #expect(hall.open.filter { !$0.hasPrefix("new") } == left)
            try hall.bring("new \(number)", of: "new \(number)", 100, from: 10, to: 10.5)
        }
    }

    @Test func aRateCountsAfterTwoSeconds() throws {
        for (time, left) in [(1.9, "young"), (2.0, "old")] {
            let hall = Hall(limit: 2)
            for (name, rate, start) in [("old", 1000, -10.0), ("young", 10, 0)] {
                #expect(try hall.open(name, of: name, at: 10 + start))
                try hall.bring(name, of: name, rate, from: 10 + start, to: 10 + time)
            }
            #expect(try hall.open("new", of: "new", at: 10 + time))
            #expect(hall.open == ["new", left], "\(time) s")
        }
    }

    @Test func aSilentConnectionGoesBeforeASlowBodyAndTheOldestOfThemFirst() throws {
        let hall = Hall(limit: 3)
        for name in ["slow", "silent 1", "silent 2"] { #expect(try hall.open(name, of: name, at: 0)) }
        try hall.bring("slow", of: "slow", 60, from: 0, to: 10)
        // Another request of it ended just now: it has been silent for less long.
        #expect(hall.ledger.begin(hall.key("silent 1"), of: "silent 1", at: at(9)) == .begun)
        #expect(hall.ledger.end(hall.key("silent 1"), of: "silent 1"))
        #expect(try hall.open("new", of: "new", at: 10))
        #expect(hall.open == ["new", "silent 1", "slow"])
    }

    @Test func aClientWithTooManyLosesItsOwn() throws {
        let hall = Hall(limit: 10, clientLimit: 2)
        for name in ["a1", "a2", "b1"] { #expect(try hall.open(name, of: String(name.prefix(1)), at: 0)) }
        try hall.bring("a1", of: "a", 1000, from: 0, to: 10)
        try hall.bring("a2", of: "a", 500, from: 0, to: 10)
        try hall.bring("b1", of: "b", 10, from: 0, to: 10)
        #expect(try hall.open("a3", of: "a", at: 10))
        #expect(hall.open == ["a1", "a3", "b1"])
        // A proxy's connections have no client until a request is under way.
        for name in ["p1", "p2", "p3"] { #expect(try hall.open(name, of: "", at: 10)) }
        try hall.bring("p1", of: "a", 700, from: 10, to: 20)
        #expect(hall.open == ["a1", "b1", "p1", "p2", "p3"], "the third of a: its silent one goes")
    }

    /// An answer that is being made is never broken off.
    @Test func whereEveryOneIsAnsweringTheNewOneIsRefused() throws {
        let hall = Hall(limit: 2, clientLimit: 1)
        for name in ["a", "b"] {
            #expect(try hall.open(name, of: name, at: 0))
            #expect(hall.ledger.begin(hall.key(name), of: name, at: at(0)) == .begun)
        }
        #expect(try !hall.open("c", of: "c", at: 100))
        #expect(try !hall.open("a2", of: "a", at: 100))
        #expect(hall.open.contains("a") && hall.open.contains("b"))
        hall.ledger.close(hall.key("b"))
        #expect(try hall.open("p", of: "", at: 100))
        #expect(hall.ledger.begin(hall.key("p"), of: "a", at: at(100)) == .crowded)
        #expect(hall.ledger.begin(hall.key("p"), of: "c", at: at(100)) == .begun)
        #expect(hall.ledger.begin(hall.key("p"), of: "c", at: at(100)) == .closing, "one request at a time")
    }

    @Test func aStopClosesTheIdleAndWelcomesNoOne() throws {
        let hall = Hall(limit: 9)
        for name in ["idle", "busy"] { #expect(try hall.open(name, of: name, at: 0)) }
        #expect(hall.ledger.begin(hall.key("busy"), of: "busy", at: at(0)) == .begun)
        hall.ledger.stop()
        #expect(hall.open == ["busy"] && hall.ledger.isStopping)
        #expect(try !hall.open("late", of: "late", at: 1))
        #expect(hall.ledger.begin(hall.key("busy"), of: "busy", at: at(1)) == .closing)
        #expect(!hall.ledger.end(hall.key("busy"), of: "busy"))
        hall.ledger.abort()
        #expect(!hall.open.contains("busy"))
    }
}

private func at(_ seconds: Double) -> NIODeadline { .uptimeNanoseconds(UInt64(seconds * 1e9)) }
