// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Study

struct VigilanceTests {
    static let rules = VigilanceRules(
        trials: 3, minimumWaiting: .seconds(2), maximumWaiting: .seconds(6), maximumReaction: .seconds(1),
        showsResults: false, allowsLeaving: true)

    static func at(_ milliseconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000) }

    /// A test with its light number `n` on, at its exact time.
    struct Lit {
        var test: Vigilance
        let light: MonotonicTime

        init(_ rules: VigilanceRules = VigilanceTests.rules, began: MonotonicTime = at(0), seed: UInt64 = 1) throws {
            test = Vigilance(rules, generator: SplitMix64(seed: seed))
            test.begin(at: began)
            let due = try #require(test.wake)
            guard case .light(let mark)? = test.tick(at: due) else { throw Missing() }
            light = due
            #expect(test.shown(ShownLight(mark: mark, began: due, ended: due)) == nil)
        }
    }

    struct Missing: Error {}

    // MARK: - Against the app

    /// One play of the page of momenTUM's app.
    struct Play: Sendable, CustomTestStringConvertible {
        /// Milliseconds: a press before the light, since the trial's beginning; a press since the
        /// light; leaving, since the beginning; one more press, since that of the trial or the end
        /// of its time. The app's wait (`w`) is not taken: nothing that it records depends on it.
        struct Trial: Sendable { var early: Int?, press: Int?, leave: Int?, extra: Int? }
        var rules = VigilanceTests.rules
        var script: [Trial] = []
        var times = ""
        let testDescription: String

        init?(_ line: String) {
            testDescription = line
            let parts = line.components(separatedBy: " | ")
            let numbers = parts[0].split(separator: " ").compactMap { Int($0) }
            guard parts.count == 3, numbers.count == 4 else { return nil }
            rules = VigilanceRules(
                trials: numbers[0], minimumWaiting: .milliseconds(numbers[1]),
                maximumWaiting: .milliseconds(numbers[2]), maximumReaction: .milliseconds(numbers[3]),
                showsResults: false, allowsLeaving: true)
            script = parts[1].split(separator: " ").map { word in
                var trial = Trial()
                for match in String(word).matches(of: /([erqx])(\d+)/) {
                    let value = Int(match.2) ?? 0
                    switch match.1 {
                    case "e": trial.early = value
                    case "r": trial.press = value
                    case "q": trial.leave = value
                    default: trial.extra = value
                    }
                }
                return trial
            }
            times = parts[2].replacingOccurrences(of: "{\"reaction_times\":\"", with: "").replacingOccurrences(
                of: "\"}", with: "")
        }
    }

    /// 600 plays of the app's own code (momenTUM-app e14a806, `src/app/pages/pvt/pvt.page.ts`,
    /// compiled unchanged and run under node 20 with a clock and random numbers of the harness,
    /// where `setTimeout(…, 0)` takes 4 ms as in browsers). The app looks every 4 ms whether the
    /// screen was touched, so its times are up to 4 ms below the press.
    static let plays: [Play] = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Recordings/momentum-pvt.txt"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Play(String($0)) }
    }()

    @Test func thePlaysOfTheAppAreThere() { #expect(Self.plays.count == 600) }

    @Test(arguments: plays) func theAppRecordsTheSame(_ play: Play) throws {
        var test = Vigilance(play.rules, generator: SplitMix64(seed: 0))
        var start = Self.at(1_000)
        for trial in play.script {
            #expect(!test.isOver)
            test.begin(at: start)
            if trial.leave != nil { break }
            start = try Self.perform(trial, of: play.rules, in: &test, from: start)
        }
        let ours = test.record(isLeft: !test.isOver).trials.map(\.value)
        let theirs = play.times.split(separator: ",").compactMap { Int($0) }
        #expect(ours.count == theirs.count)
        for (our, their) in zip(ours, theirs) {
            #expect(their < 0 ? our == their : (their...their + 4).contains(our), "\(ours) \(theirs)")
        }
        #expect(test.isOver != play.script.contains { $0.leave != nil })
    }

    /// The light goes on after our own random wait.
    private static func perform(
        _ trial: Play.Trial, of rules: VigilanceRules, in test: inout Vigilance, from start: MonotonicTime
    ) throws -> MonotonicTime {
        var last = start
        if let early = trial.early {
            last = start + .milliseconds(early)
            #expect(test.press(at: last) == .tooEarly)
        } else {
            let light = try #require(test.wake)
            guard case .light(let mark)? = test.tick(at: light) else { throw Missing() }
            _ = test.shown(ShownLight(mark: mark, began: light, ended: light))
            if let press = trial.press {
                last = light + .milliseconds(press)
                _ = test.press(at: last)
            } else {
                last = light + rules.maximumReaction
                let due = try #require(test.wake)
                #expect(due == last + TimedStimulus.delivery)
                guard case .late? = test.tick(at: due) else { throw Missing() }
            }
        }
        if let extra = trial.extra { #expect(test.press(at: last + .milliseconds(extra)) == nil) }
        let end = try #require(test.wake)
        #expect(test.tick(at: end) == .next)
        return end
    }

    // MARK: - One clock

    @Test func theReactionIsFromTheLightThatWasSwitchedToTheEdge() throws {
        var test = Vigilance(Self.rules, generator: SplitMix64(seed: 1))
        test.begin(at: Self.at(0))
        let due = try #require(test.wake)
        _ = test.tick(at: due)
        // The light took from 3 to 5 ms after it was due.
        let light = ShownLight(mark: 1, began: due + .milliseconds(3), ended: due + .milliseconds(5))
        #expect(test.shown(light) == nil)
        #expect(test.press(at: due + .milliseconds(254) + .microseconds(900)) == .reacted(250))
        let trial = test.trials[0]
        #expect(trial.reaction == .microseconds(250_900) && trial.uncertainty == .milliseconds(1))
        #expect(trial.waited == (due + .milliseconds(4)) - Self.at(0))
    }

    /// Edges and lights come by different ways to the loop, in either order.
    @Test func aPressToldBeforeItsLightIsJudgedByItsTime() throws {
        for (press, verdict) in [(1, Vigilance.Verdict.tooEarly), (9, .reacted(4))] {
            var test = Vigilance(Self.rules, generator: SplitMix64(seed: 1))
            test.begin(at: Self.at(0))
            let due = try #require(test.wake)
            _ = test.tick(at: due)
            #expect(test.press(at: due + .milliseconds(press)) == nil)
            let switched = due + .milliseconds(5)
            #expect(test.shown(ShownLight(mark: 1, began: switched, ended: switched)) == verdict)
        }
    }

    @Test func aPressInTimeCountsThoughItIsToldLate() throws {
        var lit = try Lit()
        #expect(lit.test.tick(at: lit.light + .milliseconds(1_049)) == nil)
        #expect(lit.test.press(at: lit.light + .milliseconds(1_000)) == .reacted(1_000))
        lit = try Lit()
        #expect(lit.test.press(at: lit.light + .milliseconds(1_001)) == .tooLate)
    }

    @Test func aLightThatDoesNotGoOnIsNoTrial() throws {
        for refuses in [true, false] {
            var test = Vigilance(Self.rules, generator: SplitMix64(seed: 1))
            test.begin(at: Self.at(0))
            let due = try #require(test.wake)
            _ = test.tick(at: due)
            if refuses { _ = test.shown(ShownLight(mark: 1, began: due, ended: due, isLit: false)) }
            let end = try #require(test.wake)
            #expect(end == (refuses ? due : due + .seconds(1)))
            #expect(test.tick(at: end) == .dark)
            #expect(test.record(isLeft: false) == VigilanceRecord(trials: [], void: 1, isLeft: false))
        }
    }

    @Test func waitingTimesFillTheirRangeEvenly() {
        var test = Vigilance(Self.rules, generator: SplitMix64(seed: 3))
        let waits = (0..<4_000).map { _ in
            test.begin(at: Self.at(0))
            return test.wake!.nanoseconds
        }
        #expect(waits.min()! >= 2_000_000_000 && waits.max()! < 6_000_000_000)
        let mean = Double(waits.reduce(0, +)) / 4_000 / 1e9
        // The standard error of the mean is 4 s / √12 / √4000 = 18 ms.
        #expect(abs(mean - 4) < 0.08)
    }

    // MARK: - Parameters

    @Test(arguments: [
        (0, 2, 6, 1_000, false, "trials"), (3, 7, 6, 1_000, false, "shortest waiting"),
        (3, 2, 700_000, 1_000, false, "ten minutes"), (3, 2, 6, 0, true, "two minutes"),
        (3, 2, 6, 5, false, "would never end"),
    ])
    func whatCannotBePlayedIsRefused(
        _ trials: Int, _ low: Int, _ high: Int, _ most: Int, _ mayLeave: Bool, _ words: String
    ) {
        let rules = VigilanceRules(
            trials: trials, minimumWaiting: .milliseconds(low), maximumWaiting: .milliseconds(high),
            maximumReaction: .milliseconds(most), showsResults: true, allowsLeaving: mayLeave)
        #expect(ActiveTask(rules).problems.contains { $0.contains(words) })
    }

    /// Milliseconds, as momenTUM's modules have them.
    @Test(
        arguments: [
            (1, 0, 0, 1, []), (1_000, 0, 600_000, 120_000, []), (1, 600_000, 600_000, 1, []),
            (0, 0, 0, 1, ["trials"]), (1_001, 0, 0, 1, ["trials"]), (1, -1, 0, 1, ["shortest waiting"]),
            (1, 1, 0, 1, ["shortest waiting"]), (1, 0, 600_001, 1, ["ten minutes"]),
            (1, 0, 0, 0, ["two minutes"]), (1, 0, 0, 120_001, ["two minutes"]),
            (0, 600_001, 600_001, -1, ["trials", "ten minutes", "two minutes"]),
        ] as [(Int, Int, Int, Int, [String])])
    func aTestHasLimits(_ trials: Int, _ low: Int, _ high: Int, _ most: Int, _ refused: [String]) {
        let rules = VigilanceRules(
            trials: trials, minimumWaiting: .milliseconds(low), maximumWaiting: .milliseconds(high),
            maximumReaction: .milliseconds(most), showsResults: true, allowsLeaving: true)
        #expect(rules.problems.count == refused.count)
        for (problem, words) in zip(rules.problems, refused) { #expect(problem.contains(words)) }
    }

    /// A reaction takes a tenth of a second at least: a test that counts none never ends.
    @Test(arguments: [(99, false, true), (99, true, false), (100, false, false), (101, false, false)])
    func aTestThatNoReactionEndsMustBeLeft(_ most: Int, _ mayLeave: Bool, _ isRefused: Bool) {
        let rules = VigilanceRules(
            trials: 3, minimumWaiting: .seconds(2), maximumWaiting: .seconds(6), maximumReaction: .milliseconds(most),
            showsResults: true, allowsLeaving: mayLeave)
        #expect(rules.isEndless == (most < 100) && rules.problems.isEmpty != isRefused)
    }

    @Test func aBoardWithoutLightIsRefused() throws {
        let panel = try Panel(buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [], buzzer: .fixed)
        let step = Step(key: "q", text: "", format: .active(ActiveTask(Self.rules)))
        #expect(PanelSupport(step, on: panel).isRefused)
        #expect(!PanelSupport(step, on: .reference).isRefused)
    }

    /// -2 and -1 stand for a press too early and for none in time; a press at the light itself is a reaction.
    @Test func reactionsAreThePressesInTime() {
        let trials = [-2, 0, -1, 312].map {
            VigilanceRecord.Trial(value: $0, waited: .zero, reaction: nil, uncertainty: .zero)
        }
        let record = VigilanceRecord(trials: trials, void: 0, isLeft: false)
        #expect(record.reactions == [0, 312] && record.text == "-2,0,-1,312")
    }
}

/// The test on the panel: edges, gestures, menu.
struct VigilanceStepTests {
    typealias Player = ActiveTaskPlayTests.Player

    static func task(trials: Int = 3, shows: Bool = false, leaves: Bool = false) -> ActiveTask {
        ActiveTask(
            VigilanceRules(
                trials: trials, minimumWaiting: .seconds(2), maximumWaiting: .seconds(4),
                maximumReaction: .seconds(1), showsResults: shows, allowsLeaving: leaves))
    }

    static func record(_ player: Player) throws -> VigilanceRecord {
        guard let record = player.performance?.record as? VigilanceRecord else { throw VigilanceTests.Missing() }
        return record
    }

    /// Lets time pass until the light of a trial is on.
    static func waitForLight(_ player: inout Player) {
        let seen = player.lights
        for _ in 0..<100 where player.lights == seen { player.run.wake.map { player.advance(to: $0) } }
    }

    @Test(arguments: ActiveTaskPlayTests.panels, [false, true])
    func whoReactsEveryTimeIsDoneAfterTheTrials(_ panel: Panel, _ shows: Bool) throws {
        var player = Player(Self.task(trials: 4, shows: shows), on: panel)
        player.perform(.perfect)
        let record = try Self.record(player)
        #expect(record.text == "250,250,250,250" && !record.isLeft && record.void == 0)
        #expect(player.record?.end == .submitted)
        #expect(player.cues.filter { [.position("3"), .position("2"), .position("1")].contains($0) }.count == 3)
        #expect(player.cues.contains(.value("250")) == shows)
    }

    @Test(arguments: ActiveTaskPlayTests.panels) func tooEarlyIsRepeated(_ panel: Panel) throws {
        var player = Player(Self.task(trials: 2), on: panel)
        player.perform(.fail)
        #expect(try Self.record(player).text == "-2,800,-2,800")
    }

    @Test(arguments: ActiveTaskPlayTests.panels) func whateverIsPressedItEnds(_ panel: Panel) throws {
        for seed in 1...20 {
            var player = Player(Self.task(trials: 5), on: panel)
            player.generator = SplitMix64(seed: UInt64(seed))
            player.perform(.random)
            #expect(try Self.record(player).reactions.count == 5)
        }
    }

    @Test func aButtonHeldSinceBeforeTheLightIsNoReaction() throws {
        var player = Player(Self.task(trials: 1), on: PanelFixtures.five)
        player.advance(to: player.now + .seconds(1))
        // Held from the result of nothing on: pressed in the countdown, where presses mean nothing.
        player.press(3)
        player.advance(to: player.now + .milliseconds(500))
        player.handle(player.run.handle(.edge(.init(button: 5, isPressed: true, time: player.now)), at: player.now))
        Self.waitForLight(&player)
        player.advance(to: player.now + .milliseconds(300))
        #expect(player.lights == 1)
        player.handle(player.run.handle(.edge(.init(button: 5, isPressed: false, time: player.now)), at: player.now))
        // The contact bounces on being let go: no finger presses again within milliseconds.
        let bounce = player.now + .milliseconds(8)
        player.handle(player.run.handle(.edge(.init(button: 5, isPressed: true, time: bounce)), at: bounce))
        player.handle(player.run.handle(.edge(.init(button: 5, isPressed: false, time: bounce)), at: bounce))
        player.advance(to: player.now + .milliseconds(100))
        player.handle(player.run.handle(.edge(.init(button: 5, isPressed: true, time: player.now)), at: player.now))
        player.advance(to: player.now + .seconds(30))
        #expect(try Self.record(player).text == "400")
    }

    @Test func theMenuThrowsTheTrialAwayAndAPressGoesOn() throws {
        var player = Player(Self.task(trials: 1), on: .reference)
        player.press(0)
        Self.waitForLight(&player)
        // The long hold that opens the menu begins while the result is shown, which stays.
        player.advance(to: player.now + .milliseconds(1_200))
        player.advance(to: player.now + .milliseconds(900))
        let hold = try #require(PressFinder(.reference).edges(Press(.menu), at: player.now))
        player.press(hold[0].button, hold: hold[1].time - hold[0].time)
        #expect(player.run.takesMenu)
        player.press(.undo)
        #expect(player.cues.last == .menuItem(1, GamePhrases.pressToGoOn))
        player.perform(.perfect)
        let record = try Self.record(player)
        #expect(record.trials.first?.value == -1 && record.reactions == [250])
    }

    /// The middle button opens the menu at 2.5 s, and at 6 s nothing: a press that becomes such a hold is no
    /// reaction, though it is that of the last trial.
    @Test(arguments: [(120, true), (2_000, true), (2_499, true), (2_500, false), (5_999, false), (6_000, false)])
    func aReactionThatBecomesTheHoldForTheMenuIsNone(held: Int, counts: Bool) throws {
        var player = Player(Self.task(trials: 1), on: .reference)
        player.press(0)
        Self.waitForLight(&player)
        player.advance(to: player.now + .milliseconds(300))
        player.press(1, hold: .milliseconds(held))
        #expect(player.run.takesMenu == (!counts && held < 6_000))
        if player.run.takesMenu { player.press(.undo) }
        #expect((player.cues.last == .menuItem(1, GamePhrases.pressToGoOn)) != counts)
        if counts { player.advance(to: player.now + .seconds(30)) } else { player.perform(.perfect) }
        let record = try Self.record(player)
        #expect(record.text == (counts ? "300" : "250") && record.void == (counts ? 0 : 1))
    }

    /// Before the light and on it.
    @Test(arguments: [PanelFixtures.one, PanelFixtures.two, .reference], [false, true])
    func theHoldForTheMenuLeavesNoTrial(_ panel: Panel, isLit: Bool) throws {
        var player = Player(Self.task(trials: 1, leaves: true), on: panel)
        player.press(0)
        if isLit { Self.waitForLight(&player) }
        player.advance(to: isLit ? player.now + .milliseconds(300) : .zero + .milliseconds(4_000))
        player.leaveOutByMenu()
        player.advance(to: player.now + .seconds(30))
        let record = try Self.record(player)
        #expect(record.trials.isEmpty && record.isLeft && record.void == 1)
    }

    /// A finger that trembles does not let go: slow hands hold for 6.25 s, and gaps under 0.3 s are none.
    @Test(arguments: [(299, true), (300, false)]) func aHoldThatTremblesIsOne(gap: Int, isHold: Bool) throws {
        var panel = Panel.reference
        panel.holdTimes = .slow
        var player = Player(Self.task(trials: 1), on: panel)
        player.press(0)
        Self.waitForLight(&player)
        player.advance(to: player.now + .milliseconds(300))
        player.press(1, hold: .seconds(5))
        player.advance(to: player.now + .milliseconds(gap))
        player.press(1, hold: .milliseconds(1_500))
        player.advance(to: player.now + .milliseconds(400))
        #expect(player.run.takesMenu == isHold)
        if isHold {
            player.press(.undo)
            player.perform(.perfect)
        } else {
            player.advance(to: player.now + .seconds(60))
        }
        let record = try Self.record(player)
        #expect(record.text == (isHold ? "250" : "300") && record.void == (isHold ? 1 : 0))
    }

    @Test func leavingKeepsWhatWasMeasuredOnlyWhereTheStudyAllowsIt() throws {
        for leaves in [true, false] {
            var player = Player(Self.task(trials: 9, leaves: leaves), on: .reference)
            player.press(0)
            Self.waitForLight(&player)
            player.advance(to: player.now + .milliseconds(300))
            player.press(2)
            player.advance(to: player.now + .seconds(1))
            player.leaveOutByMenu()
            player.advance(to: player.now + .seconds(20))
            if leaves {
                #expect(try Self.record(player).text == "300" && Self.record(player).isLeft)
            } else {
                #expect(player.record == nil && player.cues.contains(.required))
            }
        }
    }

    @Test func nobodyThereIsNotRecordedForEver() throws {
        for leaves in [true, false] {
            var player = Player(Self.task(trials: 9, leaves: leaves), on: .reference)
            player.press(0)
            player.advance(to: player.now + .seconds(3_600))
            #expect(player.record?.end == (leaves ? .submitted : .interrupted))
            // Five minutes of trials, each of 2 to 4 s, 1 s of light and 2 s of result.
            if leaves { #expect((40...62).contains(try Self.record(player).trials.count)) }
        }
    }

    @Test func whoNeverBeginsLeavesNothing() {
        var player = Player(Self.task(leaves: true), on: .reference)
        player.advance(to: player.now + .seconds(3_600))
        #expect(player.record?.end == .interrupted)
        #expect(player.cues.contains(.stimulus(nil, lasting: .milliseconds(300))))
        #expect(player.cues.contains(.reminder))
    }

    /// Two seconds longer than the longest wait of the test, and four seconds at least; for five minutes.
    @Test(arguments: [(1, 4), (2, 4), (3, 5), (10, 12)])
    func theExampleComesAgainUntilTheParticipantMustHaveLeft(longestWait: Int, pause: Int) throws {
        let rules = VigilanceRules(
            trials: 3, minimumWaiting: .seconds(1), maximumWaiting: .seconds(longestWait), maximumReaction: .seconds(1),
            showsResults: false, allowsLeaving: true)
        var step = VigilanceStep(
            rules, in: QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: "r"))
        let example: [QuestionEffect] = [.say(.stimulus(nil, lasting: .milliseconds(300)))]
        let first = try #require(step.wake)
        #expect(step.handle(.tick(first - .nanoseconds(1))).isEmpty)
        #expect(step.handle(.tick(first)) == example)
        #expect(step.wake == first + .seconds(pause))
        let end = MonotonicTime.zero + .seconds(300)
        for (time, isLast) in [(end - .nanoseconds(1), false), (end, true)] {
            var late = step
            #expect(late.handle(.tick(time)) == example)
            #expect((late.wake == nil) == isLast && late.isUnderWay != isLast)
        }
    }

    /// Time goes on by itself while the light is waited for, not while the panel waits for a press.
    @Test func itIsUnderWayUntilItIsPausedOrItsResultsAreShown() {
        var paused = Player(Self.task(), on: .reference)
        #expect(paused.run.isUnderWay, "the light is shown as an example")
        paused.press(0)
        #expect(paused.run.isUnderWay, "three, two, one")
        paused.lightsRefuse = true
        paused.advance(to: paused.now + .seconds(60))
        #expect(paused.cues.contains(.fault(VigilancePhrases.dark)) && !paused.run.isUnderWay)
        var shown = Player(Self.task(trials: 1, shows: true), on: .reference)
        shown.press(0)
        Self.waitForLight(&shown)
        #expect(shown.run.isUnderWay)
        shown.advance(to: shown.now + .milliseconds(300))
        shown.press(0)
        shown.advance(to: shown.now + .seconds(6))
        #expect(shown.cues.contains(.menuItem(1, VigilancePhrases.times)) && !shown.run.isUnderWay)
    }

    @Test func aDeadLightEndsTheTestWithAWord() {
        var player = Player(Self.task(), on: .reference)
        player.lightsRefuse = true
        player.press(0)
        player.advance(to: player.now + .seconds(60))
        #expect(player.cues.contains(.fault(VigilancePhrases.dark)))
    }

    @Test func theStimulusIsALightAndNothingElse() {
        for panel in ActiveTaskPlayTests.panels {
            let plan = Signals(panel).plan(.stimulus(7, lasting: .seconds(1)))
            #expect(plan.steps == [SignalStep(light: .white, duration: .seconds(1), mark: 7)] && plan.speech.isEmpty)
            #expect(Signals(panel).plan(.dark).steps.isEmpty)
        }
    }
}
