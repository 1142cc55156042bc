// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// What a script may answer: each kind of question at its limits, and just beyond.
@Suite struct WantedTests {
    private static func isTaken(_ value: ScriptedValue, by format: AnswerFormat) -> Bool {
        (try? Wanted(value, for: format, now: PanelFixtures.now)) != nil
    }

    /// JSON Schema 2020-12, `minimum` and `maximum`: both are inclusive.
    @Test(arguments: [
        (-2.5, true), (-2.51, false), (24, true), (24.01, false), (0, true), (0.001, false), (-0.25, true),
    ])
    func aNumberIsTakenUpToItsLimits(_ number: Double, _ isTaken: Bool) {
        let format = AnswerFormat.number(NumberFormat(minimum: -2.5, maximum: 24, maximumFractionDigits: 2))
        #expect(Self.isTaken(.number(number), by: format) == isTaken)
    }

    @Test func aNumberWithoutLimitsIsTakenAndItsEndsAreOfferedWhereZeroLiesOutside() throws {
        let free = AnswerFormat.number(NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 0))
        #expect(Self.isTaken(.number(-99), by: free) && !Self.isTaken(.number(0.5), by: free))
        for (low, high, first) in [(5.0, 9.0, 5.0), (-9, -5, -5), (-1, 1, 0)] {
            let kind = AnswerFormat.number(NumberFormat(minimum: low, maximum: high, maximumFractionDigits: 0)).kind
            #expect(kind.first(now: PanelFixtures.now) == .answer(.number(first)))
            var generator = SplitMix64(seed: 1)
            for _ in 0..<50 {
                guard case .answer(.number(let drawn)) = kind.random(now: PanelFixtures.now, using: &generator) else {
                    Issue.record("not a number")
                    continue
                }
                #expect((low...high).contains(drawn))
            }
        }
    }

    @Test(arguments: [(0, true), (10, true), (-1, false), (11, false), (2.5, true), (2.4, false)])
    func aSliderIsTakenAtItsStepsAndEnds(_ number: Double, _ isTaken: Bool) {
        let format = AnswerFormat.slider(
            SliderFormat(minimum: 0, maximum: 10, step: 0.5, minimumLabel: "", maximumLabel: ""))
        #expect(Self.isTaken(.number(number), by: format) == isTaken)
    }

    /// By the words on the card or by the value in the data.
    @Test(
        arguments: [
            (ScriptedValue.string("sweet"), ["1"]), (.string("1"), ["1"]), (.string("sour"), ["2"]),
            (.string("2"), ["2"]),
            (.string("salty"), nil), (.string(""), nil), (.list([.string("sour"), .string("1")]), nil),
        ] as [(ScriptedValue, [String]?)])
    func anOptionIsTakenByItsWordsOrItsValue(_ value: ScriptedValue, _ chosen: [String]?) {
        let options = [("1", "sweet"), ("2", "sour")].map { ChoiceFormat.Option(value: $0.0, text: $0.1) }
        let format = AnswerFormat.choice(ChoiceFormat(options: options, isMultiple: false))
        #expect((try? Wanted(value, for: format, now: PanelFixtures.now)) == chosen.map { Wanted.answer(.choices($0)) })
    }

    @Test(arguments: [
        ("2026-03-01", false), ("2026-03-02", true), ("2026-03-09", true), ("2026-03-10", false), ("2026-02-30", false),
    ])
    func aDayIsTakenUpToItsLimits(_ day: String, _ isTaken: Bool) throws {
        let limits = DateLimits(
            earliest: .fixed(try LocalDateTime(parsing: "2026-03-02T00:00")),
            latest: .fixed(try LocalDateTime(parsing: "2026-03-09T00:00")))
        #expect(Self.isTaken(.string(day), by: .dateTime(.date, limits: limits)) == isTaken)
    }

    /// RFC 3339 §5.6: a T or a space between day and time; what a question does not ask for is that of now.
    @Test(
        arguments: [
            (.dateTime, "2026-11-21T08:30", "2026-11-21T08:30"), (.dateTime, "2026-11-21 08:30", "2026-11-21T08:30"),
            (.dateTime, "2026-11-21T08:30:59+01:00", "2026-11-21T08:30"), (.dateTime, "2026-11-21", nil),
            (.dateTime, "08:30", nil), (.dateTime, "2026-02-29T08:30", nil), (.dateTime, "2026-11-21T24:00", nil),
            (.dateTime, "", nil), (.date, "2026-11-21", "2026-11-21T09:41"), (.date, "2026-11", nil),
            (.time, "08:30", "2026-02-27T08:30"), (.time, "23:60", nil), (.time, "8", nil),
        ] as [(DateTimeFormat, String, String?)])
    func aMomentIsTakenAsItIsWritten(_ format: DateTimeFormat, _ text: String, _ moment: String?) throws {
        let wanted = try? Wanted(.string(text), for: .dateTime(format), now: PanelFixtures.now)
        let expected = try moment.map { Wanted.answer(.dateTime(try LocalDateTime(parsing: $0 + ":00"))) }
        #expect(wanted == expected)
    }

    /// Degrees north and east (RFC 7946 §4, WGS 84): up to 90 and 180, both ends included.
    @Test(
        arguments: [
            ("51.5,-0.12", (51.5, -0.12)), ("51.5, -0.12", (51.5, -0.12)), ("90,180", (90, 180)),
            ("-90,-180", (-90, -180)), ("0,0", (0, 0)), ("90.01,0", nil), ("-90.01,0", nil), ("0,180.01", nil),
            ("0,-180.01", nil), ("120,30", nil), ("51.5", nil), ("51.5,", nil), (",0", nil), ("51.5,0,9", nil),
            ("", nil),
            ("north,0", nil), ("nan,0", nil), ("0,inf", nil),
        ] as [(String, (Double, Double)?)])
    func aPlaceIsTakenUpToThePolesAndTheDateLine(_ text: String, _ place: (Double, Double)?) {
        let wanted = try? Wanted(.string(text), for: .position, now: PanelFixtures.now)
        #expect(wanted == place.map { Wanted.answer(.position(latitude: $0.0, longitude: $0.1)) })
    }
}
