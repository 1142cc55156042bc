// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Study

@Suite struct RuleEngineTests {
    private static let hourly = "[rule.r]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5\n"
    private static let daily = "[rule.r]\ntask = \"a\"\nat = [\"10:30\", \"12:00\"]\nprobability = 0.5\n"

    private static func when(_ more: String = "probability = 0.5") -> String {
        RuleSample.move + "[rule.r]\ntask = \"a\"\nwhen = \"move < 30 for 4m\"\nrearm = \"5m\"\n\(more)\n"
    }

    /// Made by Python's hashlib and integers from the bytes of docs/rules.md, with `--seed 1`.
    @Test func drawsAreThoseThatAnyoneCanMake() throws {
        var bench = try RuleBench("[rule.walk]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5\n")
        bench.pass(2 * 3600)
        bench.pass(0)
        #expect(bench.decisions.map(\.label) == [nil, "rule walk/2"], "the first was reached an hour late")
        #expect(bench.decisions.last?.draw == 0.9393773691831055)
        bench = try RuleBench("[rule.walk]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5\n")
        bench.pass(3600)
        #expect(bench.decisions.map(\.draw) == [0.028249968293181937])
        #expect(bench.lines == ["11:00 treated"])
    }

    @Test func aTreatedPointIsOneWithADrawBelowItsProbability() throws {
        var bench = try RuleBench(Self.hourly)
        for _ in 0..<500 { bench.pass(3600) }
        #expect(bench.decisions.map(\.index) == Array(1...500))
        for decision in bench.decisions {
            let draw = try #require(decision.draw)
            let probability = try #require(decision.probability)
            #expect((decision.result == .treated) == (draw < probability))
            #expect(decision.available && decision.reasons.isEmpty)
        }
        #expect((200...300).contains(bench.decisions.count { $0.result == .treated }))
    }

