// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

@testable import Study

/// How many presses and seconds an answer takes, by a player with a published speed: `make presses`
/// prints the table, of which docs/panel.md has some rows.
///
/// The player is that of the Keystroke-Level Model (Card, Moran, Newell: The Keystroke-Level Model
/// for User Performance Time with Interactive Systems, CACM 23(7), 1980): 1.35 s of thought (M)
/// before an answer and 0.28 s for each press (K, "average non-secretary typist"). A hold goes on
/// until its step is signalled and 0.24 s longer, the simple reaction of the same authors' Model
/// Human Processor (1983). The player does not wait for the end of a signal.
@Suite struct PressCostTests {
    private static let thought: Duration = .milliseconds(1_350)
    private static let press: Duration = .milliseconds(280)
    private static let reaction: Duration = .milliseconds(240)
    private static let limit: Duration = .seconds(5)

    struct Cost: Equatable {
        var presses = 0
        var time: Duration = .zero

        var text: String {
            let tenths = (time.milliseconds + 50) / 100
            return "\(presses) · \(tenths / 10).\(tenths % 10) s"
        }
    }

    struct Row {
        let name: String
        let answer: String
        let format: AnswerFormat
        let wanted: Wanted
        /// The goal is five seconds; with how many buttons it is missed, and is known to be.
        var misses: Set<Int> = []
        /// Texts and dates take what they take.
        var isExcepted = false
    }

    private static func choice(_ isMultiple: Bool) -> AnswerFormat {
        .choice(
            ChoiceFormat(
                options: ["a", "b", "c", "d", "e"].map { .init(value: $0, text: $0) }, isMultiple: isMultiple))
    }

    private static func scale(_ maximum: Double, initial: Double? = nil) -> AnswerFormat {
        .slider(
            SliderFormat(
                minimum: 0, maximum: maximum, step: 1, minimumLabel: "", maximumLabel: "", initial: initial))
    }

    private static let number = AnswerFormat.number(NumberFormat(minimum: 0, maximum: 300, maximumFractionDigits: 0))

    static let rows: [Row] = [
        Row(name: "something to read", answer: "go on", format: .instruction, wanted: .leaveOut),
        Row(name: "yes or no", answer: "yes", format: .yesNo(yes: "y", no: "n"), wanted: .answer(.boolean(true))),
        Row(name: "yes or no", answer: "no", format: .yesNo(yes: "y", no: "n"), wanted: .answer(.boolean(false))),
        Row(name: "one of five", answer: "the third", format: choice(false), wanted: .answer(.choices(["c"]))),
        Row(name: "several of five", answer: "the third", format: choice(true), wanted: .answer(.choices(["c"]))),
        Row(
            name: "several of five", answer: "the second and fourth", format: choice(true),
            wanted: .answer(.choices(["b", "d"])), misses: [1]),
        Row(name: "a scale from 0 to 10", answer: "5", format: scale(10), wanted: .answer(.number(5))),
        Row(name: "a scale from 0 to 10", answer: "6", format: scale(10), wanted: .answer(.number(6))),
        Row(
            name: "a scale from 0 to 10 that proposes 2", answer: "2", format: scale(10, initial: 2),
            wanted: .answer(.number(2))),
        Row(name: "a scale from 0 to 100", answer: "50", format: scale(100), wanted: .answer(.number(50))),
        Row(
            name: "a scale from 0 to 100", answer: "75", format: scale(100), wanted: .answer(.number(75)), misses: [1]),
        Row(name: "a number", answer: "5", format: number, wanted: .answer(.number(5))),
        Row(name: "a number", answer: "45", format: number, wanted: .answer(.number(45)), misses: [1]),
        Row(
            name: "a day", answer: "today", format: .dateTime(.date), wanted: .answer(.dateTime(PanelFixtures.now)),
            isExcepted: true),
        Row(
            name: "a time", answer: "now", format: .dateTime(.time), wanted: .answer(.dateTime(PanelFixtures.now)),
            isExcepted: true),
        Row(
            name: "in your own words", answer: "spoken, without the speaking", format: .recording,
            wanted: .answer(.text("x")), isExcepted: true),
        Row(
            name: "the place, a reading", answer: "taken", format: .position,
            wanted: .answer(.position(latitude: 0, longitude: 0))),
        Row(
            name: "a countdown", answer: "begun and left", format: .countdown(.seconds(30)),
            wanted: .answer(.number(0))),
    ]

