// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

/// The agent's time on a machine with the kernel's clock (see `KernelNTP`), in virtual time.
@Suite struct ClockDisciplineTests {
    private static let day: Int64 = 86_400
    private static let bound = Duration.seconds(300)

    /// ntp.c: 16 s at 500 ppm are 32 000 s.
    @Test func theKernelItselfEndsItsWordNineHoursAfterTheLastContact() {
        var machine = ClockMachine(wallError: .seconds(-7200))
        machine.observe()
        #expect(machine.opinion.source == .unknown)
        machine.contact()
        #expect(machine.opinion.source == .kernel && machine.opinion.uncertainty <= .milliseconds(201))
        machine.pass(31_980)
        #expect(!machine.kernel.isUnsynchronised && machine.opinion.carried == .zero)
        #expect(machine.opinion.uncertainty < .seconds(4), "100 ppm, not the kernel's 500")
        machine.pass(120)
        #expect(machine.kernel.isUnsynchronised)
        let opinion = machine.opinion
        #expect(opinion.source == .kernel && opinion.carried > .seconds(32_000) && opinion.isGood(within: Self.bound))
    }

    /// The bound holds whatever the crystal does within it; a month later it is too wide, and the
    /// next contact mends that.
    @Test(arguments: [-100e-6, -37e-6, 0, 81e-6, 100e-6]) func aMonthWithoutNetworkIsCarriedOn(drift: Double) {
        var machine = ClockMachine(drift: drift)
        machine.contact()
        for day in 1...33 {
            machine.pass(Self.day, pace: 600)
            #expect(machine.error <= machine.opinion.uncertainty, "day \(day)")
            #expect(machine.opinion.isGood(within: Self.bound), "day \(day): \(machine.opinion)")
        }
        machine.pass(3 * Self.day, pace: 600)
        #expect(!machine.opinion.isGood(within: Self.bound) && machine.opinion.source == .kernel)
        machine.contact()
        #expect(
            machine.opinion.isGood(within: Self.bound) && machine.error < .milliseconds(1)
                && machine.opinion.carried == .zero)
    }

    /// After a silence that was long enough the bound is that of this crystal, with
    /// a margin of two.
    @Test(arguments: [(8e-6, 40e-6), (60e-6, 140e-6), (-90e-6, 200e-6)]) func theDriftIsMeasured(
        drift: Double, most: Double
    ) {
        var machine = ClockMachine(drift: drift)
        machine.contact()
        #expect(machine.custody.meter.bound == 100e-6 && !machine.custody.meter.isMeasured)
        machine.pass(2 * Self.day, pace: 600)
        machine.contact()
        #expect(machine.custody.meter.isMeasured && machine.custody.meter.bound >= abs(drift) * 1.9)
        #expect(machine.custody.meter.bound <= most, "\(machine.custody.meter.bound)")
        machine.pass(5 * Self.day, pace: 600)
        #expect(machine.error <= machine.opinion.uncertainty)
    }

    /// clock_settime(2) while no source vouches: the time that was known goes on, and it is
    /// reported.
    @Test(arguments: [5, 7200, -7200, 31_536_000, -315_360_000] as [Int64])
    func aStepThatNoSourceVouchesForIsNotFollowed(by: Int64) {
        var machine = ClockMachine()
        machine.contact()
        machine.pass(40_000)
        machine.setByHand(.seconds(by))
        machine.pass(600)
        #expect(machine.error < .milliseconds(1) && machine.opinion.source == .kernel)
        #expect(
            (machine.opinion.note?.contains("without a trusted source") == true) == (abs(by) > 4),
            "\(machine.opinion.note ?? "")"
        )
        machine.contact()
        #expect(machine.error < .milliseconds(1) && machine.opinion.note == nil)
    }

    /// While NTP is in contact a step by hand ends the kernel's word (`ntp_clear`), and the next
    /// contact takes it back.
    @Test func aStepByHandBetweenTwoContactsChangesNothing() {
        var machine = ClockMachine()
        machine.contact()
        machine.pass(1000)
        machine.setByHand(.seconds(-3600))
        #expect(machine.error < .milliseconds(1))
        machine.pass(1000)
        machine.contact()
        #expect(machine.error < .milliseconds(1) && machine.opinion.uncertainty < .seconds(1))
    }

    /// A server that is wrong for some seconds, or a minute, must not use up a study.
    @Test(arguments: [3600, -3600, 86_400, -86_400, 315_360_000, -315_360_000] as [Int64])
    func anImpossibleJumpOfATrustedClockIsHeldBack(by: Int64) {
        var machine = ClockMachine()
        machine.contact()
        machine.pass(5000)
        for seconds: Int64 in [11, 600, 3000] {
            machine.wall = machine.utc + .seconds(by)
            machine.kernel.contact()
            machine.pass(seconds, pace: 5)
            #expect(machine.error < .seconds(1), "not after \(seconds) s")
            #expect(machine.opinion.note?.contains("not trusted until") == true)
            machine.contact()
            machine.pass(100)
            #expect(machine.error < .milliseconds(1) && machine.opinion.note == nil)
        }
        machine.wall = machine.utc + .seconds(by)
        machine.kernel.contact()
        machine.pass(3700, pace: 60)
        #expect((machine.error - .seconds(abs(by))).magnitude < .seconds(1), "what stands for an hour is believed")
    }

    /// After a jump that was believed in the end the clock goes back: that is two readings against one. To
    /// another time it does not go back, and what was left once is no longer the time of before.
    @Test func aClockThatGoesBackIsBelievedAtOnce() {
        func jumped() -> ClockMachine {
            var machine = ClockMachine()
            machine.contact()
            machine.pass(5000)
            machine.wall = machine.utc + .seconds(86_400)
            machine.kernel.contact()
            machine.pass(3700, pace: 60)
            #expect(machine.error > .seconds(86_000))
            return machine
        }
        for off: Int64 in [0, 50, -50] {
            var machine = jumped()
            machine.wall = machine.utc + .seconds(off)
            machine.kernel.contact()
            machine.observe()
            #expect((machine.error - .seconds(abs(off))).magnitude < .seconds(1), "\(off)")
            machine.wall = machine.utc + .seconds(86_400)
            machine.kernel.contact()
            machine.pass(600, pace: 60)
            #expect(machine.error < .seconds(60), "the time that it was put back from is a jump again")
        }
        for off: Int64 in [3600, -3600] {
            var machine = jumped()
            machine.wall = machine.utc + .seconds(off)
            machine.kernel.contact()
            machine.pass(600, pace: 60)
            #expect(machine.error > .seconds(86_000), "\(off)")
        }
    }

    /// The same of a clock that the configuration vouches for.
    @Test func aVouchedClockIsASourceOfItsOwn() {
        var machine = ClockMachine()
        machine.vouched = true
        machine.observe()
        #expect(machine.opinion.source == .vouched && machine.opinion.uncertainty == ClockTrust.byHand)
        machine.pass(90 * Self.day, pace: 3600)
        #expect(machine.opinion.isGood(within: .seconds(30)), "it vouches for as long as it stands there")
        machine.setByHand(.seconds(86_400 * 365))
        machine.pass(11, pace: 1)
        machine.setByHand(.seconds(-86_400 * 365))
        machine.pass(100)
        #expect(machine.error < .milliseconds(1))
        machine.contact()
        #expect(machine.opinion.source == .kernel)
    }

    // MARK: - Battery-backed clocks

    @Test func aBatteryBackedClockVouchesOnlyWhileTheSystemsAgreesWithIt() {
        var machine = ClockMachine()
        machine.battery = (.zero, 0)
        machine.observe()
        #expect(machine.opinion.source == .rtc && machine.opinion.isGood(within: Self.bound))
        // Somebody set the system's clock wrong by hours, before the agent began:
        // hctosys still says 1.
        var wrong = ClockMachine(wallError: .seconds(3 * 3600))
        wrong.battery = (.zero, 0)
        wrong.observe()
        #expect(
            wrong.opinion.source == .unknown
                && wrong.opinion.note?.contains("set the wrong one from the right one") == true)
        // While it is extrapolated.
        machine.pass(100)
        machine.setByHand(.seconds(3 * 3600))
        machine.pass(7200)
        #expect(machine.opinion.source == .rtc && machine.error < .seconds(2))
    }

    /// Both run freely: 100 ppm one way, 20 ppm the other, come to 10 s a day, and the better
    /// of the two leads.
    @Test func driftBetweenTheTwoDoesNotEndTheWord() {
        var machine = ClockMachine(drift: 100e-6)
        machine.contact()
        machine.battery = (.zero, -20e-6)
        var worst = Duration.zero
        for _ in 0..<60 {
            machine.pass(Self.day, pace: 600)
            #expect(machine.error <= machine.opinion.uncertainty && machine.opinion.source != .unknown)
            worst = max(worst, machine.error)
        }
        #expect(worst < .seconds(600))
    }

    /// A flat battery: the clock begins in 2000, and the kernel set the system's by it.
    @Test func aClockThatLostItsPowerIsNotBelieved() {
        var machine = ClockMachine(wallError: .seconds(-9500 * 86_400))
        machine.battery = (.seconds(-9500 * 86_400), 0)
        machine.observe()
        #expect(machine.opinion.source == .unknown, "before this program existed")
        // Or in the year of the last trusted time, but before it.
        var late = ClockMachine(wallError: .seconds(-30 * 86_400))
        late.battery = (.seconds(-30 * 86_400), 0)
        late.custody = ClockDiscipline(resuming: nil, reference: late.utc - .seconds(86_400), drift: nil)
        late.observe()
        #expect(late.opinion.source == .unknown && late.opinion.note?.contains("before the last") == true)
    }

    /// Whatever was trusted last: the battery-backed clock itself, or the one that dated an enrolment. To a minute.
    @Test(
        arguments: [(-86_400, false), (-61, false), (-59, true), (0, true), (86_400, true)] as [(Int64, Bool)],
        [false, true])
    func aClockBehindTheLastTrustedTimeIsNotBelieved(ahead: (by: Int64, isBelieved: Bool), isVouched: Bool) {
        var machine = ClockMachine()
        machine.battery = (.zero, 0)
        machine.vouched = isVouched
        machine.custody = ClockDiscipline(
            resuming: nil, reference: nil, latest: machine.utc - .seconds(ahead.by), drift: nil)
        machine.observe()
        let otherwise = isVouched ? ClockAnchor.Source.vouched : .unknown
        #expect(machine.opinion.source == (ahead.isBelieved ? .rtc : otherwise))
        #expect((machine.opinion.note?.contains("before the last") == true) == (!ahead.isBelieved && !isVouched))
    }

    /// A device may lie unused for two years; one that never knew the time has nothing to hold it against.
    @Test(
        arguments: [(10, 732, true), (10, 733, false), (10, nil, true), (4, nil, true), (4, 1400, true)]
            as [(Int64, Int64?, Bool)])
    func aClockYearsAheadOfTheLastTrustedTimeIsNotBelieved(years: Int64, rest: Int64?, isBelieved: Bool) {
        let error = Duration.seconds(years * 365 * Self.day)
        var machine = ClockMachine(wallError: error)
        machine.battery = (error, 0)
        machine.custody = ClockDiscipline(
            resuming: nil, reference: nil, latest: rest.map { machine.wall - .seconds($0 * Self.day) }, drift: nil)
        machine.observe()
        #expect((machine.opinion.source == .rtc) == isBelieved)
        #expect((machine.opinion.note?.contains("battery-backed clock says 2036-11-18") == true) == !isBelieved)
    }

    /// It was years ahead, was believed, and is set right: its owner need not wait until then.
    @Test func oneStartWithTheOwnersWordEndsATimeThatWasWronglyAhead() async throws {
        let database = try StudyDatabase(.memory)
        var machine = ClockMachine()
        machine.battery = (.zero, 0)
        let wrong = ClockAnchor(
            monotonic: .zero, instant: machine.utc + .seconds(3 * 365 * Self.day), source: .rtc,
            uncertainty: .seconds(1))
        try await database.append([.anchored(anchor: AnchorRecord(wrong))], at: Fixture.stamp(0))
        let starts: [(isVouched: Bool, source: ClockAnchor.Source)] = [
            (false, .unknown), (true, .vouched), (false, .rtc),
        ]
        for start in starts {
            machine.vouched = start.isVouched
            machine.custody = ClockDiscipline(
                resuming: nil, reference: nil, latest: try await database.newestTrustedTime(), drift: nil)
            machine.observe()
            #expect(machine.opinion.source == start.source)
            #expect((machine.opinion.note?.contains("trust_system = true") == true) == (start.source == .unknown))
            guard let held = machine.custody.held else { continue }
            try await database.append([.anchored(anchor: AnchorRecord(held))], at: Fixture.stamp(0))
        }
    }

    // MARK: - Restart, suspension, receiver

    /// Nothing is there to hold it against; what has rolled over is seen by `GPSClock`.
    @Test func aReceiverIsBelievedWhereNoTimeWasTrustedBefore() {
        var machine = ClockMachine(wallError: .seconds(-7200))
        machine.observe()
        let said = ClockAnchor(
            monotonic: machine.monotonic, instant: machine.utc + .seconds(6 * 365 * Self.day), source: .gps,
            uncertainty: .milliseconds(300))
        let isBelieved = machine.custody.hear(receiver: said, raw: nil)
        #expect(isBelieved && machine.opinion.source == .gps && machine.opinion.note == nil)
    }

    /// Until the receiver says something else, whatever is trusted meanwhile.
    @Test func aRefusedReceiverStaysReportedWhileTheConfigurationVouches() {
        var machine = ClockMachine()
        machine.vouched = true
        machine.observe()
        for (years, isRefused) in [(13, true), (0, false)] as [(Int64, Bool)] {
            let said = ClockAnchor(
                monotonic: machine.monotonic, instant: machine.utc + .seconds(years * 365 * Self.day), source: .gps,
                uncertainty: .milliseconds(300))
            let isBelieved = machine.custody.hear(receiver: said, raw: nil)
            machine.pass(600)
            #expect(isBelieved == !isRefused && machine.opinion.source == (isRefused ? .vouched : .gps))
            #expect((machine.opinion.note?.contains("GPS receiver says") == true) == isRefused)
        }
    }

    /// However long it says so; the clock that is right is not blamed afterwards.
    @Test func aReceiverYearsAheadOfTheLastTrustedTimeIsNotBelieved() {
        var machine = ClockMachine(wallError: .seconds(-7200))
        machine.custody = ClockDiscipline(
            resuming: nil, reference: machine.wall, latest: machine.wall, drift: nil)
        machine.observe()
        for _ in 0..<3 {
            let said = ClockAnchor(
                monotonic: machine.monotonic, instant: machine.utc + .seconds(13 * 365 * Self.day), source: .gps,
                uncertainty: .milliseconds(300))
            let isBelieved = machine.custody.hear(receiver: said, raw: nil)
            #expect(!isBelieved && machine.opinion.source == .unknown)
            #expect(machine.opinion.note?.contains("GPS receiver says 2039-11-18") == true)
            machine.pass(3700)
        }
        machine.contact()
        #expect(machine.opinion.source == .kernel && machine.error < .milliseconds(1) && machine.opinion.note == nil)
    }

    @Test func aRestartOfTheAgentGoesOnByTheLog() {
        var machine = ClockMachine(drift: 50e-6)
        machine.contact()
        machine.pass(40_000)
        let opinion = machine.opinion
        let logged = ClockAnchor(
            monotonic: machine.monotonic, instant: machine.custody.instant(at: machine.monotonic, wall: machine.wall),
            source: opinion.source, uncertainty: opinion.uncertainty, carried: opinion.carried)
        machine.pass(100)
        machine.custody = ClockDiscipline(resuming: logged, reference: nil, drift: nil)
        machine.setByHand(.seconds(900))
        machine.pass(1000)
        #expect(machine.opinion.source == .kernel && machine.opinion.carried > .seconds(41_000))
        #expect(machine.error <= machine.opinion.uncertainty && machine.opinion.isGood(within: Self.bound))
    }

    @Test func aSuspendedMachineKnowsHowLongItSlept() {
        var machine = ClockMachine()
        machine.contact()
        machine.pass(40_000)
        let before = machine.opinion.uncertainty
        machine.suspend(7 * 3600)
        machine.observe()
        #expect(machine.error < .seconds(1) && machine.opinion.uncertainty >= before + .seconds(2))
        #expect(machine.opinion.source == .kernel && machine.opinion.note == nil)
    }

    /// `timekeeping_resume` leaves the kernel's word as it was, whatever the sleep was counted by;
    /// only an NTP client's next statement is one of after it.
    @Test(arguments: [(30, 1.9), (30, -1.9), (7200, 0.4), (200_000, -2.5)] as [(Int64, Double)], [false, true])
    func aResumedKernelIsBelievedOnlyOnceItsClockIsMeasuredAgain(sleep: (seconds: Int64, off: Double), driver: Bool) {
        var machine = ClockMachine(drift: 40e-6)
        machine.contact()
        machine.pass(1000)
        machine.suspend(sleep.seconds, countedOff: .nanoseconds(Int64(sleep.off * 1e9)), driver: driver)
        machine.observe()
        #expect(machine.kernel.isUnsynchronised == driver)
        for _ in 0..<60 {
            #expect(machine.error <= machine.opinion.uncertainty, "\(machine.error) \(machine.opinion)")
            #expect(machine.opinion.source == .kernel && machine.opinion.carried > .zero)
            machine.pass(15, pace: 1)
        }
        // The statement of the next contact may be worse than the one before the sleep.
        machine.pass(7, pace: 7)
        machine.contact()
        #expect(machine.opinion.carried == .zero && machine.opinion.uncertainty < .seconds(1))
        machine.pass(50)
        #expect(machine.error <= machine.opinion.uncertainty && machine.opinion.carried == .zero)
    }

    /// At rest the kernel's own count of its error is no measurement, however long it goes on.
    @Test func whatTheKernelAddsByItselfIsNoMeasurement() {
        var machine = ClockMachine()
        machine.contact()
        machine.suspend(30, countedOff: .seconds(1))
        machine.pass(31_000, pace: 60)
        #expect(!machine.kernel.isUnsynchronised && machine.opinion.carried > .zero)
        machine.pass(2000)
        #expect(machine.kernel.isUnsynchronised && machine.opinion.carried > .zero)
        machine.contact()
        #expect(machine.opinion.carried == .zero)
    }

    /// A client that states another estimated error has measured, though the largest one is by
    /// chance what the kernel would have come to.
    @Test func anotherEstimateIsAMeasurement() {
        var word = KernelSyncState()
        func clock(_ milliseconds: Int64, _ estimated: Int64) -> KernelClock {
            KernelClock(
                isSynchronised: true, maximumError: .milliseconds(milliseconds),
                estimatedError: .milliseconds(estimated), offset: .zero)
        }
        #expect(!word.isStale)
        word.expire()
        word.observe(clock(20, 1), at: .zero + .seconds(100))
        word.observe(clock(30, 1), at: .zero + .seconds(120))
        #expect(word.isStale)
        word.observe(clock(30, 2), at: .zero + .seconds(120))
        #expect(!word.isStale)
    }

    /// A kernel that says that it is not synchronised has seen to it: what it says next is new.
    @Test func theWordAfterNoWordIsNew() {
        var word = KernelSyncState()
        let clock = KernelClock(
            isSynchronised: true, maximumError: .milliseconds(20), estimatedError: .milliseconds(1), offset: .zero)
        for before in [[], [clock]] {
            word.expire()
            for said in before { word.observe(said, at: .zero + .seconds(100)) }
            #expect(word.isStale)
            word.observe(nil, at: .zero + .seconds(101))
            #expect(!word.isStale)
            word.observe(clock, at: .zero + .seconds(102))
            #expect(!word.isStale)
        }
    }

    /// Where the agent starts after a sleep, the kernel's word may be of before it, too.
    @Test func aStartAfterASleepWaitsForAMeasurement() {
        var machine = ClockMachine()
        machine.contact()
        machine.suspend(30, countedOff: .seconds(30))
        machine.custody = ClockDiscipline()
        machine.pass(300)
        #expect(machine.opinion.source == .unknown && machine.opinion.note?.contains("restart") == true)
        machine.contact()
        machine.pass(300)
        #expect(machine.opinion.source == .kernel && machine.opinion.note == nil)
        // One that knows from the log that the kernel was heard since goes on at once.
        machine.custody = ClockDiscipline(resuming: nil, reference: nil, drift: nil, heardKernel: true)
        machine.observe()
        #expect(machine.opinion.source == .kernel && machine.opinion.carried == .zero)
    }

    /// During a sleep the oscillator is not counted, so the silence before it and after it is no
    /// measure of its drift.
    @Test func aSleepIsNoDrift() {
        var machine = ClockMachine(drift: 5e-6)
        machine.contact()
        machine.pass(20_000, pace: 600)
        machine.suspend(3600, countedOff: .milliseconds(1900))
        machine.pass(20_000, pace: 600)
        machine.contact()
        #expect(!machine.custody.meter.isMeasured)
        machine.pass(Self.day, pace: 600)
        machine.contact()
        #expect(machine.custody.meter.isMeasured && machine.custody.meter.bound < 40e-6)
    }

    /// All of the kernel's clocks stood still, and it still says that it is synchronised.
    @Test func anUncountedSleepIsNotHiddenByTheKernelsWord() {
        var machine = ClockMachine()
        machine.contact()
        machine.pass(60)
        machine.suspendUncounted(30)
        machine.pass(600)
        #expect(!machine.kernel.isUnsynchronised && machine.error == .seconds(30))
        #expect(machine.opinion.source == .unknown && machine.opinion.note?.contains("suspended") == true)
        machine.contact()
        #expect(machine.opinion.source == .kernel && machine.error < .milliseconds(1))
    }

    /// Two clocks that are read one after the other differ by up to 20 ms without a sleep. The kernel's count of sleeps
    /// may be unknown.
    @Test(
        arguments: [
            (20, 1, 1, nil), (21, 1, 1, .counted(.milliseconds(21))), (21, nil, nil, .counted(.milliseconds(21))),
            (20, 1, 2, .uncounted), (21, 1, 2, .counted(.milliseconds(21))), (0, 2, 1, nil), (0, nil, 1, nil),
            (0, 1, nil, nil), (-21, 1, 1, nil),
        ] as [(Int64, Int?, Int?, Suspension?)])
    func aSleepIsLongerThanTwoClocksDifferOrCounted(milliseconds: Int64, before: Int?, now: Int?, found: Suspension?) {
        let slept = Duration.seconds(5)
        let suspension = Suspension(
            from: ClockMarks(slept: slept, suspensions: before),
            to: ClockMarks(slept: slept + .milliseconds(milliseconds), suspensions: now))
        #expect(suspension == found)
    }

    @Test(
        arguments: [(20, 0, true), (21, 0, false), (0, nil, true), (0, 1, false), (21, nil, false)]
            as [(Int64, Int?, Bool)])
    func aMachineIsAwakeSinceBootingWhereNoSleepIsKnown(milliseconds: Int64, suspensions: Int?, isAwake: Bool) {
        #expect(ClockMarks(slept: .milliseconds(milliseconds), suspensions: suspensions).isAwake == isAwake)
    }

    @Test func anUncountedSleepEndsTheCertainty() {
        var machine = ClockMachine()
        machine.contact()
        machine.pass(40_000)
        machine.suspendUncounted(7 * 3600)
        machine.observe()
        #expect(machine.opinion.source == .unknown && machine.opinion.note?.contains("suspended") == true)
        machine.pass(600)
        #expect(machine.opinion.source == .unknown)
        machine.contact()
        #expect(machine.opinion.source == .kernel && machine.error < .milliseconds(1) && machine.opinion.note == nil)
    }

    @Test func aReceiverTakesOverWhenItIsBetterAndIsCarriedOnAfterItsLastFix() {
        var machine = ClockMachine(drift: 20e-6)
        machine.contact()
        machine.pass(40_000)
        func fix(_ off: Duration = .zero) -> ClockAnchor {
            ClockAnchor(
                monotonic: machine.monotonic, instant: machine.utc + off, source: .gps, uncertainty: .milliseconds(300))
        }
        let good = fix()
        let isTaken = machine.custody.hear(receiver: good, raw: machine.monotonic)
        #expect(isTaken && machine.opinion.source == .gps)
        let rolledOver = fix(.seconds(-1024 * 7 * 86_400))
        let isBelieved = machine.custody.hear(receiver: rolledOver, raw: machine.monotonic)
        #expect(!isBelieved)
        machine.pass(Self.day)
        #expect(machine.opinion.source == .gps && machine.opinion.carried >= .seconds(Self.day))
        #expect(machine.error <= machine.opinion.uncertainty && machine.opinion.uncertainty < .seconds(10))
        machine.contact()
        #expect(machine.opinion.source == .kernel && machine.error < .milliseconds(1))
    }
}
