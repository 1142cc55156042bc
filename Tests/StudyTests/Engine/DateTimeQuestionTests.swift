// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct DateTimeQuestionTests {
    static func at(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 9, _ minute: Int = 41) -> LocalDateTime {
        LocalDateTime(LocalDate(year: year, month: month, day: day)!, LocalTime(hour: hour, minute: minute)!)
    }
    /// 27 February 2026, 09:41.
    static let now = PanelFixtures.now
    static let april = DateLimits(
        earliest: .fixed(at(2017, 4, 18, 0, 0)), latest: .fixed(at(2017, 4, 29, 0, 0)), initial: at(2017, 4, 19, 0, 0))

    struct Case: Sendable {
        let format: DateTimeFormat
        let limits: DateLimits
        let taken: [LocalDateTime]
        let refused: [LocalDateTime]
    }
    static let cases: [Case] = [
        Case(
            format: .date, limits: DateLimits(latest: .now), taken: [at(1966, 8, 3), at(2026, 2, 27), at(1900, 1, 1)],
            refused: [at(2026, 2, 28), at(2027, 1, 1), at(2099, 1, 1)]),
        Case(
            format: .date, limits: DateLimits(earliest: .now),
            taken: [at(2026, 2, 27), at(2026, 3, 31), at(2028, 2, 29)],
            refused: [at(2026, 2, 26), at(2025, 12, 31)]),
        Case(
            format: .date, limits: DateLimits(earliest: .tomorrow), taken: [at(2026, 2, 28), at(2026, 3, 31)],
            refused: [at(2026, 2, 27), at(2026, 2, 26)]),
        Case(
            format: .date, limits: april, taken: [at(2017, 4, 18), at(2017, 4, 29), at(2017, 4, 20)],
            refused: [at(2017, 4, 17), at(2017, 4, 30), at(2017, 5, 20), at(2016, 4, 20)]),
        Case(
            format: .dateTime, limits: DateLimits(latest: .now),
            taken: [at(2026, 2, 27, 9, 41), at(2026, 2, 27, 0, 0), at(2026, 2, 26, 23, 59)],
            refused: [at(2026, 2, 27, 9, 42), at(2026, 2, 27, 10, 0), at(2026, 2, 28, 0, 0)]),
        Case(
            format: .dateTime, limits: DateLimits(earliest: .now),
            taken: [at(2026, 2, 27, 9, 41), at(2026, 2, 27, 9, 59), at(2026, 12, 31, 0, 0)],
            refused: [at(2026, 2, 27, 9, 40), at(2026, 2, 27, 8, 59)]),
        Case(
            format: .dateTime,
            limits: DateLimits(earliest: .fixed(at(2026, 2, 28, 23, 50)), latest: .fixed(at(2026, 3, 1, 0, 10))),
            taken: [at(2026, 2, 28, 23, 50), at(2026, 2, 28, 23, 59), at(2026, 3, 1, 0, 0), at(2026, 3, 1, 0, 10)],
            refused: [at(2026, 2, 28, 23, 49), at(2026, 3, 1, 0, 11), at(2026, 2, 28, 0, 5)]),
    ]

    @Test(arguments: cases.indices, PanelFixtures.panels) func theButtonsLeadToEveryMomentWithinTheLimitsAndToNoOther(
        _ index: Int, _ panel: Panel
    ) throws {
        let item = Self.cases[index]
        let step = Step(key: "q", text: "?", format: .dateTime(item.format, limits: item.limits))
        let task = PanelFixtures.task([step, Step(key: "tail", text: "", format: .instruction)])
        var run = PanelFixtures.run(task, on: panel)
        _ = run.start(at: .zero)
        for moment in item.taken {
            let edges = try #require(
                PressFinder(panel).presses(for: .answer(.dateTime(moment)), in: run, from: .zero), "\(moment)")
            #expect(PressFinderTests.follow(edges, run, panel).answers["q"] == .dateTime(moment))
        }
        for moment in item.refused {
            #expect(
                PressFinder(panel).presses(for: .answer(.dateTime(moment)), in: run, from: .zero) == nil, "\(moment)")
        }
    }

    /// Thousands of presses at random: what is answered lies within the limits.
    @Test(arguments: cases.indices, [Panel.Layout.one, .two, .three]) func aRandomHandNeverAnswersBeyondTheLimits(
        _ index: Int, _ layout: Panel.Layout
    ) throws {
        let item = Self.cases[index]
        let range = try #require(item.limits.range(item.format, at: Self.now))
        var generator = SplitMix64(seed: UInt64(index))
        var answers = 0
        for _ in 0..<50 {
            var question = DateTimeQuestion(item.format, limits: item.limits, now: Self.now, layout: layout)
            for _ in 0..<400 {
                let gesture: Gesture = [.next, .next, .previous, .select, .select, .undo][generator.below(6)]
                let repeats = generator.below(4) == 0 ? 1 : 0
                guard
                    case .answered(.dateTime(let moment))? = question.handle(.gesture(gesture, repeats: repeats)).first
                else { continue }
                answers += 1
                if item.format == .date {
                    #expect((range.lowerBound.date...range.upperBound.date).contains(moment.date))
                } else {
                    #expect(range.contains(moment))
                }
                break
            }
        }
        #expect(answers > 25)
    }

    static let birthdays: [(layout: Int, most: Int)] = [(0, 48), (1, 48), (2, 26), (3, 26)]

    @Test(arguments: birthdays) func aBirthdaySixtyYearsBackTakesFewPresses(_ panel: Int, _ most: Int) throws {
        let panel = PanelFixtures.panels[panel]
        let step = Step(key: "q", text: "?", format: .dateTime(.date, limits: DateLimits(latest: .now)))
        var run = PanelFixtures.run(PanelFixtures.task([step]), on: panel)
        _ = run.start(at: .zero)
        let edges = try #require(
            PressFinder(panel).presses(for: .answer(.dateTime(Self.at(1966, 8, 13))), in: run, from: .zero))
        #expect(edges.count / 2 <= most, "\(edges.count / 2) presses on \(panel.layout)")
    }

    private static func cues(_ effects: [QuestionEffect]) -> [Cue] {
        effects.compactMap { if case .say(let cue) = $0 { cue } else { nil } }
    }

    @Test func choosingBeginsWithWhatTheStudyProposesAndPassesOverWhatIsDecided() {
        var question = DateTimeQuestion(.date, limits: Self.april, now: Self.now, layout: .three)
        // Decade, year and month have one value each: the first choice is the tens of the day.
        #expect(Self.cues(question.handle(.gesture(.next, repeats: 0))) == [.position("1")])
        #expect(Self.cues(question.handle(.gesture(.select, repeats: 0))) == [.accepted, .position("9")])
        #expect(Self.cues(question.handle(.gesture(.next, repeats: 0))) == [.position("8")], "only 18 and 19")
        #expect(
            Self.cues(question.handle(.gesture(.select, repeats: 0))) == [.accepted, .value("2017 04 18"), .confirm])
        #expect(Self.cues(question.handle(.gesture(.undo, repeats: 0))) == [.undone, .position("1")])
        #expect(Self.cues(question.handle(.gesture(.undo, repeats: 0))) == [.undone])
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.leftOut])
    }

    /// Asked at 9:41 and left alone for six minutes.
    @Test(arguments: [DateTimeFormat.time, .dateTime]) func choosingBeginsWithTheMomentOfThePress(
        format: DateTimeFormat
    ) {
        let asked = MonotonicTime.zero + .seconds(100)
        let press = ButtonEvent(button: 0, isPressed: true, time: asked + .seconds(360))
        var question = DateTimeQuestion(
            format, limits: DateLimits(latest: .now), now: Self.now, time: asked, layout: .three)
        _ = question.handle(.edge(press))
        _ = question.handle(.gesture(.next, repeats: 0))
        var answers: [QuestionEffect] = []
        for _ in 0..<10 where answers.isEmpty {
            answers = question.handle(.gesture(.select, repeats: 0)).filter { $0 != .say(.accepted) }
            if case .say? = answers.first { answers = [] }
        }
        #expect(answers == [.answered(.dateTime(Self.at(2026, 2, 27, 9, 47)))])
        // What was still to come when it was asked may be answered all the same.
        var later = DateTimeQuestion(
            format, limits: DateLimits(earliest: .now), now: Self.now, time: asked, layout: .three)
        _ = later.handle(.edge(press))
        #expect(later.press(towards: .answer(.dateTime(Self.now))) == Press(.next))
    }

    @Test func aProposalBesideTheLimitsIsMovedIntoThem() {
        let limits = DateLimits(latest: .now, initial: Self.at(2030, 5, 5))
        var question = DateTimeQuestion(.date, limits: limits, now: Self.now, layout: .three)
        for gesture: Gesture in [.next, .select, .select, .select, .select] {
            _ = question.handle(.gesture(gesture, repeats: 0))
        }
        #expect(
            Self.cues(question.handle(.gesture(.select, repeats: 0))) == [.accepted, .value("2026 02 27"), .confirm])
    }

    @Test func aSingleDayIsReadBackAtOnceAndCanBeLeftOut() {
        let day = Self.at(2017, 4, 18)
        let limits = DateLimits(earliest: .fixed(day), latest: .fixed(day))
        var question = DateTimeQuestion(.date, limits: limits, now: Self.now, layout: .one)
        #expect(Self.cues(question.handle(.gesture(.next, repeats: 0))) == [.value("2017 04 18"), .confirm])
        #expect(Self.cues(question.handle(.gesture(.undo, repeats: 0))) == [.undone])
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.leftOut])
    }

    @Test func anImpossibleRangeIsRefusedAtEnrolment() {
        let limits = DateLimits(earliest: .fixed(Self.at(2020, 1, 2)), latest: .fixed(Self.at(2020, 1, 1)))
        let step = Step(key: "q", text: "?", format: .dateTime(.date, limits: limits))
        #expect(PanelSupport(step, on: .reference) == .refused("there is no day between its limits; correct them"))
        #expect(
            !PanelSupport(Step(key: "q", text: "?", format: .dateTime(.time, limits: limits)), on: .reference).isRefused
        )
        // The machine is made all the same, and does not fall over.
        var question = DateTimeQuestion(.date, limits: limits, now: Self.now, layout: .three)
        #expect(question.press(towards: .answer(.dateTime(Self.at(2020, 1, 1)))) == nil, "no press leads to a day")
        for gesture: Gesture in [.next, .select, .previous, .undo] {
            _ = question.handle(.gesture(gesture, repeats: 0))
        }
    }

    @Test func validateSaysTheLimits() {
        let step = Step(key: "q", text: "?", format: .dateTime(.date, limits: Self.april))
        guard case .asked(_, let answered) = PanelSupport(step, on: .reference) else {
            Issue.record("refused")
            return
        }
        #expect(answered.contains("to start with 2017 04 19"))
        #expect(answered.contains("; only from 2017-04-18 up to 2017-04-29"))
    }

    @Test func todayIsTheDayOnWhichTheQuestionIsTold() throws {
        let step = Step(key: "q", text: "?", format: .dateTime(.dateTime, limits: DateLimits(latest: .now)))
        var run = PanelFixtures.run(
            PanelFixtures.task([Step(key: "i", text: "", format: .instruction), step]), on: .reference)
        _ = run.start(at: .zero)
        _ = run.handle(.gesture(.select, repeats: 0), at: .zero + .seconds(180))
        let later = Self.at(2026, 2, 27, 9, 44)
        #expect(
            PressFinder(.reference).presses(for: .answer(.dateTime(later)), in: run, from: .zero + .seconds(181)) != nil
        )
        let beyond = Self.at(2026, 2, 27, 9, 45)
        #expect(
            PressFinder(.reference).presses(for: .answer(.dateTime(beyond)), in: run, from: .zero + .seconds(181))
                == nil)
    }

    private static let limits: [(DateTimeFormat, DateLimits, String?)] = [
        (
            .dateTime, DateLimits(earliest: .fixed(at(2017, 4, 18, 8, 0)), latest: .fixed(at(2017, 4, 29, 7, 30))),
            "; only from 2017-04-18T08:00:00 up to 2017-04-29T07:30:00"
        ),
        (.dateTime, DateLimits(earliest: .now), "; only from now"),
        (.dateTime, DateLimits(latest: .now), "; only up to now"),
        (.date, DateLimits(earliest: .now), "; only from today"),
        (.date, DateLimits(earliest: .tomorrow), "; only from tomorrow"),
        (.date, DateLimits(latest: .fixed(at(2017, 4, 29, 7, 30))), "; only up to 2017-04-29"),
        (.date, DateLimits(), nil), (.dateTime, DateLimits(), nil), (.time, DateLimits(latest: .now), nil),
    ]

    /// A moment to the second; a day alone where only days are asked for, and no limit of a time of day.
    @Test(arguments: limits.indices) func validateSaysEachLimitAsItIsAskedFor(_ index: Int) {
        let (format, limits, words) = Self.limits[index]
        let step = Step(key: "q", text: "?", format: .dateTime(format, limits: limits), isRequired: true)
        guard case .asked(_, let answered) = PanelSupport(step, on: .reference) else {
            Issue.record("refused")
            return
        }
        #expect(answered.contains("; only") == (words != nil))
        if let words { #expect(answered.contains(words), "\(answered)") }
    }
}
