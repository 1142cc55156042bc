// SPDX-License-Identifier: Apache-2.0
import Simulation
import Store
import Synchronization
import Testing
import Times

@testable import Agent

/// A clock that somebody vouches for or not, and a list of what it was set to.
private final class Doubtful: Sendable {
    let opinion = Mutex<(source: ClockAnchor.Source, uncertainty: Duration)>((.unknown, .zero))
    let settings = Mutex<[Instant]>([])
    let clock = VirtualClock(now: Instant(seconds: 60))

    var trust: ClockTrust { ClockTrust { [self] in opinion.withLock { $0 } } }
    var steered: DisciplinedClock {
        DisciplinedClock(clock, trust: trust) { [self] instant in settings.withLock { $0.append(instant) } }
    }
    func vouch(_ source: ClockAnchor.Source, _ uncertainty: Duration) {
        opinion.withLock { $0 = (source, uncertainty) }
    }
}

private let noon = Instant(seconds: 1_795_255_200)
private let anchor = ClockAnchor(
    monotonic: .zero + .seconds(100), instant: noon, source: .gps, uncertainty: .milliseconds(250))

@Suite struct DisciplinedClockTests {
    @Test func withoutAReceiverItIsTheSystemsClock() {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        #expect(steered.now == doubtful.clock.now && !steered.vouching.anchor(steered).isTrusted)
    }

    @Test func anAdoptedTimeIsTheAgentsAndSaysHowGoodItIs() throws {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        doubtful.clock.advance(to: .zero + .seconds(200))
        #expect(try steered.adopt(anchor))
        #expect(steered.now == noon + .seconds(100))
        let found = steered.vouching.anchor(steered)
        #expect(found.source == .gps && found.instant == noon + .seconds(100))
        #expect(found.uncertainty == .milliseconds(260), "100 s at 100 ppm more")
        #expect(doubtful.clock.now < noon, "the system's clock is as it was")
    }

    /// Each look once wrapped the call in another one, without an end: the call a week later ran out of stack.
    @Test func newsAreToldAfterAnyNumberOfLooks() {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        let told = Mutex(0)
        steered.onNews { told.withLock { $0 += 1 } }
        for _ in 0..<200_000 { _ = steered.isCertain }
        doubtful.vouch(.kernel, .milliseconds(3))
        #expect(steered.isCertain && told.withLock { $0 } == 2, "unknown, then the kernel")
    }

    /// NTP is better; what it says takes over at once, and a receiver is not asked again.
    @Test(arguments: [ClockAnchor.Source.kernel, .simulated])
    func aBetterClockTakesOver(source: ClockAnchor.Source) throws {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        try steered.adopt(anchor)
        doubtful.clock.stepWall(by: steered.now + .milliseconds(300) - doubtful.clock.now)
        doubtful.vouch(source, .milliseconds(3))
        let found = steered.vouching.anchor(steered)
        #expect(found.source == source && found.instant == doubtful.clock.now && steered.now == doubtful.clock.now)
        #expect(try !steered.adopt(anchor) && steered.now == doubtful.clock.now)
    }

    @Test func aReceiverIsBetterThanABatteryBackedClock() throws {
        let doubtful = Doubtful()
        doubtful.vouch(.rtc, .seconds(2))
        let steered = doubtful.steered
        #expect(steered.system.isTrusted)
        #expect(try steered.adopt(anchor) && steered.vouching.anchor(steered).source == .gps)
    }

    /// Once, not each minute: other programs see every step.
    @Test func theSystemsClockIsSetOnceAndOnlyWhereItIsOff() throws {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        #expect(try steered.adopt(anchor) && !steered.adopt(anchor))
        #expect(doubtful.settings.withLock { $0 } == [steered.now])
        let right = Doubtful()
        right.clock.stepWall(by: noon - .seconds(100) - right.clock.now)
        #expect(try right.steered.adopt(anchor) && right.settings.withLock { $0 }.isEmpty)
    }

    /// CLOCK_BOOTTIME goes on while CLOCK_MONOTONIC stands still (clock_gettime(2)); a restart knows how far apart they were at the anchor.
    @Test(arguments: [(0, 0, 0, 1), (3600, 1, 3600, 1), (0, 1, 0, 0)] as [(Int64, Int, Int64, Int)])
    func aRestartCarriesOnOverASleep(slept: Int64, times: Int, added: Int64, held: Int) {
        let doubtful = Doubtful()
        doubtful.clock.advance(to: .zero + .seconds(500))
        var record = AnchorRecord(
            ClockAnchor(monotonic: .zero + .seconds(100), instant: noon, source: .kernel, uncertainty: .seconds(1)))
        record.sleptNanoseconds = 7_000_000_000
        record.suspensions = 2
        let marks = DisciplinedClock.Marks(slept: .seconds(7 + slept), suspensions: 2 + times)
        let steered = DisciplinedClock(doubtful.clock, trust: doubtful.trust, marks: { marks }, setter: { _ in })
        steered.resume(record, reference: nil)
        let found = steered.vouching.anchor(steered)
        #expect(found.isTrusted == (held == 1))
        if held == 1 {
            #expect(found.instant == noon + .seconds(400 + added))
            #expect(found.uncertainty >= .seconds(added > 0 ? 3 : 1))
        }
        // A row of an older version says nothing of sleep: only a machine that never slept goes on by it.
        let old = AnchorRecord(record.anchor)
        let second = DisciplinedClock(doubtful.clock, trust: doubtful.trust, marks: { marks }, setter: { _ in })
        second.resume(old, reference: nil)
        #expect(!second.vouching.anchor(second).isTrusted)
    }
}
