// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct ReactionTests {
    typealias Player = ActiveTaskPlayTests.Player

    static let short = ReactionTerms(
        minimumStimulusInterval: .seconds(1), maximumStimulusInterval: .seconds(2), timeout: .seconds(1),
        numberOfAttempts: 5)
    static let both: [ActiveTask] = [ActiveTask(ReactionTimeRules(short)), ActiveTask(GoNoGoRules(short))]

    static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    struct Missing: Error {}

    // MARK: - Against the app

    /// One attempt that BiAffect's app recorded on an iPhone 7 Plus (BiAffectSDK f78dd2f6,
    /// `json/examples/GoNoGo-archive/gonogo.json`).
    struct Recorded: Sendable {
        let timestamp, resetTimestamp, timeToThreshold, stimulusDelay: Double
        let go, incorrect: Bool

        init(_ row: (Double, Double, Double, Double, Bool, Bool)) {
            (timestamp, resetTimestamp, timeToThreshold, stimulusDelay, go, incorrect) = row
        }
    }

    private static let rows: [(Double, Double, Double, Double, Bool, Bool)] = [
        (0, 1350726.8752107085, 0, 8.58720782118162, true, true),
        (1350742.29744425, 1350737.8410572917, 0, 4.172631607945672, false, true),
        (1350751.9436065, 1350746.0176870418, 0, 5.443162699413586, true, true),
        (1350762.841021125, 1350757.8410373335, 0.6385221667587757, 4.944242824988014, true, false),
        (1350772.8409895, 1350766.5979070417, 0.7152269999496639, 5.746838651211927, true, false),
        (1350785.9703425418, 1350776.5898607501, 0, 8.568998311566126, false, false),
        (1350801.6901359167, 1350791.7380714167, 0.8302564583718777, 9.048451385414719, true, false),
        (1350810.2024440418, 1350805.3068000001, 1.0082453333307058, 4.500385656872767, true, false),
        (1350822.719218625, 1350813.905729375, 1.0296294167637825, 8.04839674265979, true, false),
        (1350833.72172275, 1350826.3198810418, 1.168842124985531, 6.734072162587852, true, false),
        (1350844.9396905417, 1350837.6087620417, 0, 6.668328464892278, false, false),
        (1350857.8413502085, 1350850.823334625, 0.4680039582308382, 6.832740794511323, true, false),
    ]
    static let recorded = rows.map(Recorded.init)

    /// The same lights and presses give the same result, field by field, and the task is over when
    /// it was over there.
    @Test func aRunOfTheAppIsRecordedTheSame() throws {
        var test = ReactionTest(
            ReactionTerms(maxTotalAttempts: 18), hasNoGo: true, generator: SplitMix64(seed: 1))
        for attempt in Self.recorded {
            #expect(!test.isOver)
            let began = Self.at(attempt.resetTimestamp)
            test.begin(at: began, go: attempt.go, delay: .milliseconds(Int64(attempt.stimulusDelay * 1_000)))
            try Self.perform(attempt, in: &test, from: began)
        }
        #expect(test.isOver)
        for (ours, theirs) in zip(test.attempts, Self.recorded) {
            let fields = Dictionary(uniqueKeysWithValues: ours.published.map { ($0.key, $0.value) })
            #expect(Self.number(fields["timestamp"], theirs.timestamp))
            #expect(Self.number(fields["resetTimestamp"], theirs.resetTimestamp))
            #expect(Self.number(fields["timeToThreshold"], theirs.timeToThreshold))
            #expect(fields["go"] == .boolean(theirs.go) && fields["incorrect"] == .boolean(theirs.incorrect))
        }
        #expect(test.attempts.map(\.outcome).prefix(4) == [.falseStart, .falseAlarm, .timeout, .reacted])
    }

    /// Pressed as the app saw it shaken; when it was shaken at the wrong light the
    /// app does not say.
    private static func perform(
        _ attempt: Recorded, in test: inout ReactionTest, from began: MonotonicTime
    ) throws {
        guard attempt.timestamp > 0 else {
            #expect(test.press(at: began + .seconds(1)) == .falseStart)
            return
        }
        guard case .light(let mark)? = test.tick(at: at(attempt.timestamp)), test.isGo == attempt.go else {
            throw Missing()
        }
        let light = at(attempt.timestamp)
        _ = test.shown(ShownLight(mark: mark, began: light, ended: light))
        if attempt.timeToThreshold > 0 {
            #expect(test.press(at: light + .nanoseconds(Int64(attempt.timeToThreshold * 1e9))) == .reacted)
        } else if !attempt.go && attempt.incorrect {
            #expect(test.press(at: light + .milliseconds(400)) == .falseAlarm)
        } else {
            let end = try #require(test.wake)
            guard case .late? = test.tick(at: end) else { throw Missing() }
            #expect(test.attempts.last?.outcome == (attempt.go ? .timeout : .withheld))
        }
    }

    private static func number(_ found: JSONText?, _ expected: Double) -> Bool {
        found?.double.map { abs($0 - expected) < 2e-6 } ?? false
    }

    // MARK: - What is drawn

    /// `calculateNextGo` of BiAffect and `getNextTestType` of ResearchKit: never three no-gos in a
    /// row, one at least, two in three are go.
    @Test func lightsAreDrawnAsTheAppsDo() throws {
        var gos: [Bool] = []
        for seed in 1...300 {
            var test = ReactionTest(ReactionTerms(), hasNoGo: true, generator: SplitMix64(seed: UInt64(seed)))
            var now = MonotonicTime.zero
            while !test.isOver {
                test.begin(at: now)
                let due = try #require(test.wake)
                #expect((4.0...10.0).contains((due - now).seconds))
                guard case .light(let mark)? = test.tick(at: due) else { throw Missing() }
                let isGo = test.isGo
                _ = test.shown(ShownLight(mark: mark, began: due, ended: due))
                let end = try #require(test.wake)
                if isGo { _ = test.press(at: due + .milliseconds(300)) } else { _ = test.tick(at: end) }
                now = try #require(test.wake)
                #expect(test.tick(at: now) == .next)
            }
            let drawn = test.attempts.map(\.go)
            #expect(drawn.count == 9 && drawn.contains(false))
            #expect(!zip(drawn, zip(drawn.dropFirst(), drawn.dropFirst(2))).contains { !$0.0 && !$0.1.0 && !$0.1.1 })
            gos += drawn
        }
        let share = Double(gos.count { $0 }) / Double(gos.count)
        // Above 0.667, because a third no-go in a row is a go.
        #expect((0.66...0.73).contains(share), "\(share)")
    }

    // MARK: - One clock

    @Test func aPressToldBeforeItsLightIsJudgedByItsTime() throws {
        for (press, outcome) in [(1, ReactionAttempt.Outcome.falseStart), (9, .reacted)] {
            var test = ReactionTest(Self.short, hasNoGo: false, generator: SplitMix64(seed: 1))
            test.begin(at: .zero)
            let due = try #require(test.wake)
            _ = test.tick(at: due)
            #expect(test.press(at: due + .milliseconds(press)) == nil)
            // The light took from 3 to 7 ms after it was due.
            let light = ShownLight(mark: 1, began: due + .milliseconds(3), ended: due + .milliseconds(7))
            #expect(test.shown(light) == outcome)
            let attempt = test.attempts[0]
            #expect(attempt.response == (outcome == .reacted ? .milliseconds(4) : nil))
            #expect(attempt.uncertainty == (outcome == .reacted ? .milliseconds(2) : .zero))
        }
    }

    @Test func aLightThatDoesNotGoOnIsNoAttempt() throws {
        var player = Player(Self.both[0], on: .reference)
        player.lightsRefuse = true
        player.press(0)
        player.advance(to: player.now + .seconds(20))
        #expect(player.lights == 3 && player.cues.last == .fault(VigilancePhrases.dark))
        player.lightsRefuse = false
        player.perform(.perfect)
        let record = try #require(player.performance?.record as? ReactionTimeRecord)
        #expect(record.attempts.count == 5 && record.void == 3)
    }

    // MARK: - On the panel

    @Test(arguments: ActiveTaskPlayTests.panels, both)
    func whoReactsEveryTimeIsDoneAfterTheAttempts(_ panel: Panel, _ task: ActiveTask) throws {
        var player = Player(task, on: panel)
        player.perform(.perfect)
        let attempts = try Self.attempts(player)
        #expect(attempts.count == 5 && attempts.allSatisfy(\.succeeded))
        #expect(attempts.filter(\.go).allSatisfy { $0.response == .milliseconds(250) })
        #expect(attempts.contains { !$0.go } == (task.name == "gonogo"))
        #expect(player.record?.end == .submitted)
    }

    @Test(arguments: [PerformanceStrategy.fail, .random], both)
    func mistakesAreRepeated(_ strategy: PerformanceStrategy, _ task: ActiveTask) throws {
        for seed in 1...20 {
            var player = Player(task, on: PanelFixtures.two)
            player.generator = SplitMix64(seed: UInt64(seed))
            player.perform(strategy)
            #expect(try Self.attempts(player).count { $0.succeeded } == 5)
        }
        if strategy == .fail {
            var player = Player(task, on: PanelFixtures.two)
            player.perform(.fail)
            #expect(player.cues.contains(.tooEarly) || player.cues.contains(.lost))
        }
    }

    @Test func afterTooManyAttemptsItEndsAnyway() throws {
        var terms = Self.short
        terms.maxTotalAttempts = 6
        var player = Player(ActiveTask(GoNoGoRules(terms)), on: .reference)
        player.perform(.fail)
        let attempts = try Self.attempts(player)
        #expect(attempts.count == 6 && attempts.count { $0.succeeded } < 5)
    }

    @Test func theMenuThrowsTheAttemptAwayAndAPressGoesOn() throws {
        var player = Player(Self.both[0], on: .reference)
        player.press(0)
        player.advance(to: player.now + .seconds(30))
        player.press(.menu)
        #expect(player.run.takesMenu)
        player.press(.undo)
        #expect(player.cues.last == .menuItem(1, GamePhrases.pressToGoOn))
        player.perform(.perfect)
        #expect(try Self.attempts(player).count { $0.succeeded } == 5)
    }

    /// The middle button opens the menu at 2.5 s, and at 6 s nothing; the attempt would be the last one.
    @Test(arguments: [(2_499, true), (2_500, false), (6_000, false)], [false, true])
    func aPressThatBecomesTheHoldForTheMenuIsNoAttempt(_ press: (held: Int, counts: Bool), isEarly: Bool) throws {
        var terms = Self.short
        (terms.numberOfAttempts, terms.maxTotalAttempts) = (1, 1)
        let task = isEarly ? ActiveTask(GoNoGoRules(terms)) : ActiveTask(ReactionTimeRules(terms))
        var player = Player(task, on: .reference)
        player.press(0)
        if !isEarly { VigilanceStepTests.waitForLight(&player) }
        player.advance(to: player.now + .milliseconds(250))
        player.press(1, hold: .milliseconds(press.held))
        #expect(player.run.takesMenu == (press.held == 2_500))
        player.advance(to: player.now + .seconds(20))
        #expect((player.performance != nil) == press.counts)
        if player.run.takesMenu { player.press(.undo) }
        if !press.counts { player.perform(.perfect) }
        let attempts = try Self.attempts(player)
        #expect(attempts.map(\.outcome) == [isEarly ? press.counts ? .falseStart : .withheld : .reacted])
        #expect(isEarly || attempts.first?.response == .milliseconds(250))
        #expect(isEarly || (player.performance?.record as? ReactionTimeRecord)?.void == (press.counts ? 0 : 1))
    }

    /// Held for the menu, the button that begins has begun the test, and a light goes on and off meanwhile.
    @Test func theHoldForTheMenuOnTheInstructionsLeavesNoAttempt() throws {
        var terms = Self.short
        (terms.minimumStimulusInterval, terms.maximumStimulusInterval) = (.milliseconds(200), .milliseconds(300))
        var player = Player(ActiveTask(ReactionTimeRules(terms)), on: .reference)
        player.press(1, hold: .seconds(4))
        #expect(player.lights == 1 && player.cues.contains(.tooLate) && player.run.takesMenu)
        player.press(.undo)
        player.perform(.perfect)
        let record = try #require(player.performance?.record as? ReactionTimeRecord)
        #expect(record.attempts.count == 5 && record.void == 1)
    }

    @Test func leftOutByTheMenuThereIsNoResult() {
        var player = Player(Self.both[1], on: .reference)
        player.press(0)
        player.leaveOutByMenu()
        #expect(player.performance == nil && !player.run.takesMenu)
    }

    /// Whoever wants no more of it sees no light more, not even one that was due.
    @Test(arguments: [false, true]) func givenUpItShowsNothingMore(isTesting: Bool) throws {
        var step: any QuestionMachine = GoNoGoRules(Self.short).step(
            in: QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: "r"))
        _ = step.begin()
        if isTesting {
            let press = ButtonEvent(button: 0, isPressed: true, time: .zero)
            #expect(!step.handle(.edge(press)).isEmpty)
        }
        let due = try #require(step.wake)
        #expect(step.isUnderWay)
        #expect(step.handle(.gaveUp).isEmpty)
        #expect(step.wake == nil && !step.isUnderWay)
        #expect(step.handle(.tick(due)).isEmpty)
    }

    @Test func theLightsAreShownBeforehandInTurn() {
        var player = Player(Self.both[1], on: .reference)
        player.advance(to: player.now + .seconds(14))
        let signs = player.cues.compactMap { if case .stimulus(nil, _, let sign) = $0 { sign } else { nil } }
        #expect(signs == [.go, .noGo])
        #expect(player.cues.contains(.say(ReactionPhrases.doNotPress)))
    }

    // MARK: - What is seen

    @Test(arguments: ActiveTaskPlayTests.panels) func theTwoLightsCanBeToldApart(_ panel: Panel) {
        let lights = [StimulusSign.go, .noGo].map {
            Signals(panel).plan(.stimulus(7, lasting: .seconds(3), $0)).steps
        }
        #expect(lights[0] != lights[1] && lights.allSatisfy { $0.first?.mark == 7 })
        // The flicker ends with the last whole pulse.
        #expect(lights.allSatisfy { (2.9...3.0).contains($0.reduce(.zero) { $0 + $1.duration }.seconds) })
        #expect(lights.allSatisfy { $0.dropFirst().allSatisfy { $0.mark == nil } })
    }

    @Test func aBoardWithoutLightIsRefused() throws {
        let panel = try Panel(buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [], buzzer: .fixed)
        for task in Self.both {
            let step = Step(key: "q", text: "", format: .active(task))
            #expect(PanelSupport(step, on: panel).isRefused && !PanelSupport(step, on: .reference).isRefused)
        }
    }

    @Test(arguments: [
        (ReactionTerms(minimumStimulusInterval: .zero), "minimumStimulusInterval"),
        (ReactionTerms(maximumStimulusInterval: .seconds(1)), "less than"),
        (ReactionTerms(timeout: .zero), "timeout"), (ReactionTerms(numberOfAttempts: 0), "numberOfAttempts"),
        (ReactionTerms(maxTotalAttempts: 0), "maxTotalAttempts"),
    ])
    func whatCannotBePlayedIsRefused(_ terms: ReactionTerms, _ words: String) {
        #expect(ActiveTask(ReactionTimeRules(terms)).problems.contains { $0.contains(words) })
    }

    private static func attempts(_ player: Player) throws -> [ReactionAttempt] {
        switch player.performance?.record {
        case let record as ReactionTimeRecord: record.attempts
        case let record as GoNoGoRecord: record.attempts
        default: throw Missing()
        }
    }

    /// What the menu was opened over is thrown away, and counted as such.
    @Test func anAttemptUnderTheMenuIsNone() throws {
        var terms = Self.short
        terms.numberOfAttempts = 1
        var step: any QuestionMachine = ReactionTimeRules(terms).step(
            in: QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: "r"))
        _ = step.begin()
        for second in [1.0, 2] {
            _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: Self.at(second))))
            _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: false, time: Self.at(second + 0.1))))
            if second == 1 { _ = step.handle(.interrupted) }
            #expect(step.isUnderWay == (second == 2))
        }
        let light = try #require(step.wake)
        for case .say(.stimulus(let mark?, _, _)) in step.handle(.tick(light)) {
            _ = step.handle(.device(.shown(ShownLight(mark: mark, began: light, ended: light))))
        }
        _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: light + .milliseconds(250))))
        let effects = step.handle(.tick(try #require(step.wake)))
        guard case .answered(.performance(let performance))? = effects.last else { throw Missing() }
        let record = try #require(performance.record as? ReactionTimeRecord)
        #expect(record.attempts.map(\.outcome) == [.reacted] && record.void == 1)
        #expect(step.wake == nil && !step.isUnderWay)
    }
}
