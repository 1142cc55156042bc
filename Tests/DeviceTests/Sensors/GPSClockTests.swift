// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

@Suite struct GPSClockTests {
    static let floor = Instant(seconds: 1_767_225_600)
    /// 2026-11-21T10:00:00Z at zero of the monotonic clock.
    static let noon = Instant(seconds: 1_795_255_200)
    static let rounds = Duration.seconds(1024 * 7 * 86_400)

    /// A receiver that speaks once a second.
    struct Receiver {
        var clock = GPSClock(floor: GPSClockTests.floor)
        var second = 0
        /// What the receiver's time is off.
        var error = Duration.zero
        /// From the moment to its first byte.
        var delay: (Int) -> Duration = { _ in .milliseconds(100) }
        var wall = { (_: Instant) in GPSClock.Wall(Instant(seconds: 60), isTrusted: false) }
        var verdicts: [GPSClock.Verdict] = []

        /// `seconds` seconds of fixes of that mode.
        mutating func run(
            _ seconds: Int, mode: Int = 3, hasDate: Bool = true, altitude: Double? = nil, satellites: Int? = nil
        ) {
            for _ in 0..<seconds {
                let truth = GPSClockTests.noon + .seconds(Int64(second))
                let time = hasDate && mode > 1 ? truth + error : nil
                let firstByte = MonotonicTime.zero + .seconds(Int64(second)) + delay(second)
                verdicts.append(
                    clock.process(
                        Fix(time: time, mode: mode, altitudeMSL: altitude, satellites: satellites),
                        firstByte: firstByte, wall: wall(truth)))
                second += 1
            }
        }

        /// The first second at which it was believed.
        var believed: Int? {
            verdicts.firstIndex { if case .trusted = $0 { true } else { false } }
        }
    }

    @Test func twoWholeMinutesThatAgreeAreBelieved() throws {
        var receiver = Receiver()
        receiver.second = 30  // in the middle of a minute: that one does not count
        receiver.run(200)
        #expect(receiver.believed == 150, "30 s to the minute, and two whole ones")
        let anchor = try #require(receiver.anchor)
        #expect(anchor.source == .gps && anchor.uncertainty == .milliseconds(250))
        #expect(abs((anchor.instant(at: .zero) - Self.noon).milliseconds) <= 250)
    }

    /// The delays of real lines: the anchor's error stays within what it says.
    @Test(arguments: [0, 80, 300, 500])
    func theErrorIsWithinTheStatedUncertainty(delay: Int64) throws {
        var receiver = Receiver()
        receiver.delay = { .milliseconds(delay + Int64($0 * 7919 % 150) * (delay < 400 ? 1 : 0)) }
        receiver.run(300)
        let anchor = try #require(receiver.anchor)
        #expect(abs((anchor.instant(at: .zero) - Self.noon).nanoseconds) <= anchor.uncertainty.nanoseconds)
    }

    @Test func aFlatFixOrNoneOrNoDateIsNotBelieved() {
        for (mode, hasDate, doubt) in [
            (1, true, GPSClock.Doubt.noFix), (2, true, .noHeight), (3, false, .noDate),
        ] {
            var receiver = Receiver()
            receiver.run(300, mode: mode, hasDate: hasDate)
            #expect(receiver.clock.verdict == .untrusted(doubt))
        }
    }

