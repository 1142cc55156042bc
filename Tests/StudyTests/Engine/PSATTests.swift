// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// The addition test by edges. What is right, and how it is summed up, is what
/// `ORKPSATStepViewController.result` of ResearchKit (daba8c9f) does.
struct PSATTests {
    typealias Player = ActiveTaskPlayTests.Player
    static let rules = PSATRules(interStimulusInterval: .seconds(5), seriesLength: 12)
    static let two = PanelFixtures.panel(["left", "right"], buzzer: .fixed, speaks: true)
    static let three = PanelFixtures.panel(["a", "b", "c"], speaks: true)

    static func record(_ player: Player) throws -> PSATRecord {
        try #require(player.performance?.record as? PSATRecord)
    }

    static func said(_ player: Player) -> [Int] {
        player.cues.compactMap { if case .position(let text) = $0 { Int(text) } else { nil } }
    }

    @Test(arguments: [two, three]) func whoAddsRightHasThemAll(_ panel: Panel) throws {
        var player = Player(ActiveTask(Self.rules), on: panel)
        player.perform(.perfect)
        let record = try Self.record(player)
        #expect(record.totalCorrect == 12 && record.totalDyad == 11 && record.restarts == 0)
        let digits = Self.said(player)
        #expect(digits.count == 13 && digits.first == record.initialDigit)
        #expect(record.samples.map(\.digit) == Array(digits.dropFirst()))
        #expect(record.samples.map(\.answer) == zip(digits, digits.dropFirst()).map { $0 + $1 })
        #expect(record.samples.allSatisfy { $0.time < .seconds(5) && $0.time > .zero })
    }

    @Test func whoSaysNothingHasTheWholeIntervalEachTime() throws {
        var player = Player(ActiveTask(Self.rules), on: Self.three)
        player.perform(.fail)
        let record = try Self.record(player)
        #expect(record.totalCorrect == 0 && record.samples.allSatisfy { $0.answer == -1 && !$0.correct })
        #expect(record.totalTime == .seconds(60))
    }

    /// ResearchKit: "the number of consecutive correct answers (out of 'length - 1'
    /// possible ones)".
    @Test func dyadsAreRightAnswersAfterRightOnes() {
        let samples = [true, true, false, true, true, true].map {
            PSATRecord.Sample(digit: 1, answer: 3, correct: $0, time: .seconds(1))
        }
        let record = PSATRecord(
            interStimulusInterval: .seconds(3), length: 6, initialDigit: 2, samples: samples, restarts: 0)
        #expect(record.totalCorrect == 5 && record.totalDyad == 3 && record.totalTime == .seconds(6))
    }

