// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct PressFinderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let format: AnswerFormat
        let values: [AnswerValue]
        var testDescription: String { "\(format)".prefix(60).description }
    }

    static let cases: [Case] = [
        Case(format: .yesNo(yes: "Yes", no: "No"), values: [.boolean(true), .boolean(false)]),
        Case(
            format: .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: false)),
            values: ["apple", "orange", "banana"].map { .choices([$0]) }),
        Case(
            format: .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true)),
            values: [["banana"], ["banana", "apple"], ["apple", "orange", "banana"], []].map { .choices($0) }),
        slider(0, 10, 1, (0...10).map(Double.init)),
        slider(0, 100, 1, (0...100).map(Double.init)),
        slider(1, 2, 0.1, [1, 1.1, 1.3, 1.5, 1.7, 2]),
        slider(-500, 500, 1, [-500, -137, 0, 1, 42, 500]),
        slider(3, 3, 1, [3]),
        slider(0, 1, 1, [0, 1]),
        number(nil, nil, 2, [0, 7, 42, -3, 12.25, -0.5, 100_000]),
        number(0, 250, 0, [0, 9, 180, 250]),
        Case(
            format: .dateTime(.dateTime),
            values: [(1950, 1, 1, 0, 0), (2024, 2, 29, 23, 59), (2026, 2, 27, 9, 41), (2099, 12, 31, 12, 7)].map(date)),
        Case(format: .dateTime(.date), values: [(1987, 6, 30, 9, 41), (2026, 3, 31, 9, 41)].map(date)),
        Case(format: .dateTime(.time), values: [(2026, 2, 27, 0, 0), (2026, 2, 27, 22, 58)].map(date)),
    ]

    static func slider(_ low: Double, _ high: Double, _ step: Double, _ values: [Double]) -> Case {
        let format = SliderFormat(minimum: low, maximum: high, step: step, minimumLabel: "", maximumLabel: "")
        return Case(format: .slider(format), values: values.map { .number($0) })
    }

    static func number(_ low: Double?, _ high: Double?, _ digits: Int, _ values: [Double]) -> Case {
        let format = NumberFormat(minimum: low, maximum: high, maximumFractionDigits: digits)
        return Case(format: .number(format), values: values.map { .number($0) } + [.cleared])
    }

    static func date(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) -> AnswerValue {
        .dateTime(
            LocalDateTime(LocalDate(year: year, month: month, day: day)!, LocalTime(hour: hour, minute: minute)!))
    }

    /// Presses the edges on a fresh run, tick by tick as the device would, and gives the
    /// answer it ends with.
    static func follow(_ edges: [ButtonEvent], _ run: TaskRun, _ panel: Panel) -> TaskRun {
        var run = run
        var recogniser = GestureRecogniser(panel)
        func take(_ recognised: [GestureRecogniser.Recognised], at now: MonotonicTime) {
            for case .gesture(let gesture, let repeats) in recognised {
                _ = run.handle(.gesture(gesture, repeats: repeats), at: now)
            }
        }
        for edge in edges {
            while let wake = recogniser.wake, wake <= edge.time { take(recogniser.tick(at: wake), at: wake) }
            _ = run.handle(.edge(edge), at: edge.time)
            take(recogniser.handle(edge), at: edge.time)
        }
        return run
    }

    @Test(arguments: cases, PanelFixtures.panels)
    func pressesGiveExactlyTheWantedAnswer(_ item: Case, _ panel: Panel) throws {
        let tail = Step(key: "tail", text: "", format: .instruction)
        let task = PanelFixtures.task([Step(key: "q", text: "?", format: item.format), tail])
        for value in item.values {
            var run = PanelFixtures.run(task, on: panel)
            _ = run.start(at: .zero)
            let edges = try #require(
                PressFinder(panel).presses(for: .answer(value), in: run, from: .zero), "\(value) on \(panel.layout)")
            let after = Self.follow(edges, run, panel)
            #expect(after.answers["q"] == value, "\(value) on \(panel.layout)")
            #expect(after.current?.key == "tail")
            #expect(zip(edges, edges.dropFirst()).allSatisfy { $0.time < $1.time })
        }
    }

    @Test(arguments: cases + [Case(format: .text(multiline: false), values: [])], PanelFixtures.panels)
    func everyQuestionCanBeLeftOut(_ item: Case, _ panel: Panel) throws {
        let tail = Step(key: "tail", text: "", format: .instruction)
        var run = PanelFixtures.run(
            PanelFixtures.task([Step(key: "q", text: "?", format: item.format), tail]), on: panel)
        _ = run.start(at: .zero)
        let edges = try #require(PressFinder(panel).presses(for: .leaveOut, in: run, from: .zero))
        let after = Self.follow(edges, run, panel)
        #expect(after.answers["q"] == nil)
        #expect(after.current?.key == "tail")
    }

    @Test(arguments: PanelFixtures.panels)
    func freeTextIsSpokenAndKept(_ panel: Panel) throws {
        let step = Step(key: "q", text: "?", format: .text(multiline: true), isRequired: true)
        let tail = Step(key: "tail", text: "", format: .instruction)
        var run = PanelFixtures.run(PanelFixtures.task([step, tail]), on: panel)
        _ = run.start(at: .zero)
        let edges = try #require(PressFinder(panel).presses(for: .answer(.text("words")), in: run, from: .zero))
        #expect(Self.follow(edges, run, panel).answers["q"] == .recording("run-1-1-1"))
    }

    @Test func aValueBesideTheScaleHasNoPresses() {
        let format = SliderFormat(minimum: 0, maximum: 10, step: 1, minimumLabel: "", maximumLabel: "")
        var run = PanelFixtures.run(
            PanelFixtures.task([Step(key: "q", text: "?", format: .slider(format))]), on: .reference)
        _ = run.start(at: .zero)
        for value in [-1, 0.5, 11] {
            #expect(PressFinder(.reference).presses(for: .answer(.number(value)), in: run, from: .zero) == nil)
        }
    }
}
