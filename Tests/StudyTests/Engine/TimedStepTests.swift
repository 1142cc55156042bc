// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Study

/// Steps that last. The seconds and commands are those of MotorControl-iOS'
/// `TremorSectionStep.json` and `TappingSectionStep.json` (8c9c67df), the keys of spoken
/// instructions and the bits of commands those of SageResearch's
/// `RSDActiveUIStepCommand.swift` (release/v4).
struct TimedStepTests {
    static func at(_ milliseconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000) }

    static var tremor: TimedStepRules {
        var rules = TimedStepRules(name: "active", duration: .seconds(30))
        (rules.beginsByItself, rules.goesOnByItself, rules.signalsStart, rules.signalsEnd) = (true, true, true, true)
        rules.lines = [
            .init(at: .zero, text: "keep holding"), .init(at: .seconds(15), text: "Halfway done."),
            .init(at: .seconds(23), text: "Almost done."), .init(at: .seconds(30), text: "Great job!"),
        ]
        return rules
    }

    static var tapping: TimedStepRules {
        var rules = TimedStepRules(name: "tapping", duration: .seconds(30))
        rules.takesTaps = true
        return rules
    }

    /// A step that is presented at 5 s, on that panel.
    struct Told {
        var step: TimedStep
        var heard: [(at: Int, effect: QuestionEffect)] = []
        var record: TimedStepRecord?

        init(_ rules: TimedStepRules, on panel: Panel = .reference) {
            step = TimedStep(
                rules, in: QuestionContext(panel: panel, now: PanelFixtures.now, recordingID: "r", time: at(5_000)))
            take(step.begin(), 5_000)
        }

        mutating func take(_ effects: [QuestionEffect], _ milliseconds: Int) {
            for effect in effects {
                heard.append((milliseconds, effect))
                if case .answered(.performance(let performance)) = effect {
                    record = performance.record as? TimedStepRecord
                }
            }
        }

        mutating func tick(until milliseconds: Int) {
            while let wake = step.wake, wake <= at(milliseconds), record == nil {
                take(step.handle(.tick(wake)), Int(wake.nanoseconds / 1_000_000))
            }
        }

        mutating func press(_ button: Int, _ down: Int, held: Int = 80) {
            take(step.handle(.edge(ButtonEvent(button: button, isPressed: true, time: at(down)))), down)
            take(step.handle(.edge(ButtonEvent(button: button, isPressed: false, time: at(down + held)))), down + held)
        }
    }

    static let speaking = try? Panel(
        buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [], buzzer: nil, hasLoudspeaker: true)

    @Test func everythingIsSaidAtItsSecondAndTheStepGoesOnByItself() throws {
        var told = Told(Self.tremor, on: try #require(Self.speaking))
        told.tick(until: 60_000)
        let said = told.heard.map { "\($0.at) \($0.effect)" }
        #expect(
            said.prefix(2) == [
                "5000 say(Study.Cue.recordingStarted)", "5000 say(Study.Cue.message(\"keep holding\"))",
            ])
        #expect(told.heard.map(\.at) == [5_000, 5_000, 20_000, 28_000, 35_000, 35_000, 35_000])
        #expect(told.record?.measured == .seconds(30) && told.record?.isComplete == true)
        #expect(told.record?.uptime == .seconds(5))
    }

    @Test func whereNothingSpeaksInstructionsAreSounded() {
        var told = Told(Self.tremor)
        told.tick(until: 60_000)
        let cues = told.heard.compactMap { if case .say(let cue) = $0.effect { cue } else { nil } }
        #expect(
            cues == [
                .recordingStarted, .accepted, .timeRunningOut, .timeRunningOut, .recordingStopped, .recordingStopped,
            ])
    }

    @Test func withoutCommandsItWaitsForAPressBeforeAndAfter() {
        var told = Told(TimedStepRules(name: "active", duration: .seconds(10)))
        #expect(told.step.wake == nil && !told.step.isUnderWay)
        told.press(1, 9_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 9_080)
        #expect(told.step.wake == Self.at(19_080))
        told.tick(until: 30_000)
        #expect(told.record == nil)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 30_000)
        #expect(told.record?.measured == .seconds(10))
    }

    @Test func whoLeavesAStepOutByTheMenuKeepsItWhereItIsOver() {
        for (moment, isKept) in [(12_000, false), (40_000, true)] {
            var rules = Self.tremor
            rules.goesOnByItself = false
            var told = Told(rules)
            told.tick(until: moment)
            told.take(told.step.handle(.interrupted), moment)
            told.take(told.step.handle(.gaveUp), moment)
            #expect((told.record != nil) == isKept)
        }
    }

    @Test func aCountdownCountsItsSeconds() {
        var rules = TimedStepRules(name: "countdown", duration: .seconds(3))
        (rules.beginsByItself, rules.goesOnByItself, rules.countedSeconds) = (true, true, 3)
        var told = Told(rules)
        told.tick(until: 60_000)
        let counted = told.heard.compactMap {
            if case .say(.position(let text)) = $0.effect { "\($0.at) \(text)" } else { nil }
        }
        #expect(counted == ["5000 3", "6000 2", "7000 1"])
        #expect(told.heard.last?.at == 8_000 && told.record != nil)
    }

    /// `MCTTappingStepViewController.buttonPressed` (MotorControl-iOS 8c9c67df): the first touch of
    /// a button sets `_tappingStart`, starts the clock, and is a sample at 0;
    /// `TappingState.onFirstTap` of Android likewise.
    @Test func theFirstTapBeginsAndTapsAreTimedFromPressToRelease() {
        var told = Told(Self.tapping)
        let said = told.heard.compactMap { heard -> Phrase? in
            if case .say(.say(let phrase)) = heard.effect { phrase } else { nil }
        }
        #expect(said == [TimedStepPhrases.tapToBegin])
        #expect(told.step.takesPresses && told.step.wake == nil && !told.step.isUnderWay)
        // The middle button is none of the two.
        told.press(1, 6_000)
        #expect(told.step.wake == nil)
        told.press(0, 7_000)
        #expect(told.step.takesPresses && told.step.wake == Self.at(37_050))
        told.press(2, 7_200, held: 50)
        told.press(1, 7_300)
        told.take(told.step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: Self.at(36_999)))), 36_999)
        told.tick(until: 37_050)
        #expect(!told.step.takesPresses)
        told.press(2, 37_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 38_000)
        #expect(told.record?.uptime == .seconds(7) && told.record?.measured == .seconds(30))
        #expect(
            told.record?.taps == [
                .init(at: .zero, side: .left, held: .milliseconds(80)),
                .init(at: .milliseconds(200), side: .right, held: .milliseconds(50)),
                .init(at: .milliseconds(29_999), side: .left, held: .milliseconds(1)),
            ])
    }

    /// `MotorControlViewModelTests` of MotorControl 2 (f303936): 30 taps in turn are 30.
    /// `receivedTouch`, `addTappingSample` of iOS and of Android count a tap of another button than
    /// the last one that was counted.
    @Test(arguments: [
        ("", 0), ("L", 1), ("R", 1), ("LR", 2), ("LL", 1), ("LLRR", 2), ("LRRL", 3), ("LRLLRLRR", 6),
        (String(repeating: "LR", count: 15), 30), (String(repeating: "L", count: 500), 1),
    ])
    func tapsOfTheSameButtonAreCountedOnce(taps: String, count: Int) throws {
        let record = TimedStepRecord(
            uptime: .zero, measured: .seconds(30), pauses: 0, isComplete: true,
            taps: taps.enumerated().map {
                .init(at: .milliseconds($0.offset * 50), side: $0.element == "L" ? .left : .right, held: .zero)
            })
        #expect(record.tapCount == count)
        #expect(record.figures.first?.name == "tapCount" && record.figures.first?.value == .whole(Int64(count)))
        #expect(JSONText.object(record.fields).text.contains("\"tapCount\":\(count)"))
    }

    /// `MotionSensorStepView` of MotorControl 2 resets its countdown when the pause is over.
    @Test func aStepThatMeasuresMotionStartsOverAfterAPause() {
        var rules = Self.tremor
        rules.restartsAfterPause = true
        var told = Told(rules)
        told.tick(until: 15_000)
        told.take(told.step.handle(.tick(Self.at(15_000))), 15_000)
        told.take(told.step.handle(.interrupted), 15_000)
        told.take(told.step.handle(.tick(Self.at(25_000))), 25_000)
        told.take(told.step.handle(.resumed), 25_000)
        told.tick(until: 90_000)
        #expect(told.record?.pauses == 1 && told.record?.uptime == .seconds(25) && told.heard.last?.at == 55_000)
    }

    @Test func itsTimeStandsStillWhileTheMenuIsOpen() {
        var told = Told(Self.tremor)
        told.tick(until: 15_000)
        told.press(1, 15_000)
        told.take(told.step.handle(.interrupted), 15_080)
        #expect(told.step.wake == nil && !told.step.isUnderWay)
        told.press(1, 25_000)
        told.take(told.step.handle(.resumed), 25_080)
        #expect(told.step.wake == Self.at(30_000))
        told.tick(until: 90_000)
        #expect(told.record?.pauses == 1 && told.heard.last?.at == 45_000)
    }

    /// Its release is one of the menu's.
    @Test func aTapThatIsHeldWhenTheMenuOpensEndsThere() {
        var told = Told(Self.tapping)
        told.press(0, 7_000)
        told.take(told.step.handle(.edge(ButtonEvent(button: 2, isPressed: true, time: Self.at(8_000)))), 8_000)
        told.take(told.step.handle(.tick(Self.at(8_300))), 8_300)
        told.take(told.step.handle(.interrupted), 8_300)
        told.take(told.step.handle(.edge(ButtonEvent(button: 2, isPressed: false, time: Self.at(9_000)))), 9_000)
        told.take(told.step.handle(.tick(Self.at(10_000))), 10_000)
        told.take(told.step.handle(.resumed), 10_000)
        told.press(0, 10_500)
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.pauses == 1)
        #expect(
            told.record?.taps == [
                .init(at: .zero, side: .left, held: .milliseconds(80)),
                .init(at: .seconds(1), side: .right, held: .milliseconds(300)),
                .init(at: .milliseconds(1_800), side: .left, held: .milliseconds(80)),
            ])
    }

    typealias Player = ActiveTaskPlayTests.Player

    /// In a run, which tells a step of neither presses nor time while the menu is open: a third of
    /// a minute in the menu is none of its time.
    @Test(arguments: [false, true]) func theMenuOfARunPausesIt(_ restarts: Bool) throws {
        var rules = Self.tremor
        rules.restartsAfterPause = restarts
        var player = Player(ActiveTask(rules), on: .reference)
        player.advance(to: Self.at(11_000))
        player.press(.menu)
        let start = MonotonicTime.zero
        let elapsed = player.now - start
        #expect(player.run.takesMenu && elapsed < .seconds(16))
        player.advance(to: player.now + .seconds(20))
        player.press(.select)
        let resumed = player.now
        let next: Duration = restarts ? .seconds(15) : (elapsed < .seconds(15) ? .seconds(15) : .seconds(23)) - elapsed
        #expect(player.run.wake == resumed + next)
        player.advance(to: resumed + .seconds(29) - (restarts ? .zero : elapsed))
        #expect(!player.cues.contains(.recordingStopped) && !player.run.isInReview)
        player.advance(to: resumed + .seconds(60))
        let record = try #require(player.performance?.record as? TimedStepRecord)
        #expect(record.pauses == 1 && record.uptime == (restarts ? resumed - start : .zero))
    }

    @Test func tappingNeedsTwoButtons() throws {
        let refusal = try #require(Self.tapping.refusal(on: PanelFixtures.one))
        #expect(refusal.contains("with one the count is 1") && refusal.contains("reactionTime, gonogo, timedWalk"))
        for panel in [PanelFixtures.two, .reference] { #expect(Self.tapping.refusal(on: panel) == nil) }
        #expect(Self.tremor.refusal(on: PanelFixtures.one) == nil)
    }

    /// A run with a scripted performer, as `simulate` has it.
    @Test(arguments: [PanelFixtures.two, .reference]) func whoPerformsPerfectlyTapsInTurn(panel: Panel) throws {
        var player = ActiveTaskPlayTests.Player(ActiveTask(Self.tapping), on: panel)
        player.perform(.perfect)
        guard case .performance(let performance)? = player.record?.answers["q"],
            let record = performance.record as? TimedStepRecord
        else {
            Issue.record("nothing was performed")
            return
        }
        #expect(record.taps.count > 50)
        #expect(zip(record.taps, record.taps.dropFirst()).allSatisfy { $0.side != $1.side && $0.at < $1.at })
        // Kept in the event log and read back.
        #expect(try JSONDecoder().decode(Performance.self, from: JSONEncoder().encode(performance)) == performance)
    }
}