    /// Names of `ORKPSATResult.json` and `ORKPSATSample.json` in `ResearchKitTests/samples.bundle`,
    /// without what every result has there.
    @Test func fieldsAreResearchKits() throws {
        var player = Player(ActiveTask(Self.rules), on: Self.three)
        player.perform(.random)
        let fields = try Self.record(player).fields
        #expect(
            Set(fields.map(\.key)).isSuperset(of: [
                "stimulusDuration", "initialDigit", "samples", "totalTime", "length", "totalCorrect",
                "interStimulusInterval", "totalDyad", "presentationMode",
            ]))
        guard case .array(let samples)? = fields.first(where: { $0.key == "samples" })?.value,
            case .object(let sample)? = samples.first
        else {
            Issue.record("no samples")
            return
        }
        #expect(Set(sample.map(\.key)) == ["correct", "digit", "answer", "time"] && samples.count == 12)
    }

    @Test func digitsAreDrawnEvenlyAndNeverTwiceInARow() throws {
        var counts = [Int](repeating: 0, count: 10)
        for seed in 1...60 {
            var step = PSATStep(
                PSATRules(interStimulusInterval: .seconds(1), seriesLength: 120),
                in: QuestionContext(
                    panel: Self.three, now: PanelFixtures.now, recordingID: "r",
                    generator: SplitMix64(seed: UInt64(seed))))
            var effects = step.handle(.edge(.init(button: 0, isPressed: true, time: .zero)))
            while let wake = step.wake { effects += step.handle(.tick(wake)) }
            let digits = effects.compactMap { if case .say(.position(let text)) = $0 { Int(text) } else { nil } }
            #expect(digits.count == 121 && !zip(digits, digits.dropFirst()).contains { $0 == $1 })
            for digit in digits { counts[digit] += 1 }
        }
        // 7260 digits: 807 of each, with a standard deviation of 27.
        #expect(counts[0] == 0 && counts.dropFirst().allSatisfy { (670...940).contains($0) }, "\(counts)")
    }

    @Test func theMenuStartsItOver() throws {
        var player = Player(ActiveTask(Self.rules), on: Self.three)
        player.press(0)
        player.advance(to: player.now + .seconds(12))
        player.press(.menu)
        #expect(player.run.takesMenu)
        player.press(.undo)
        #expect(player.cues.last == .menuItem(1, GamePhrases.pressToBegin))
        player.perform(.perfect)
        let record = try Self.record(player)
        #expect(record.restarts == 1 && record.samples.count == 12 && record.totalCorrect == 12)
    }

    @Test func aBoardThatCannotSayItIsRefused() {
        for (panel, isRefused) in [
            (Self.two, false), (.reference, true), (PanelFixtures.panel(["a"], speaks: true), true),
        ] {
            let step = Step(key: "q", text: "", format: .active(ActiveTask(Self.rules)))
            #expect(PanelSupport(step, on: panel).isRefused == isRefused)
        }
    }

    @Test(arguments: [
        (900, 10, "interStimulusInterval"), (5_100, 10, "1 to 5"), (3_000, 2, "seriesLength"), (3_000, 121, "120"),
    ])
    func whatCannotBeDoneIsRefused(_ interval: Int, _ length: Int, _ words: String) {
        let rules = PSATRules(interStimulusInterval: .milliseconds(interval), seriesLength: length)
        #expect(rules.problems.contains { $0.contains(words) })
    }

    /// Of two buttons the right one adds one.
    @Test func aPressInTimeThatIsToldAfterTheNextDigitIsAnAnswerToItsOwn() throws {
        var step = PSATStep(
            PSATRules(interStimulusInterval: .seconds(2), seriesLength: 3),
            in: QuestionContext(panel: Self.two, now: PanelFixtures.now, recordingID: "r"))
        var effects: [QuestionEffect] = []
        func tick(_ milliseconds: Int) { effects += step.handle(.tick(.zero + .milliseconds(milliseconds))) }
        func press(_ milliseconds: Int) {
            effects += step.handle(
                .edge(ButtonEvent(button: 1, isPressed: true, time: .zero + .milliseconds(milliseconds))))
        }
        for milliseconds in [0, 2_100, 4_300, 4_500] {
            press(milliseconds)
            if milliseconds < 4_000 { tick(milliseconds < 2_000 ? 2_000 : 4_000) }
            if milliseconds == 4_300 { press(3_990) }
        }
        for milliseconds in [6_000, 8_000] { tick(milliseconds) }
        for milliseconds in [7_990, 8_000] { press(milliseconds) }
        #expect(step.wake == .zero + .milliseconds(8_050))
        tick(8_050)
        guard case .answered(.performance(let performance))? = effects.last else { throw ActiveTaskPlayTests.Missing() }
        let record = try #require(performance.record as? PSATRecord)
        #expect(record.samples.map(\.answer) == [2, 2, 1])
        #expect(record.samples.map(\.time) == [.milliseconds(1_990), .milliseconds(500), .milliseconds(1_990)])
    }

    /// An edge is reported after the digit, though it was made before: it belongs to no digit that
    /// was heard.
    @Test(arguments: [[2_000], [2_000, 4_000], [2_000, 4_000, 6_000]])
    func aPressBeforeTheDigitThatIsToldLateIsNoAnswerToIt(_ told: [Int]) throws {
        let rules = PSATRules(interStimulusInterval: .seconds(2), seriesLength: 3)
        var step = PSATStep(
            rules, in: QuestionContext(panel: Self.two, now: PanelFixtures.now, recordingID: "r"))
        func time(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
        #expect(!step.isUnderWay)
        _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: time(0))))
        #expect(step.isUnderWay)
        for millisecond in told { _ = step.handle(.tick(time(millisecond))) }
        _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: time(1_999))))
        for millisecond in [2_000, 4_000, 6_000] where !told.contains(millisecond) {
            _ = step.handle(.tick(time(millisecond)))
        }
        let effects = step.handle(.tick(time(8_050)))
        #expect(!step.isUnderWay)
        let records = effects.compactMap { effect -> PSATRecord? in
            if case .answered(.performance(let performance)) = effect { performance.record as? PSATRecord } else { nil }
        }
        #expect(try #require(records.first).samples.map(\.answer) == [-1, -1, -1])
    }
}
