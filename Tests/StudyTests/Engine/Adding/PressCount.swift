// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Study

// The example of docs/adding/active-task.md; ActiveTaskPageTests compares them.

/// So many presses of any button, as fast as one likes.
struct PressCountRules: ActiveTaskRules {
    let presses: Int
    var name: String { "pressCount" }
    var title: Phrase { PressCountPhrases.title }
    var problems: [String] { (1...100).contains(presses) ? [] : ["the number of presses is not from 1 to 100"] }
}

/// When each press came, since the first.
struct PressCountRecord: PerformanceRecord {
    static let kind = "pressCount"
    let times: [Duration]
    var figures: [PerformanceFigure] { [PerformanceFigure("presses", .whole(Int64(times.count)))] }
    var mainFigure: String { "presses" }
    var fields: [JSONText.Member] { [.init("presses", .integer(Int64(times.count)))] }
}

/// Each press is told, the last one answers.
struct PressCountStep: QuestionMachine {
    let rules: PressCountRules
    private var times: [MonotonicTime] = []

    init(_ rules: PressCountRules) { self.rules = rules }

    mutating func begin() -> [QuestionEffect] { [.say(.menuItem(1, GamePhrases.pressToBegin))] }

    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .edge(let edge) = event, edge.isPressed else { return [] }
        times.append(edge.time)
        guard times.count == rules.presses, let first = times.first else { return [.say(.counted(times.count))] }
        return [.say(.won), .performed(PressCountRecord(times: times.map { $0 - first }))]
    }

    var takesPresses: Bool { true }
    func press(towards wanted: Wanted) -> Press? { nil }

    func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        strategy == .fail ? nil : PerformanceMove(.button(0), after: .seconds(1))
    }
}

extension PressCountRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { PressCountStep(self) }
    func howTo(on panel: Panel, in words: Words) -> String { words(PressCountPhrases.howTo, presses) }
    func spoken(on panel: Panel) -> [Said] { [GamePhrases.pressToBegin, GamePhrases.won].map { .device($0) } }
}

enum PressCountPhrases {
    static let title = Phrase("Presses")
    static let howTo = CountedPhrase(one: "press any button {0} time", other: "press any button {0} times")
}