    @Test func aConditionMustHoldAllItsTimeAndThenRearms() throws {
        var bench = try RuleBench(Self.when())
        // The window of 3 minutes is covered from the third on; from then on four looks.
        bench.measure(Array(repeating: 5, count: 17))
        #expect(bench.lines.map { $0.prefix(5) } == ["10:06", "10:11", "10:16"])
        let first = try #require(bench.decisions.first?.state?["move"])
        #expect(
            first == FeatureReading(value: 15, coverage: 1, from: Sample.after(3), to: Sample.after(6), recordings: [7])
        )
    }

    @Test func oneMomentOfMovingBeginsItAgain() throws {
        var bench = try RuleBench(Self.when())
        bench.measure([5, 5, 5, 5, 50] + Array(repeating: 5, count: 8))
        #expect(bench.lines.map { $0.prefix(5) } == ["10:11"], "50 is in the window until 10:07, and four looks follow")
    }

    @Test func whatIsNotMeasuredIsNoPointOfACondition() throws {
        var bench = try RuleBench(Self.when())
        bench.measure([5, 5, 5, nil, nil] + Array(repeating: 5, count: 3))
        bench.pass(31)
        #expect(bench.lines.isEmpty)
        bench.pass(29)
        bench.measure(Array(repeating: 5, count: 6))
        #expect(!bench.lines.isEmpty)
    }

    @Test func coverageBelowItsNeedIsUnavailableForThatReasonAndNothingIsDrawn() throws {
        var bench = try RuleBench(
            RuleSample.move
                + "[rule.r]\ntask = \"a\"\nat = [\"10:04\"]\nprobability = [{ when = \"move < 3\", p = 0.6 }, { p = 0.3 }]\n"
        )
        bench.measure([5, 5, 5, 5], coverage: 0.7)
        let decision = try #require(bench.decisions.first)
        #expect(bench.lines == ["10:04 unavailable(coverage)"])
        #expect(decision.probability == nil && decision.draw == nil && decision.label == nil)
        #expect(decision.state?["move"]?.value == nil)
        #expect(abs((decision.state?["move"]?.coverage ?? 0) - 0.7) < 1e-9)
    }

    @Test func missingEpochsAreWaitedForHalfAMinute() throws {
        let text =
            RuleSample.move
            + "[rule.r]\ntask = \"a\"\nat = [\"10:04\"]\nprobability = [{ when = \"move < 3\", p = 0.6 }, { p = 0.3 }]\n"
        var bench = try RuleBench(text)
        bench.measure([5, 5, 5, nil])
        #expect(bench.lines.isEmpty)
        bench.pass(29)
        #expect(bench.lines.isEmpty)
        bench.pass(1)
        #expect(bench.lines == ["10:04 unavailable(coverage)"])
    }

    @Test(arguments: [
        ("worn", "not-worn"), ("no run open", "run-open"), ("prompts on", "prompts-off"),
        ("60m since prompt", "recent-prompt"),
    ])
    func eachNeedHasItsReason(need: String, reason: String) throws {
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nat = [\"10:30\", \"12:30\"]\navailable = [\"\(need)\"]\nprobability = 0.5\n")
        bench.pass(60)
        bench.send(.prompted)
        bench.send(.notWorn(since: Sample.after(1)))
        (bench.isRunOpen, bench.promptsAreOn) = (true, false)
        bench.pass(29 * 60)
        #expect(bench.lines == ["10:30 unavailable(\(reason))"])
        bench.send(.notWorn(since: nil))
        (bench.isRunOpen, bench.promptsAreOn) = (false, true)
        bench.pass(2 * 3600)
        #expect(bench.decisions.last?.available == true)
    }

    @Test func itRestsUntilItsNextPointUnlessSomethingHappens() throws {
        var bench = try RuleBench(Self.hourly)
        let next = Sample.after(60)
        #expect(bench.engine.wake == next)
        #expect(!bench.engine.isAwake(at: next - .nanoseconds(1)) && bench.engine.isAwake(at: next))
        bench.engine.handle(.notWorn(since: nil), at: bench.now)
        #expect(bench.engine.isAwake(at: bench.now.instant))
        bench.engine.handle(.clock(trusted: false), at: bench.now)
        #expect(!bench.engine.isAwake(at: next) && bench.engine.wake == nil)
    }

    /// A minute late, the point is still about the moment at which it was due.
    @Test(arguments: [(-1, true), (0, true), (1, false)]) func whatIsNotWornSinceAPointIsNotWornAtIt(
        nanoseconds: Int, isUnavailable: Bool
    ) throws {
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nat = [\"10:30\"]\navailable = [\"worn\"]\nprobability = 0.5\n")
        bench.engine.handle(.notWorn(since: Sample.after(30) + .nanoseconds(nanoseconds)), at: bench.now)
        bench.pass(31 * 60)
        #expect(bench.decisions.map(\.reasons) == [isUnavailable ? ["not-worn"] : []])
    }

    /// As after the dating of an enrolment, for which an engine begins again.
    @Test func anEngineThatBeginsAgainKnowsThatTheDeviceIsNotWorn() throws {
        let text = "[rule.r]\ntask = \"a\"\nat = [\"10:30\"]\navailable = [\"worn\"]\nprobability = 0.5\n"
        var old = try RuleBench(text)
        old.send(.notWorn(since: Sample.start))
        var bench = try RuleBench(text)
        bench.engine.keepWear(of: old.engine)
        bench.pass(30 * 60)
        #expect(bench.lines == ["10:30 unavailable(not-worn)"])
    }

    @Test func allReasonsAreNamedInTheirOrder() throws {
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nat = [\"10:30\"]\navailable = [\"prompts on\", \"worn\", \"60m since prompt\"]\nprobability = 0.5\n"
        )
        bench.send(.notWorn(since: Sample.start))
        (bench.promptsAreOn, bench.open) = (false, [])
        bench.pass(30 * 60)
        #expect(bench.lines == ["10:30 unavailable(task-locked prompts-off not-worn)"])
        bench.isPaused = true
        bench.pass(24 * 3600)
        #expect(bench.lines.last == "10:30 unavailable(study-paused prompts-off not-worn)")
    }

    @Test func aPromptIsRecentForExactlyItsTime() throws {
        for (seconds, isRecent) in [(3600, false), (3599, true)] {
            var bench = try RuleBench(
                "[rule.r]\ntask = \"a\"\nat = [\"12:00\"]\navailable = [\"60m since prompt\"]\nprobability = 0.5\n")
            bench.pass(Int64(7200 - seconds))
            bench.send(.prompted)
            bench.pass(Int64(seconds))
            #expect(bench.decisions.first?.reasons == (isRecent ? ["recent-prompt"] : []))
        }
    }

    @Test func quietHoursHaveNoPoints() throws {
        var bench = try RuleBench(Self.hourly + "quiet = [\"12:00-14:00\", \"23:00-09:00\"]\n")
        for _ in 0..<24 { bench.pass(3600) }
        #expect(bench.decisions.map(\.local.time.hour) == [11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 9, 10])
    }

    @Test func theLastDayIsTheLast() throws {
        var bench = try RuleBench("days = 2\n" + Self.daily)
        for _ in 0..<72 { bench.pass(3600) }
        #expect(bench.decisions.map(\.local.time.hour) == [10, 12, 10, 12])
        #expect(bench.engine.wake == nil)
    }

    @Test func pointsOfATimeThatWasOffAreMissedAndNeverDrawn() throws {
        var first = try RuleBench(Self.hourly)
        first.pass(3600)
        var memory = RuleMemory()
        memory.rules["r"] = .init(last: try #require(first.decisions.last), budget: nil)
        let start = Sample.after(4 * 60 + 1)
        var bench = try RuleBench(Self.hourly, memory: memory, start: start, isTrusted: false)
        bench.pass(1800)
        #expect(bench.lines.isEmpty, "the clock is not trusted")
        bench.send(.wasOff(from: Sample.after(61)))
        bench.send(.clock(trusted: true))
        #expect(bench.lines == ["12:00 missed(device-off)", "13:00 missed(device-off)", "14:00 missed(device-off)"])
        #expect(bench.decisions.map(\.index) == [2, 3, 4])
        #expect(
            bench.decisions.allSatisfy { $0.draw == nil && $0.probability == nil && !$0.available && $0.state == nil })
        bench.pass(1800)
        #expect(bench.decisions.last?.label == "rule r/5", "what was missed keeps its number")
    }

    @Test func whileTheClockIsUnknownPointsAreMissedForThat() throws {
        var bench = try RuleBench(Self.hourly)
        bench.pass(60)
        bench.send(.clock(trusted: false))
        bench.pass(2 * 3600 + 300)
        bench.send(.clock(trusted: true))
        #expect(bench.lines == ["11:00 missed(clock-unknown)", "12:00 missed(clock-unknown)"])
    }

    @Test(arguments: [(120, false), (121, true)])
    func aPointIsLateAfterTwoMinutes(seconds: Int64, isLate: Bool) throws {
        var bench = try RuleBench(Self.hourly)
        bench.pass(3600 + seconds)
        #expect((bench.lines == ["11:00 missed(late)"]) == isLate)
    }

    @Test func aClockSetAheadMissesAndSetBackRepeatsNothing() throws {
        var bench = try RuleBench(Self.hourly)
        bench.pass(300, set: .seconds(2 * 3600))
        #expect(bench.lines == ["11:00 missed(clock-stepped)", "12:00 missed(clock-stepped)"])
        bench.pass(3300, set: .seconds(-2 * 3600))
        for _ in 0..<2 { bench.pass(3600) }
        #expect(bench.decisions.map(\.local.time.hour) == [11, 12, 13])
        #expect(bench.decisions.map(\.index) == [1, 2, 3])
    }

    /// The moment at which the agent began goes back with the clock: what is late since is not of a
    /// time that was off.
    @Test func aPointThatIsLateAfterTheClockWentBackIsLate() throws {
        var bench = try RuleBench("[rule.r]\ntask = \"a\"\nevery = \"5m\"\nprobability = 0.5\n")
        bench.pass(60, set: .seconds(-600))
        bench.pass(17 * 60)
        #expect(bench.lines == ["10:05 missed(late)"])
    }

    /// A clock that is steered goes apart from the monotonic one, bit by bit: that is no step, also
    /// where it is found untrusted for a moment, and whether or not the rules had something to do meanwhile.
    @Test(arguments: [true, false]) func aClockThatWasSteeredWasNotStepped(hasNews: Bool) throws {
        var bench = try RuleBench(Self.hourly)
        func pass(_ milliseconds: Int, steered: Int) {
            bench.now = Moment(
                instant: bench.now.instant + .milliseconds(milliseconds + steered),
                monotonic: bench.now.monotonic + .milliseconds(milliseconds))
        }
        for _ in 0..<2 {
            pass(1_795_000, steered: 400)
            if hasNews { bench.send(.notWorn(since: nil)) } else { bench.look() }
        }
        // From 10:59:50.8 to 11:00:00.3.
        pass(9_500, steered: 0)
        bench.engine.handle(.clock(trusted: false), at: bench.now)
        bench.send(.clock(trusted: true))
        #expect(bench.decisions.map(\.reasons) == [[]])
    }

    /// cron(8): a correction of more than three hours is used at once.
    @Test func aClockThatWasFarAheadIsCorrectedAtOnce() throws {
        var bench = try RuleBench(Self.hourly)
        bench.pass(60, set: .seconds(5 * 3600))
        bench.pass(60, set: .seconds(-5 * 3600))
        bench.pass(3600)
        #expect(bench.decisions.last?.local.time.hour == 11)
        #expect(bench.decisions.last?.available == true)
    }

    @Test func timesOfDayFollowTheOffset() throws {
        let berlin = try Zone.load("Europe/Berlin")
        let start = berlin.resolve(try LocalDateTime(parsing: "2026-03-28T01:00:00")).instant
        let text = "[rule.r]\ntask = \"a\"\nat = [\"02:30\"]\nprobability = 0.5\n"
        var bench = try RuleBench(text, zone: berlin, start: start, enrolled: start)
        for _ in 0..<(3 * 24 * 2) { bench.pass(1800) }
        let due = bench.decisions.map { berlin.local($0.due).description.prefix(16) }
        #expect(
            due == ["2026-03-28T02:30", "2026-03-29T03:30", "2026-03-30T02:30"], "02:30 does not exist on the 29th")
        #expect(bench.decisions.map(\.local.time.hour) == [2, 2, 2])
    }

    @Test func aTimeThatAGapMovesIntoQuietHoursIsNoPointThatDay() throws {
        let berlin = try Zone.load("Europe/Berlin")
        let start = berlin.resolve(try LocalDateTime(parsing: "2026-03-28T01:00:00")).instant
        let text =
            "[rule.r]\ntask = \"a\"\nat = [\"02:30\"]\nquiet = [\"03:00-04:00\"]\nprobability = 0.5\n"
        var bench = try RuleBench(text, zone: berlin, start: start, enrolled: start)
        for _ in 0..<(3 * 24 * 2) { bench.pass(1800) }
        let due = bench.decisions.map { berlin.local($0.due).description.prefix(16) }
        #expect(due == ["2026-03-28T02:30", "2026-03-30T02:30"])
    }

    private static func berlinTime(_ due: Instant) throws -> String {
        String(try Zone.load("Europe/Berlin").local(due).description.dropFirst(8).prefix(8))
    }

    /// Clocks go from 02:00 to 03:00 on the 29th, so that 02:30 comes at 03:30. A restart changes nothing.
    @Test(arguments: [0, 1, 2, 3, 4, 5]) func aTimeThatIsSkippedIsDecidedWhenItComes(beforeRestart: Int) throws {
        let berlin = try Zone.load("Europe/Berlin")
        let start = berlin.resolve(try LocalDateTime(parsing: "2026-03-28T23:00:00")).instant
        let text = "[rule.r]\ntask = \"a\"\nat = [\"00:30\", \"02:30\", \"03:10\", \"09:00\"]\nprobability = 0.5\n"
        var bench = try RuleBench(text, zone: berlin, start: start, enrolled: start)
        while bench.decisions.count < beforeRestart { bench.pass(600) }
        var memory = RuleMemory()
        if let last = bench.decisions.last { memory.rules["r"] = .init(last: last, budget: nil) }
        let first = bench.decisions
        bench = try RuleBench(text, memory: memory, zone: berlin, start: bench.now.instant, enrolled: start)
        while first.count + bench.decisions.count < 7 { bench.pass(600) }
        let all = first + bench.decisions
        #expect(
            try all.map { try Self.berlinTime($0.due) } == [
                "29T00:30", "29T03:10", "29T03:30", "29T09:00", "30T00:30", "30T02:30", "30T03:10",
            ])
        #expect(all.map { [$0.local.time.hour, $0.local.time.minute] }.prefix(3) == [[0, 30], [3, 10], [2, 30]])
        #expect(all.map(\.index) == Array(1...7) && all.allSatisfy(\.available))
    }

    /// On the 29th 02:01 would come at 03:01.
    @Test func aTimeThatASkippedOneMeetsIsOnePoint() throws {
        let berlin = try Zone.load("Europe/Berlin")
        let start = berlin.resolve(try LocalDateTime(parsing: "2026-03-29T01:00:00")).instant
        let text = "[rule.r]\ntask = \"a\"\nat = [\"02:01\", \"03:01\"]\nprobability = 0.5\n"
        var bench = try RuleBench(text, zone: berlin, start: start, enrolled: start)
        while bench.decisions.count < 3 { bench.pass(60) }
        #expect(try bench.decisions.map { try Self.berlinTime($0.due) } == ["29T03:01", "30T02:01", "30T03:01"])
        #expect(bench.decisions.map(\.local.time.hour) == [3, 2, 3])
    }

    private static let lunch = "[rule.r]\ntask = \"a\"\nevery = \"5m\"\nquiet = [\"12:00-12:59\"]\nprobability = 0.5\n"

    /// From 12:09 to 12:20:30 in Berlin no point is due. By London's clocks, an hour behind, that is not quiet; what
    /// comes after it is looked at with them, also where the change is one of the run before.
    @Test(
        arguments: [
            (80, 35, []), (89, 0, ["11:25 missed(device-off)"]),
            (99, 0, ["11:25 missed(device-off)", "11:30 missed(device-off)", "11:35 missed(device-off)"]),
        ] as [(Int, Int64, [String])], [false, true])
    func whatWasLookedAtInOneZoneIsNotLookedAtInAnother(
        _ start: (minute: Int, second: Int64, missed: [String]), isLogged: Bool
    ) throws {
        let (berlin, london) = (try Zone.load("Europe/Berlin"), try Zone.load("Europe/London"))
        let enrolled = Sample.after(69)
        var home = try RuleBench(Self.lunch, zone: berlin, start: enrolled, enrolled: enrolled)
        home.pass(11 * 60 + 30)
        #expect(home.lines.isEmpty)
        var memory = RuleMemory()
        if isLogged { memory.stays = [.init(zone: berlin, until: home.now.instant)] }
        var away = try RuleBench(
            Self.lunch, memory: memory, zone: london, start: Sample.after(start.minute) + .seconds(start.second),
            enrolled: enrolled, zoneBefore: isLogged ? nil : berlin, isTrusted: false)
        away.send(.wasOff(from: home.now.instant))
        away.send(.clock(trusted: true))
        #expect(away.lines == start.missed)
        while away.decisions.count == start.missed.count { away.pass(60) }
        #expect(away.decisions.last?.index == start.missed.count + 1 && away.decisions.last?.available == true)
    }

    /// By a clock that was a day ahead the device was on in Berlin until tomorrow.
    @Test func sinceTheAgentBeganAZoneIsThePresentOne() throws {
        var memory = RuleMemory()
        memory.stays = [.init(zone: try Zone.load("Europe/Berlin"), until: Sample.after(80 + 1440))]
        let start = Sample.after(80)
        var bench = try RuleBench(
            Self.lunch, memory: memory, zone: Zone.load("Europe/London"), start: start, enrolled: start)
        bench.pass(300)
        #expect(bench.lines.map { $0.prefix(5) } == ["11:25"])
    }

    /// By a clock that was a day ahead London came before Berlin was left.
    @Test func whatWasLeftLaterEndsAnEarlierZone() throws {
        let (berlin, london) = (try Zone.load("Europe/Berlin"), try Zone.load("Europe/London"))
        var memory = RuleMemory()
        memory.stays = [
            .init(zone: berlin, until: Sample.after(80 + 1440)), .init(zone: london, until: Sample.after(80)),
        ]
        let bench = try RuleBench(
            Self.lunch, memory: memory, zone: london, start: Sample.after(99), enrolled: Sample.after(69))
        #expect(bench.lines == ["11:25", "11:30", "11:35"].map { "\($0) missed(device-off)" })
    }

    /// 12:00 and 13:00 in Berlin were not decided, as with a clock that was not trusted; London's 13:00 is 14:00 there.
    @Test func aPointOfAMomentBeforeAChangeOfZoneHasTheOldWallClockAndIsNotPassedOver() throws {
        let (berlin, london) = (try Zone.load("Europe/Berlin"), try Zone.load("Europe/London"))
        var bench = try RuleBench(
            Self.hourly, zone: london, start: Sample.after(245), zoneBefore: berlin, isTrusted: false)
        bench.send(.wasOff(from: Sample.after(130)))
        bench.send(.clock(trusted: true))
        #expect(bench.lines == [12, 13, 13, 14].map { "\($0):00 missed(device-off)" })
    }

    /// The day of the enrolment is over at 16:00 in Berlin, with Tokyo's; that of Berlin is not.
    @Test func whatWasOverInOneZoneIsOverThereAlsoAfterAJourney() throws {
        let (berlin, tokyo) = (try Zone.load("Europe/Berlin"), try Zone.load("Asia/Tokyo"))
        var bench = try RuleBench(
            "days = 1\n" + Self.hourly, zone: berlin, start: Sample.after(365), zoneBefore: tokyo, isTrusted: false)
        bench.send(.wasOff(from: Sample.after(360)))
        bench.send(.clock(trusted: true))
        #expect(bench.lines == [20, 21, 22, 23].map { "\($0):00 missed(device-off)" })
        bench.pass(55 * 60)
        #expect(bench.lines.last?.hasPrefix("18:00 ") == true)
    }

    @Test func aJourneyPassesOverTimesAndRepeatsNone() throws {
        let (berlin, tokyo) = (try Zone.load("Europe/Berlin"), try Zone.load("Asia/Tokyo"))
        let text = "[rule.r]\ntask = \"a\"\nat = [\"11:30\", \"18:00\", \"20:00\"]\nprobability = 0.5\n"
        // Sample.start is 11:00 in Berlin and 19:00 in Tokyo.
        let enrolled = Sample.start - .seconds(86_400)
        var home = try RuleBench(text, zone: berlin, enrolled: enrolled)
        home.pass(1800)
        var memory = RuleMemory()
        memory.rules["r"] = .init(last: try #require(home.decisions.last), budget: nil)
        var away = try RuleBench(
            text, memory: memory, zone: tokyo, start: Sample.after(32), enrolled: enrolled, zoneBefore: berlin,
            isTrusted: false)
        away.send(.wasOff(from: Sample.after(31)))
        away.send(.clock(trusted: true))
        #expect(away.lines == ["18:00 missed(zone-changed)"])
        away.pass(28 * 60)
        #expect(away.lines.last?.hasPrefix("20:00 ") == true)
        memory.rules["r"] = .init(last: try #require(away.decisions.last), budget: nil)
        var back = try RuleBench(
            text, memory: memory, zone: berlin, start: Sample.after(62), enrolled: enrolled, zoneBefore: tokyo)
        for _ in 0..<20 { back.pass(1800) }
        #expect(back.lines.isEmpty, "18:00 and 20:00 of that day have been")
        for _ in 0..<8 { back.pass(3600) }
        for _ in 0..<12 { back.pass(1800) }
        #expect(back.lines.first?.hasPrefix("11:30 ") == true)
    }

    @Test func outcomesAreMeasuredOverTheirWindow() throws {
        var bench = try RuleBench(Self.when("probability = 0.5\noutcome = { feature = \"move\", window = \"+3m\" }"))
        bench.measure(Array(repeating: 5, count: 6) + [7, 8, 9])
        let outcome = try #require(bench.outcomes.first)
        #expect(bench.decisions.first?.outcome == "move")
        #expect((outcome.value, outcome.coverage, outcome.missing?.rawValue) == (24, 1, nil))
        #expect((outcome.from, outcome.to) == (Sample.after(6), Sample.after(9)))
        #expect(outcome.at == Sample.after(9) && outcome.index == 1 && outcome.recordings == [7])
    }

    @Test func anOutcomeIsMissingForItsReasonAndNeverZero() throws {
        let text = Self.when("probability = 0.5\noutcome = { feature = \"move\", window = \"+3m\" }")
        var bench = try RuleBench(text)
        bench.measure(Array(repeating: 5, count: 6) + [7, nil, nil])
        bench.pass(30)
        #expect(bench.outcomes.map(\.missing) == [.coverage])
        #expect(bench.outcomes.first?.value == nil)
        bench = try RuleBench(text)
        bench.measure(Array(repeating: 5, count: 6))
        bench.pass(1, set: .seconds(60))
        #expect(bench.outcomes.map(\.missing) == [.clockStepped])
        var memory = RuleMemory()
        memory.rules["r"] = .init(last: try #require(bench.decisions.first), budget: nil)
        memory.pending = [.init(rule: "r", index: 1, due: Sample.after(6))]
        let restarted = try RuleBench(text, memory: memory, start: Sample.after(60))
        #expect(restarted.outcomes.map(\.missing) == [.deviceOff])
        bench = try RuleBench(text)
        bench.measure(Array(repeating: 5, count: 6))
        bench.send(.left)
        #expect(bench.outcomes.map(\.missing) == [.left])
    }

    @Test func aPressIsAPoint() throws {
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nevent = \"button:blue\"\nrearm = \"10m\"\nprobability = 0.5\n")
        bench.pass(60)
        bench.send(.marked("red"))
        #expect(bench.lines.isEmpty)
        bench.send(.marked("blue"))
        bench.pass(60)
        bench.send(.marked("blue"))
        bench.pass(9 * 60)
        bench.send(.marked("blue"))
        #expect(bench.decisions.map(\.local.time.minute) == [1, 11], "within ten minutes it is none")
    }

    /// The clock goes on from a saved time after a power cut, until it is set.
    @Test(arguments: [Int64(60), 200, -60, 0]) func aPressWhileTheClockIsNotTrustedIsNoPoint(set: Int64) throws {
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nevent = \"button\"\nprobability = 0.5\n", isTrusted: false)
        bench.send(.marked("blue"))
        bench.pass(20, set: .seconds(set))
        bench.send(.clock(trusted: true))
        bench.pass(300)
        #expect(bench.lines.isEmpty)
        bench.send(.marked("blue"))
        #expect(bench.decisions.map(\.due) == [bench.now.instant] && bench.decisions.first?.available == true)
    }

    @Test func arrivingIsAPoint() throws {
        var bench = try RuleBench(
            "[feature.home]\nfrom = \"position\"\nis = \"visits\"\nreduce = \"last-visit\"\n[rule.r]\ntask = \"a\"\nevent = \"arrival\"\nprobability = 0.5\n"
        )
        for (minute, visit) in [1.0, 1, 0, 1, 1].enumerated() {
            bench.pass(60)
            bench.send(
                .epochs([
                    FeatureEpoch(
                        source: "position", start: Sample.after(minute), length: .seconds(60),
                        columns: ["dwell", "visit"],
                        values: [0, visit], coverage: 1)
                ]))
        }
        #expect(bench.decisions.map(\.due) == [Sample.after(4)], "where it was at first it did not arrive")
    }

    @Test func anotherRuleOfTheTaskWaitsForTheNextMoment() throws {
        var bench = try RuleBench(
            "[rule.p]\ntask = \"a\"\nat = [\"11:00\"]\nprobability = 0.95\n[rule.q]\ntask = \"a\"\nevent = \"button\"\nprobability = 0.95\n"
        )
        bench.pass(3600)
        #expect(bench.lines == ["11:00 treated"])
        bench.send(.marked("x"))
        #expect(bench.lines.last == "11:00 unavailable(other-rule)")
    }

    /// The second draw of `drawsAreThoseThatAnyoneCanMake`: a point is treated below its probability, and not at
    /// it.
    @Test(arguments: [(0.9393773691831055, DecisionRecord.Result.control), (0.9393773691831057, .treated)])
    func aDrawThatIsTheProbabilityItselfIsControl(probability: Double, result: DecisionRecord.Result) throws {
        var bench = try RuleBench("[rule.walk]\ntask = \"a\"\nevery = \"1h\"\nprobability = \(probability)\n")
        for _ in 0..<2 { bench.pass(3600) }
        #expect(bench.decisions.map(\.result) == [.treated, result])
        #expect(bench.decisions.last?.draw == 0.9393773691831055)
    }

    /// Of the time before the agent began the log knows when a prompt was given.
    @Test(arguments: [(3600, false), (3599, true)]) func aPromptOfARunBeforeIsRecentForItsTime(
        seconds: Int64, isRecent: Bool
    ) throws {
        var memory = RuleMemory()
        memory.lastPrompt = Sample.after(120) - .seconds(seconds)
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nat = [\"12:00\"]\navailable = [\"60m since prompt\"]\nprobability = 0.5\n",
            memory: memory, start: Sample.after(100))
        bench.pass(20 * 60)
        #expect(bench.decisions.map(\.reasons) == [isRecent ? ["recent-prompt"] : []])
    }

    /// Prompted at 10:10 by the old time, which is 11:10 by the new one.
    @Test(arguments: [("12:09", true), ("12:10", false), ("12:30", false)])
    func aStepBeforeTheClockIsDoubtedMovesAPromptOnce(
        at time: String, isRecent: Bool
    ) throws {
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nat = [\"\(time)\"]\navailable = [\"60m since prompt\"]\nprobability = 0.5\n")
        bench.pass(600)
        bench.send(.prompted)
        bench.pass(600)
        bench.now = Moment(instant: bench.now.instant + .seconds(3600), monotonic: bench.now.monotonic)
        bench.engine.handle(.clockJumped(by: .seconds(3600)), at: bench.now)
        bench.engine.handle(.clock(trusted: false), at: bench.now)
        bench.send(.clock(trusted: true))
        for _ in 0..<71 { bench.pass(60) }
        #expect(bench.decisions.map(\.reasons) == [isRecent ? ["recent-prompt"] : []])
    }

    /// Prompted at 10:10, and at 10:20 the clock is set an hour ahead: by the clock of now that was at 11:10. The log
    /// has the clock of then. The step comes before the study is entered again, or while the clock is not trusted then.
    @Test(arguments: [("12:09", true), ("12:10", false)], [false, true])
    func aStudyEnteredAgainKnowsTheLastPromptByTheClockOfNow(_ time: (at: String, isRecent: Bool), isLate: Bool) throws
    {
        let text =
            "[rule.r]\ntask = \"a\"\nat = [\"\(time.at)\"]\navailable = [\"60m since prompt\"]\nprobability = 0.5\n"
        var old = try RuleBench(text)
        old.pass(600)
        old.send(.prompted)
        var memory = RuleMemory()
        memory.lastPrompt = old.now.instant
        old.pass(600, set: isLate ? .zero : .seconds(3600))
        var bench = try RuleBench(text, memory: memory, start: old.now.instant, isTrusted: false)
        bench.engine.keepPrompt(of: old.engine)
        bench.now = Moment(
            instant: old.now.instant + (isLate ? .seconds(3600) : .zero), monotonic: old.now.monotonic)
        bench.send(.clock(trusted: true))
        for _ in 0..<60 { bench.pass(60) }
        #expect(bench.decisions.map(\.reasons) == [time.isRecent ? ["recent-prompt"] : []])
    }

    /// docs/rules.md: back by up to three hours, points up to the last decided, that of 15:00, are over.
    @Test(arguments: [(0, 16), (1, 12)]) func aClockThatGoesBackByMoreThanThreeHoursHasPointsAtOnce(
        seconds: Int64, next: Int
    ) throws {
        var bench = try RuleBench(Self.hourly)
        bench.pass(60, set: .seconds(5 * 3600))
        #expect(bench.decisions.map(\.local.time.hour) == [11, 12, 13, 14, 15])
        bench.pass(0, set: .seconds(-3 * 3600 - 60 - seconds))
        for _ in 0..<5 { bench.pass(3600) }
        #expect(bench.decisions.dropFirst(5).first?.local.time.hour == next)
    }

    /// Of a press it is no longer known when it was, where the clock is set before its epochs have come.
    @Test(
        arguments: [(0, ["10:01 unavailable(coverage)"]), (60, []), (-60, []), (3600, [])] as [(Int64, [String])])
    func aPressThatWaitsIsNoPointOnceTheClockIsSet(set: Int64, lines: [String]) throws {
        var bench = try RuleBench(
            RuleSample.move
                + "[rule.r]\ntask = \"a\"\nevent = \"button\"\nprobability = [{ when = \"move < 3\", p = 0.6 }, { p = 0.3 }]\n"
        )
        bench.pass(60)
        bench.send(.marked("x"))
        #expect(bench.lines.isEmpty)
        bench.pass(10, set: .seconds(set))
        for _ in 0..<5 { bench.pass(30) }
        #expect(bench.lines == lines)
    }
}
