// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Testing

@testable import Study

@Suite struct ActiveTaskPageTests {
    private static let task = PanelFixtures.task([
        Step(key: "presses", text: "Press.", format: .active(ActiveTask(PressCountRules(presses: 3))))
    ])

    @Test func thePageHasTheCodeThatIsCompiledHere() throws {
        let page = PhraseSources.text("docs/adding/active-task.md")
        let blocks = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "\n```").first }
        let code = PhraseSources.text("Tests/StudyTests/Engine/Adding/PressCount.swift")
        #expect(blocks.count == 3)
        for block in blocks { #expect(code.contains(block), "\(block.prefix(60))") }
    }

    @Test(arguments: PanelFixtures.panels) func theExampleIsPlayedToItsEnd(_ panel: Panel) throws {
        var run = TaskRun(
            OpenedTask(Self.task, opening: 1, chance: PanelFixtures.chance), facts: StudyFacts(), id: "run",
            now: PanelFixtures.now, panel: panel, cards: CardIndex([Self.task]))
        _ = run.start(at: .zero)
        var generator = SplitMix64(seed: 1)
        var now = MonotonicTime.zero
        for _ in 0..<3 {
            let move = try #require(run.move(.perfect, using: &generator))
            now = now + move.after
            guard case .button(let button) = move.target else { continue }
            _ = run.handle(.edge(ButtonEvent(button: button, isPressed: true, time: now)), at: now)
        }
        guard run.isInReview || run.hasEnded else { throw Unfinished() }
        guard case .performance(let performance)? = run.answers["presses"] else { throw Unfinished() }
        let record = performance.record as? PressCountRecord
        #expect(record == PressCountRecord(times: [.zero, .seconds(1), .seconds(2)]))
        #expect(performance.number(nil) == 3 && AnswerValue.performance(performance).number(part: "presses") == 3)
    }

    private struct Unfinished: Error {}

    @Test(arguments: Language.allCases) func itIsToldRefusedAndRenderedLikeAnyOther(_ language: Language) {
        var panel = PanelFixtures.panel(["a", "b", "c"], speaks: true)
        panel.language = language.tag
        let words = Words(for: language.tag)
        let step = Self.task.content.steps[0]
        guard case .asked(_, let answered) = PanelSupport(step, on: panel, in: words) else {
            Issue.record("refused")
            return
        }
        #expect(answered.hasPrefix(words(PressCountPhrases.howTo, 3)))
        #expect(Vocabulary([Self.task], on: panel).texts.contains(words(GamePhrases.pressToBegin)))
        let endless = Step(key: "e", text: "", format: .active(ActiveTask(PressCountRules(presses: 0))))
        #expect(
            PanelSupport(endless, on: panel) == .refused("pressCount: the number of presses is not from 1 to 100"))
    }
}

@Suite struct ActiveTaskCatalogTests {
    private struct Unplayable: ActiveTaskRules {
        var name: String { "juggling" }
        var title: Phrase { GamePhrases.won }
        var problems: [String] { [] }
    }

    @Test func unplayableRulesAreRefusedByName() {
        let step = Step(key: "j", text: "", format: .active(ActiveTask(Unplayable())))
        #expect(
            PanelSupport(step, on: .reference)
                == .refused("juggling cannot be done with buttons; remove it from the study"))
    }

    @Test func tasksAreTheSameWhereTheirRulesAre() {
        let tasks = [
            ActiveTask(KickCounterRules(duration: .seconds(60), count: 3)),
            ActiveTask(KickCounterRules(duration: .seconds(60), count: 4)),
            ActiveTask(TowerOfHanoiRules(disks: 3)), ActiveTask(Unplayable()),
        ]
        #expect(Set(tasks).count == 4 && tasks.allSatisfy { $0 == $0 })
    }

    /// Kinds as the compiler itself writes an enumeration (SE-0295): event logs of earlier versions hold results so.
    private enum Kept: Codable {
        case kicks(KickRecord)
        case span(SpanRecord)
        case hanoi(HanoiRecord)
        case vigilance(VigilanceRecord)
    }

    @Test func resultsAreKeptAsEarlierVersionsKeptThem() throws {
        let kicks = KickRecord(
            kicks: [.seconds(1), .milliseconds(2_500)], measured: .seconds(3), end: .count, count: 2,
            duration: .seconds(3))
        let game = SpanRecord.Game(
            sequence: [1, 0], targets: 4, touches: [.init(time: .seconds(1), target: 1, isCorrect: true)],
            status: .timeout, score: 5)
        let span = SpanRecord(games: [game], cap: 3)
        let hanoi = HanoiRecord(
            disks: 2, moves: [.init(time: .zero, donor: 0, recipient: 1)], illegalMoves: 1, isSolved: false)
        let trials = [
            VigilanceRecord.Trial(
                value: 250, waited: .seconds(2), reaction: .microseconds(250_400), uncertainty: .microseconds(90)),
            VigilanceRecord.Trial(
                value: VigilanceRecord.Trial.late, waited: .seconds(3), reaction: nil, uncertainty: .zero),
        ]
        let vigilance = VigilanceRecord(trials: trials, void: 1, isLeft: false)
        let pairs: [(Kept, Performance)] = [
            (.kicks(kicks), Performance(kicks)), (.span(span), Performance(span)), (.hanoi(hanoi), Performance(hanoi)),
            (.vigilance(vigilance), Performance(vigilance)),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (kept, performance) in pairs {
            let bytes = try encoder.encode(kept)
            #expect(try encoder.encode(performance) == bytes)
            #expect(try JSONDecoder().decode(Performance.self, from: bytes) == performance)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Performance.self, from: Data("{\"juggling\":{\"_0\":{}}}".utf8))
        }
        #expect(Set(ActiveTaskCatalog.records.map { $0.kind }).count == ActiveTaskCatalog.records.count)
    }
}
