// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Simulation
import Study
import Synchronization
import Testing

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
        #expect(steered.now == doubtful.clock.now && !steered.trust.anchor(steered).isTrusted)
    }

    @Test func anAdoptedTimeIsTheAgentsAndSaysHowGoodItIs() throws {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        doubtful.clock.advance(to: .zero + .seconds(200))
        #expect(try steered.adopt(anchor))
        #expect(steered.now == noon + .seconds(100))
        let found = steered.trust.anchor(steered)
        #expect(found.source == .gps && found.instant == noon + .seconds(100))
        #expect(found.uncertainty == .milliseconds(260), "100 s at 100 ppm more")
        #expect(doubtful.clock.now < noon, "the system's clock is as it was")
        #expect(steered.trust.opinion.note == nil, "that it differs is no jump of it")
    }

    /// Each look once wrapped the call in another one, without an end: the call a week later
    /// ran out of stack.
    @Test func newsAreToldAfterAnyNumberOfLooks() {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        let told = Mutex(0)
        steered.onSourceChange { told.withLock { $0 += 1 } }
        for _ in 0..<200_000 { _ = steered.isTrusted }
        doubtful.vouch(.kernel, .milliseconds(3))
        #expect(steered.isTrusted && told.withLock { $0 } == 2, "unknown, then the kernel")
    }

    /// NTP is better; what it says takes over at once, and a receiver is not asked again.
    @Test(arguments: [ClockAnchor.Source.kernel, .simulated])
    func aBetterClockTakesOver(source: ClockAnchor.Source) throws {
        let doubtful = Doubtful()
        let steered = doubtful.steered
        try steered.adopt(anchor)
        doubtful.clock.stepWall(by: steered.now + .milliseconds(300) - doubtful.clock.now)
        doubtful.vouch(source, .milliseconds(3))
        let found = steered.trust.anchor(steered)
        #expect(found.source == source && found.instant == doubtful.clock.now && steered.now == doubtful.clock.now)
        #expect(try !steered.adopt(anchor) && steered.now == doubtful.clock.now)
    }

    @Test func aReceiverIsBetterThanABatteryBackedClock() throws {
        let doubtful = Doubtful()
        doubtful.vouch(.rtc, .seconds(2))
        let steered = doubtful.steered
        #expect(steered.system.isTrusted)
        #expect(try steered.adopt(anchor) && steered.trust.anchor(steered).source == .gps)
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

    /// The agent goes by it all the same, so that the log has to hear of it; and once.
    @Test(arguments: [true, false]) func aReceiversTimeIsToldWhetherOrNotTheSystemTakesIt(isTaken: Bool) {
        let doubtful = Doubtful()
        let steered =
            isTaken
            ? doubtful.steered
            : DisciplinedClock(doubtful.clock, trust: doubtful.trust) { _ in throw CancellationError() }
        let told = Mutex(0)
        let listener = steered.listener(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            told.withLock { $0 += 1 }
        }
        for _ in 0..<2 {
            listener.found(anchor)
            #expect(told.withLock { $0 } == 1 && steered.now == noon - .seconds(100))
        }
    }

    /// CLOCK_BOOTTIME goes on while CLOCK_MONOTONIC stands still (clock_gettime(2)); a restart
    /// knows how far apart they were at the anchor.
    @Test(arguments: [(0, 0, 0, 1), (3600, 1, 3600, 1), (0, 1, 0, 0)] as [(Int64, Int, Int64, Int)])
    func aRestartCarriesOnOverASleep(slept: Int64, times: Int, added: Int64, held: Int) {
        let doubtful = Doubtful()
        doubtful.clock.suspend(for: .seconds(7))
        doubtful.clock.advance(to: .zero + .seconds(500))
        let record = AnchorRecord(
            ClockAnchor(monotonic: .zero + .seconds(100), instant: noon, source: .kernel, uncertainty: .seconds(1)),
            marks: doubtful.clock.marks)
        if times > 0 { doubtful.clock.suspend(for: .seconds(slept), isCounted: slept > 0) }
        let steered = doubtful.steered
        steered.resume(record, reference: nil)
        let found = steered.trust.anchor(steered)
        #expect(found.isTrusted == (held == 1))
        if held == 1 {
            #expect(found.instant == noon + .seconds(400 + added))
            #expect(found.uncertainty >= .seconds(added > 0 ? 3 : 1))
        }
        // A row that says nothing of sleep: only a machine that never slept goes on by it.
        let old = AnchorRecord(record.anchor)
        let second = doubtful.steered
        second.resume(old, reference: nil)
        #expect(!second.trust.anchor(second).isTrusted)
    }

    @Test(arguments: [(59, true), (61, false)] as [(Int64, Bool)])
    func aRestartBelievesNoBatteryBackedClockFromBeforeTheLog(behind: Int64, isBelieved: Bool) {
        let doubtful = Doubtful()
        doubtful.vouch(.rtc, .seconds(1))
        let steered = doubtful.steered
        steered.resume(nil, reference: nil, latest: doubtful.clock.now + .seconds(behind))
        #expect(steered.trust.anchor(steered).isTrusted == isBelieved)
    }

    // MARK: - As `studyd run` puts it together

    /// The kernel as it says of itself, and the clock that `run` gives the agent: the system's,
    /// with a thread that wakes its sleepers.
    private final class Device: Sendable {
        private final class Kernel: Sendable {
            let state = Mutex(KernelNTP())
        }
        let base = VirtualClock(now: noon)
        private let kernel = Kernel()
        let clock: DisciplinedClock

        init() throws {
            let thread = try TaskThread(name: "test-tasks", clock: base)
            clock = DisciplinedClock(
                thread.clock,
                trust: ClockTrust(opinion: { [kernel] in kernel.state.withLock { $0 }.clock.opinion ?? .unknown }),
                setsSystem: false)
        }

        func pass(_ seconds: Int64) {
            base.advance(to: base.monotonic + .seconds(seconds))
            kernel.state.withLock { $0.seconds(seconds) }
        }
        func contact() { kernel.state.withLock { $0.contact() } }
        var opinion: ClockTrust.Opinion { clock.trust.opinion }
    }

    /// 30 s of sleep were missed by the whole 30 s, because the clock that wraps the system's did
    /// not pass on what the kernel counts.
    @Test(arguments: [true, false]) func aSleepIsSeenThroughTheClockOfRun(isCounted: Bool) throws {
        let device = try Device()
        device.contact()
        device.pass(1)
        #expect(device.opinion.source == .kernel && device.opinion.carried == .zero)
        device.base.suspend(for: .seconds(30), isCounted: isCounted)
        for _ in 0..<20 {
            #expect(device.opinion.source == (isCounted ? .kernel : .unknown))
            #expect(!isCounted || device.clock.now == device.base.now && device.opinion.uncertainty >= .seconds(2))
            device.pass(15)
        }
        device.contact()
        #expect(device.opinion.source == .kernel && device.opinion.carried == .zero)
    }

    @Test func theDriftIsMeasuredThroughTheClockOfRun() throws {
        let device = try Device()
        device.contact()
        #expect(device.opinion.drift == ClockDiscipline.anyDrift)
        for _ in 0..<100 {
            device.pass(600)
            _ = device.opinion
        }
        device.contact()
        #expect(device.opinion.drift < ClockDiscipline.anyDrift, "of 16 h 40 min without a contact")
    }
}
