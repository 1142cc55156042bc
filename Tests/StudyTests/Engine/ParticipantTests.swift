// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct ParticipantTests {
    static func step(_ format: AnswerFormat) -> Step { Step(key: "q", text: "", format: format) }
    static let choice = ChoiceFormat(options: PanelFixtures.options, isMultiple: false)
    static let ticks = ChoiceFormat(options: PanelFixtures.options, isMultiple: true)
    static let scale = SliderFormat(minimum: 0, maximum: 10, step: 1, minimumLabel: "", maximumLabel: "")

    static let cases: [(String, AnswerFormat, [Wanted])] = [
        ("true", .yesNo(yes: "Ja", no: "Nein"), [.answer(.boolean(true))]),
        ("[\"Nein\",\"Ja\"]", .yesNo(yes: "Ja", no: "Nein"), [.answer(.boolean(false)), .answer(.boolean(true))]),
        ("null", .yesNo(yes: "Ja", no: "Nein"), [.leaveOut]),
        ("[3,null,4]", .slider(scale), [.answer(.number(3)), .leaveOut, .answer(.number(4)), .answer(.number(3))]),
        ("\"orange\"", .choice(choice), [.answer(.choices(["orange"]))]),
        ("[\"banana\",\"apple\"]", .choice(ticks), [.answer(.choices(["banana", "apple"]))]),
        ("[[\"banana\"],[]]", .choice(ticks), [.answer(.choices(["banana"])), .answer(.choices([]))]),
        ("\"\"", .number(NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 0)), [.answer(.cleared)]),
        ("\"some words\"", .text(multiline: true), [.answer(.text("some words"))]),
        (
            "\"2024-02-29T23:05:00+01:00\"", .dateTime(.dateTime),
            [
                .answer(
                    .dateTime(
                        LocalDateTime(LocalDate(year: 2024, month: 2, day: 29)!, LocalTime(hour: 23, minute: 5)!)))
            ]
        ),
        (
            "\"1987-06-30\"", .dateTime(.date),
            [.answer(.dateTime(LocalDateTime(LocalDate(year: 1987, month: 6, day: 30)!, PanelFixtures.now.time)))]
        ),
        (
            "\"08:30\"", .dateTime(.time),
            [.answer(.dateTime(LocalDateTime(PanelFixtures.now.date, LocalTime(hour: 8, minute: 30)!)))]
        ),
    ]

    @Test(arguments: cases) func valuesAreInTheQuestionsOwnTerms(
        _ json: String, _ format: AnswerFormat, _ wanted: [Wanted]
    ) throws {
        let file = "{\"latency\":\"90s\",\"answers\":{\"q\":\(json)},\"otherwise\":\"skip\"}"
        let participant = try Participant(json: Array(file.utf8))
        #expect(participant.latency == .seconds(90))
        var generator = SplitMix64(seed: 1)
        for (turn, value) in wanted.enumerated() {
            let found = try participant.wanted(
                Self.step(format), turn: turn, now: PanelFixtures.now, using: &generator)
            #expect(found == value)
        }
    }

    @Test func habitsAreSharesAndAbsentOnesAreNever() throws {
        let plain = try Participant(json: Array("{}".utf8))
        #expect(
            plain.opens == nil && plain.misses == 0 && plain.delays == 0 && plain.declines == 0 && plain.leaves == 0)
        let file =
            "{\"opens\":0.5,\"misses\":0.2,\"delays\":0.1,\"declines\":0.05,\"silences\":0.65,\"dawdles\":0.4,\"goesBack\":0.3,\"leaves\":1}"
        let shares = try Participant(json: Array(file.utf8))
        #expect(shares.opens == 0.5 && shares.misses == 0.2 && shares.delays == 0.1 && shares.declines == 0.05)
        #expect(shares.goesBack == 0.3 && shares.leaves == 1 && shares.silences == 0.65 && shares.dawdles == 0.4)
        #expect(plain.silences == 0 && plain.dawdles == 0)
    }

    static let faults: [(String, String)] = [
        ("{", "participant file"), ("[]", "participant file"),
        ("{\"otherwise\":\"maybe\"}", "otherwise is \"maybe\"; use skip, first or random"),
        ("{\"latency\":\"soon\"}", "latency is \"soon\""), ("{\"latency\":\"-1s\"}", "latency is \"-1s\""),
        ("{\"latency\":\"12d\"}", "latency is \"12d\""), ("{\"answers\":{\"q\":{\"a\":1}}}", "q is an object"),
        ("{\"answers\":7}", "answers"), ("{\"misses\":1.5}", "misses is 1.5"), ("{\"opens\":-1}", "opens is -1"),
        ("{\"misses\":0.6,\"delays\":0.3,\"declines\":0.2}", "at most 1"),
        ("{\"misses\":0.6,\"delays\":0.3,\"silences\":0.2}", "at most 1"), ("{\"leaves\":\"often\"}", "leaves"),
    ]

    @Test(arguments: faults) func faultsSayWhereAndWhatToDo(_ json: String, _ words: String) {
        let error = #expect(throws: ParticipantError.self) { try Participant(json: Array(json.utf8)) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func aValueThatDoesNotFitNamesTheQuestionAndItsOptions() throws {
        let participant = Participant(answers: ["q": .string("pear")])
        var generator = SplitMix64(seed: 1)
        let error = #expect(throws: ParticipantError.self) {
            try participant.wanted(Self.step(.choice(Self.choice)), turn: 0, now: PanelFixtures.now, using: &generator)
        }
        #expect(error?.description.contains("answers.q: the value \"pear\"") == true)
        #expect(error?.description.contains("\"apple\", \"orange\", \"banana\"") == true)
    }

    @Test(arguments: PanelFixtures.panels) func randomAnswersCanBePressed(_ panel: Panel) throws {
        let participant = Participant(otherwise: .random)
        var generator = SplitMix64(seed: 7)
        for step in CardSheetTests.everyKind {
            var run = PanelFixtures.run(PanelFixtures.task([step]), on: panel)
            _ = run.start(at: .zero)
            for turn in 0..<20 {
                let wanted = try participant.wanted(step, turn: turn, now: PanelFixtures.now, using: &generator)
                #expect(PressFinder(panel).presses(for: wanted, in: run, from: .zero) != nil, "\(step.key): \(wanted)")
            }
        }
    }

    /// What is refused says what is taken.
    @Test(arguments: [
        (AnswerFormat.dateTime(.date, limits: DateLimits(latest: .now)), "a day from 1900-01-01 to 2026-02-27"),
        (
            .dateTime(.dateTime, limits: DateLimits(earliest: .now)),
            "a moment from 2026-02-27T09:41:00 to 2099-12-31T23:59:00"
        ),
        (.dateTime(.dateTime, limits: DateLimits(latest: .now)), "to 2026-02-27T09:41:00"),
    ])
    func aMomentBeyondItsLimitsNamesThem(_ format: AnswerFormat, _ words: String) {
        let isLate = words.hasSuffix("2026-02-27") || words.hasPrefix("to")
        let participant = Participant(answers: ["q": .string(isLate ? "2026-02-28T10:00" : "2026-02-26T10:00")])
        var generator = SplitMix64(seed: 1)
        let error = #expect(throws: ParticipantError.self) {
            try participant.wanted(Self.step(format), turn: 0, now: PanelFixtures.now, using: &generator)
        }
        #expect(error?.description.hasSuffix(words) == true, "\(error as Any)")
    }

    /// A list of its own for each time: as the hint writes it, the script is taken.
    @Test func theHintForAnActiveTaskCanBeCopied() throws {
        let format = AnswerFormat.active(ActiveTaskPlayTests.kicks)
        var generator = SplitMix64(seed: 1)
        func wanted(_ answer: String) throws -> Wanted {
            try Participant(json: Array("{\"answers\":{\"q\":\(answer)}}".utf8)).wanted(
                Self.step(format), turn: 0, now: PanelFixtures.now, using: &generator)
        }
        let error = #expect(throws: ParticipantError.self) { try wanted("\"slowly\"") }
        let hint = try #require(error?.description.split(separator: " ").last).description
        guard case .perform(.presses(let presses)) = try wanted(hint) else {
            Issue.record("\(hint)")
            return
        }
        #expect(presses.count == 1)
    }

    /// It is 27 February 2026, 09:41, which is the last minute and the last day.
    @Test(arguments: [
        ("2026-02-27T09:41", DateTimeFormat.dateTime, true), ("2026-02-27T09:42", .dateTime, false),
        ("2026-02-26T23:59", .dateTime, true), ("2026-02-28T00:00", .dateTime, false), ("2026-02-27", .date, true),
        ("2026-02-28", .date, false), ("2026-02-27", .dateTime, false), ("09:41", .dateTime, false),
        ("09:41", .date, false), ("23:59", .time, true), ("2026-02-30", .date, false),
    ])
    func aMomentBeyondItsLimitsIsRefused(_ text: String, _ format: DateTimeFormat, _ isTaken: Bool) {
        let participant = Participant(answers: ["q": .string(text)])
        var generator = SplitMix64(seed: 1)
        let step = Self.step(.dateTime(format, limits: DateLimits(latest: .now)))
        let wanted = try? participant.wanted(step, turn: 0, now: PanelFixtures.now, using: &generator)
        #expect((wanted != nil) == isTaken)
    }
}
