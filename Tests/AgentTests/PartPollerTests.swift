// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct PartPollerTests {
    /// By the real thread. Each look takes an hour, so that every pause is over before it begins.
    @Test func aPartThatComesIsToldOnceAndNotBefore() async throws {
        let clock = VirtualClock(now: .epoch)
        let isThere = Mutex(false)
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let part = AwaitedPart<Int>("light[0]", at: clock.monotonic) {
            look.yield()
            clock.advance(to: clock.monotonic + .seconds(3600))
            guard isThere.withLock({ $0 }) else { throw FileError(path: "/dev/x", message: "is not there") }
            return 1
        }
        let poller = try PartPoller([.init(place: "light[0]", part: part)], clock: clock)
        #expect(poller.faults.count == 1 && poller.absences.map(\.count) == [1])
        let (changes, change) = AsyncStream.makeStream(of: Bool.self)
        try poller.start { change.yield(part.device != nil) }
        defer { poller.stop() }
        var turns = looks.makeAsyncIterator()
        for _ in 0..<3 { _ = await turns.next() }
        isThere.withLock { $0 = true }
        var told = changes.makeAsyncIterator()
        #expect(await told.next() == true)
        #expect(poller.faults.isEmpty && poller.absences.map(\.count) == [1])
        poller.stop()
        change.finish()
        #expect(await told.next() == nil)
    }

    /// Nothing else wakes the thread while every part is there.
    @Test func aPartThatIsLostIsLookedForAtOnce() async throws {
        let clock = VirtualClock(now: .epoch)
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let part = AwaitedPart<Int>("light[0]", at: clock.monotonic) {
            look.yield()
            return 1
        }
        let poller = try PartPoller([.init(place: "light[0]", part: part)], clock: clock)
        var turns = looks.makeAsyncIterator()
        _ = await turns.next()
        try poller.start {}
        defer { poller.stop() }
        part.lose(FileError(path: "/dev/x", message: "is gone"), at: clock.monotonic)
        clock.advance(to: clock.monotonic + .seconds(3600))
        _ = await turns.next()
        #expect(poller.absences.map(\.count) == [1])
    }
}