    static let panels: [(Int, Panel)] = [
        (1, PanelFixtures.one), (2, PanelFixtures.two), (3, .reference), (5, PanelFixtures.five),
    ]

    private static func cost(_ wanted: Wanted, _ format: AnswerFormat, on panel: Panel) throws -> Cost {
        let task = PanelFixtures.task([
            Step(key: "q", text: "?", format: format), Step(key: "end", text: "!", format: .instruction),
        ])
        var run = PanelFixtures.run(task, on: panel)
        _ = run.start(at: .zero)
        let edges = try #require(PressFinder(panel).presses(for: wanted, in: run, from: .zero))
        var cost = Cost(presses: edges.count / 2, time: thought)
        for index in stride(from: 0, to: edges.count, by: 2) {
            let table = panel.holdTables[edges[index].button]
            let held = edges[index + 1].time - edges[index].time
            let level = table.level(of: held)
            cost.time += press
            if held > .milliseconds(120) {
                let isRepeated =
                    table.repeatsFromPress
                    || table.repeatsStepBack && held > HoldTable.heldRepeatDelay + HoldTable.repeatPeriod
                cost.time += (isRepeated ? held - HoldTable.repeatPeriod / 2 : table.levels[level].after) + reaction
            }
        }
        return cost
    }

    /// Over all answers of a scale, each as likely as any other.
    private static func mean(_ maximum: Int, on panel: Panel) throws -> Cost {
        let costs = try (0...maximum).map { try cost(.answer(.number(Double($0))), scale(Double(maximum)), on: panel) }
        let time = costs.reduce(.zero) { $0 + $1.time } / costs.count
        return Cost(presses: (costs.reduce(0) { $0 + $1.presses } * 2 + costs.count) / (2 * costs.count), time: time)
    }

    static func table() throws -> [String] {
        var lines = ["| question | answer | one button | two | three | five |", "|---|---|---|---|---|---|"]
        for row in rows {
            let cells = try panels.map { try cost(row.wanted, row.format, on: $0.1).text }
            lines.append("| \(row.name) | \(row.answer) | \(cells.joined(separator: " | ")) |")
        }
        for maximum in [10, 100] {
            let cells = try panels.map { try mean(maximum, on: $0.1).text }
            lines.append("| a scale from 0 to \(maximum) | all, on average | \(cells.joined(separator: " | ")) |")
        }
        return lines
    }

    @Test func theMedianAnswerOfEveryKindTakesFiveSecondsAtMost() throws {
        for row in Self.rows where !row.isExcepted {
            for (count, panel) in Self.panels {
                let cost = try Self.cost(row.wanted, row.format, on: panel)
                #expect(
                    (cost.time <= Self.limit) == !row.misses.contains(count),
                    "\(row.name) \(row.answer) on \(count): \(cost.text)")
            }
        }
    }

    @Test func theRowsOfTheDocumentationAreThoseOfToday() throws {
        let lines = try Self.table()
        if getenv("STUDYD_PRESSES") != nil { for line in lines { print(line) } }
        let page = PhraseSources.text("docs/panel.md").split(separator: "\n").map { String($0) }
        let shown = page.drop(while: { $0 != lines[0] }).prefix(while: { $0.hasPrefix("|") })
        #expect(shown.count > 10, "docs/panel.md lacks \(lines[0])")
        for line in shown {
            let isThere = lines.contains(line)
            #expect(isThere, "docs/panel.md has \(line); make presses prints the table")
        }
    }
}