    /// gpsd's `test/daemon`: telit-pls83-w.log and quectel.log have GSA mode 2 with 7 to 14 satellites throughout;
    /// fixes that are flat indeed use three or four (ublox-lea-4h.log, mtk-3329.log), and repeat the last height.
    @Test(
        arguments: [(250.8, 5, true), (250.8, 14, true), (250.8, 4, false), (nil, 14, false), (250.8, nil, false)]
            as [(Double?, Int?, Bool)])
    func aFlatFixOfManySatellitesIsBelieved(altitude: Double?, satellites: Int?, isBelieved: Bool) {
        var receiver = Receiver()
        receiver.run(300, mode: 2, altitude: altitude, satellites: satellites)
        #expect((receiver.anchor != nil) == isBelieved)
        if !isBelieved { #expect(receiver.clock.verdict == .untrusted(.noHeight)) }
    }

    /// After void moments the receiver has just been switched on: leap seconds come
    /// with the almanac.
    @Test func aColdStartIsWaitedOut() {
        var receiver = Receiver()
        receiver.run(60, mode: 1)
        receiver.error = .seconds(-2)
        receiver.run(600)
        #expect(receiver.believed == nil)
        if case .untrusted(.settling) = receiver.clock.verdict {} else { Issue.record("\(receiver.clock.verdict)") }
        receiver.error = .zero
        receiver.run(900)
        #expect(receiver.believed == 60 + 1200)
        #expect(abs(((receiver.anchor?.instant(at: .zero) ?? .epoch) - Self.noon).milliseconds) <= 250)
    }

    /// Even a receiver that had its fix before anybody listened: a leap second learnt
    /// is another time.
    @Test func aStepOfASecondIsAnotherTime() {
        var receiver = Receiver()
        receiver.run(300)
        #expect(receiver.believed != nil)
        let believed = receiver.clock.verdict
        receiver.error = .seconds(1)
        receiver.run(2)
        #expect(receiver.clock.verdict == believed, "one moment, or two, may be wrong")
        receiver.run(1)
        #expect(receiver.clock.verdict == .untrusted(.gathering))
        receiver.run(240)
        #expect((receiver.anchor?.instant(at: .zero) ?? .epoch) - Self.noon > .milliseconds(700))
    }

    /// A module without a backup battery loses its power and comes back: its firmware's leap seconds are
    /// three too few (15 of 2012, 18 since 2017) until the almanac tells.
    @Test func aReceiverThatWasSwitchedOffWhileItWasBelievedIsWaitedFor() {
        var receiver = Receiver()
        receiver.run(300)
        #expect(receiver.anchor != nil)
        receiver.run(30, mode: 1)
        receiver.error = .seconds(3)
        receiver.run(600)
        #expect(receiver.verdicts[332...].allSatisfy { if case .trusted = $0 { false } else { true } })
        receiver.error = .zero
        receiver.run(900)
        let trusted = receiver.verdicts[332...].firstIndex { if case .trusted = $0 { true } else { false } }
        // Twenty minutes after the first moment of which it was certain.
        #expect(trusted == 1560)
        #expect(abs(((receiver.anchor?.instant(at: .zero) ?? .epoch) - Self.noon).milliseconds) <= 250)
    }

    /// After a tunnel it says the same time as before.
    @Test func aReceiverThatSawNoSkyAndAgreesIsBelievedOn() {
        var receiver = Receiver()
        receiver.run(300)
        receiver.run(600, mode: 1)
        receiver.run(300)
        #expect(receiver.verdicts[300...].allSatisfy { if case .trusted = $0 { true } else { false } })
    }

    @Test func anOutlierChangesNothing() {
        var receiver = Receiver()
        receiver.run(300)
        receiver.error = .seconds(3600)
        receiver.run(1)
        receiver.error = .zero
        receiver.run(120)
        #expect(receiver.verdicts[300...].allSatisfy { if case .trusted = $0 { true } else { false } })
    }

    @Test func silenceAndVoidMomentsLeaveWhatIsBelieved() {
        var receiver = Receiver()
        receiver.run(300)
        receiver.run(600, mode: 1)
        #expect(receiver.anchor != nil)
        receiver.clock.lineOpened()
        receiver.run(200, mode: 1)
        receiver.run(200)
        #expect(
            receiver.anchor.map { $0.monotonic > .zero + .seconds(1000) } == true, "no second cold start to wait for")
    }

    @Test func minutesWithHolesAreNone() {
        var receiver = Receiver()
        for _ in 0..<10 {
            receiver.run(20)
            receiver.run(40, mode: 1)
        }
        #expect(receiver.believed == nil)
    }

    static let walls:
        [(name: String, error: Duration, wall: @Sendable (Instant) -> GPSClock.Wall, off: Duration?, Int)] = [
            ("no clock at all", .zero, { _ in .init(.epoch, isTrusted: false) }, .zero, 0),
            ("a clock saved months ago", .zero, { .init($0 - .seconds(90 * 86_400), isTrusted: false) }, .zero, 0),
            ("a trusted clock that agrees", .zero, { .init($0 + .seconds(2), isTrusted: true) }, .zero, 0),
            (
                "a trusted clock that says another year", .zero,
                { .init($0 + .seconds(400 * 86_400), isTrusted: true) }, nil, 0
            ),
            ("one round late, trusted", .zero - rounds, { .init($0, isTrusted: true) }, .zero, 1),
            (
                "one round late, saved two days ago", .zero - rounds,
                { .init($0 - .seconds(2 * 86_400), isTrusted: false) }, .zero, 1
            ),
            ("two rounds late, trusted", .zero - rounds - rounds, { .init($0, isTrusted: true) }, .zero, 2),
            (
                "one round late, saved months ago", .zero - rounds,
                { .init($0 - .seconds(90 * 86_400), isTrusted: false) }, nil, 0
            ),
            ("one round late, no clock", .zero - rounds, { _ in .init(.epoch, isTrusted: false) }, nil, 0),
            ("year 99", .zero - .seconds(27 * 365 * 86_400), { .init($0, isTrusted: true) }, nil, 0),
        ]

    @Test(arguments: walls.indices)
    func theDateIsHeldAgainstWhatIsKnown(index: Int) {
        let (name, error, wall, off, rounds) = Self.walls[index]
        var receiver = Receiver()
        receiver.error = error
        receiver.wall = wall
        receiver.run(200)
        let found = receiver.anchor.map { ($0.instant(at: .zero) - Self.noon).milliseconds }
        #expect((found == nil) == (off == nil), Comment(rawValue: name))
        #expect(abs(found ?? 0) <= 250 && receiver.clock.rounds == (off == nil ? 0 : rounds), Comment(rawValue: name))
        if off == nil { #expect(receiver.clock.verdict == .untrusted(.refusedDate)) }
    }
}

extension GPSClockTests.Receiver {
    var anchor: ClockAnchor? {
        if case .trusted(let anchor) = clock.verdict { anchor } else { nil }
    }
}
