// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// Spatial span tests on the boards that are shipped, played by people who know nothing of how
/// signals are made: one perceives the lights alone, the other the sound alone. They learn in
/// the practice what each button looks or sounds like, see or hear the sequence, and press what
/// they took it for.
///
/// What they cannot perceive is not ours: flashes closer than 150 ms from one to the next, and
/// tones closer than 90 ms, run into one (Jurado, Larrea, Rosero, Vizuete, Marquardt 2021, Critical
/// repetition rates for perceptual segregation, Timing & Time Perception); more than four in a row
/// are miscounted (Miller 1956, The magical number seven: one subitises no more; Cheatham and White
/// 1952, 1954); a pitch out of memory spreads by 2.1 semitones (Levitin 1994, Absolute memory for
/// musical pitch: 44 % came within two semitones on both of two trials, which is 66 % on one), and
/// of many pitches no more than some five are known again (Pollack 1952, in Miller: 2.3 bits over
/// the range that was heard; a 20th of it is then the spread).
@Suite struct SpanPlayersTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let board: String
        let span: Int
        var period = Duration.seconds(1)
        var isReversed = false
        var testDescription: String { "\(board), span \(span), \(period), \(isReversed ? "reversed" : "forward")" }
    }

    static let cases: [Case] =
        ["keypad", "simulated-keypad"].flatMap { board in (2...4).map { Case(board: board, span: $0) } }
        + ["simulated", "simulated-voice", "breadboard"].map { Case(board: $0, span: 2) }
        + [
            Case(board: "keypad", span: 4, isReversed: true), Case(board: "breadboard", span: 2, isReversed: true),
            Case(board: "keypad", span: 5), Case(board: "keypad", span: 4, period: .milliseconds(500)),
            Case(board: "simulated", span: 2, period: .milliseconds(800)),
        ]

    @Test(arguments: cases, SpanSense.allCases)
    func whoPerceivesOneSenseAloneSolvesTheSpans(_ item: Case, _ sense: SpanSense) throws {
        let rules = SpatialSpanRules(
            initialSpan: item.span, minimumSpan: item.span, maximumSpan: item.span, period: item.period,
            maximumGames: 80, maximumFailures: 80, requiresReversal: item.isReversed)
        var player = SpanPlayer(try Self.panel(item.board), rules, sense: sense)
        let record = try player.play()
        let solved = record.games.count { $0.status == .success }
        #expect(record.games.count == 80 && record.games.allSatisfy { $0.sequence.count == item.span })
        #expect(Double(solved) >= 0.95 * 80, "\(solved) of 80")
    }

    /// How it sounded before: whole tones up from middle C, and as many blips as the number within
    /// 1.2 s. The same listener cannot tell them apart.
    @Test func theListenerDoesNotKnowWholeTonesAgain() {
        var listener = SpanPerception(sense: .sound, seed: 3)
        for (button, pitch) in [262, 294, 330].enumerated() { listener.learn(button, [.init(0, 500, pitch: pitch)]) }
        let games = (0..<400).count { game in
            let first = game % 3
            let second = (first + 1 + game % 2) % 3
            let heard = [first, second].enumerated().map {
                SpanPerception.Stimulus(1_000 * $0, 1_000 * $0 + 500, pitch: [262, 294, 330][$1])
            }
            return listener.sequence(heard) == [first, second]
        }
        #expect(games < 300, "\(games) of 400")
    }

    @Test func sixteenBlipsRunIntoOneAnother() {
        let listener = SpanPerception(sense: .sound, seed: 3)
        let blips = (0..<16).map { SpanPerception.Stimulus($0 * 75, $0 * 75 + 50, pitch: nil) }
        #expect(listener.fused(blips).count == 1)
        let watcher = SpanPerception(sense: .light, seed: 3)
        #expect(watcher.fused((0..<3).map { .init($0 * 140, $0 * 140 + 70, pitch: nil) }).count == 1)
        #expect(watcher.fused((0..<3).map { .init($0 * 200, $0 * 200 + 100, pitch: nil) }).count == 3)
    }

    /// The announcement is over one period before the first target, on every board.
    @Test(arguments: ["keypad", "simulated", "simulated-voice", "breadboard"], [500, 800, 1_000, 3_000])
    func watchHasEndedBeforeTheFirstTarget(_ board: String, _ period: Int) throws {
        let panel = try Self.panel(board)
        let rules = SpatialSpanRules(
            initialSpan: 2, minimumSpan: 2, maximumSpan: 2, period: .milliseconds(period), maximumGames: 3,
            maximumFailures: 3)
        guard !PanelSupport(Step(key: "q", text: "", format: .active(ActiveTask(rules))), on: panel).isRefused else {
            return
        }
        var stage = SpanStage(panel, rules)
        for button in SpanBoard(rules, on: panel).all { stage.press(button) }
        stage.wait(.seconds(10))
        stage.told = []
        stage.press(0)
        stage.wait(.milliseconds(5 * period + 2_000))
        let plans = stage.told
        let watch = try #require(plans.first { $0.plan.cue == .watch })
        let targets = plans.filter { if case .target = $0.plan.cue { true } else { false } }
        #expect(targets.count == 2 && watch.plan.speech.isEmpty, "what is spoken has no known end")
        #expect(targets[0].at - (watch.at + watch.plan.duration) >= .milliseconds(period - 1))
        #expect(targets[1].at - targets[0].at == .milliseconds(period))
        #expect(targets.allSatisfy { $0.plan.duration < .milliseconds(period) && $0.plan.speech.isEmpty })
    }

    static func panel(_ name: String) throws -> Panel {
        let path = AgentFixture.package + "/boards/\(name).toml"
        return try Panel(BoardDescription(parsing: BoundedFile.text(path), file: path))
    }
}
