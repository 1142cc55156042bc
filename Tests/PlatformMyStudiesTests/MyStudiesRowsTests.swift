// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformMyStudies

struct MyStudiesRowsTests {
    static let newYork = Zone(fixed: -5 * 3_600, identifier: "New York", abbreviation: "EST")
    static let berlin = Zone(fixed: 3_600, identifier: "Berlin", abbreviation: "CET")

    static let property = ServerVariable(
        variable: "v", table: "ParticipantProperties", column: "Birth", externalColumn: "BirthExternalId",
        entryColumn: "BirthEntryDate", refreshes: true)

    static func rows(_ cells: String...) throws -> MyStudiesRows {
        let all = cells.map { #"{"data":{\#($0)}}"# }.joined(separator: ",")
        return try #require(MyStudiesRows(Array(#"{"schemaName":"x","rows":[\#(all)]}"#.utf8)))
    }

    static func date(_ text: String) throws -> AnswerValue { .dateTime(try #require(MyStudiesDates.local(text))) }

    @Test func asksForColumnsOfTheListAsTheAppDoes() {
        #expect(
            MyStudiesRows.query(Self.property)
                == "SELECT Birth,BirthExternalId,BirthEntryDate FROM ParticipantProperties")
        let answer = ServerVariable(variable: "v", table: "DiaryForm1", column: "due")
        #expect(MyStudiesRows.query(answer) == "SELECT due,Created FROM DiaryForm1")
        let odd = ServerVariable(variable: "v", table: "FKC-74", column: "a b\"; DROP")
        #expect(MyStudiesRows.query(odd) == #"SELECT "a b; DROP",Created FROM "FKC-74""#)
    }

    @Test(arguments: [
        ("2026/03/01 00:00:00", "2026-03-01T00:00:00"), ("2026-03-01 00:00:00.000", "2026-03-01T00:00:00"),
        ("2026-03-01", "2026-03-01T00:00:00"), ("2026/03/01 20:30:00", "2026-03-02T02:30:00"),
        ("2026-12-30 12:00:00.000", "2026-12-30T18:00:00"), ("2026-03-01T20:30:00.000+0100", "2026-03-01T20:30:00"),
    ])
    func aDayStaysADayAndAMomentIsConverted(_ written: String, _ expected: String) throws {
        let rows = try Self.rows(#""Birth":{"value":"\#(written)"}"#)
        let plain = ServerVariable(variable: "v", table: "ParticipantProperties", column: "birth")
        let values = rows.values(of: plain, known: [:], server: Self.newYork, device: Self.berlin)
        #expect(values == ["v": try Self.date(expected)])
    }

    @Test(arguments: [
        #"{}"#, #"{"rows":3}"#, "no JSON", #"{"rows":[]}"#, #"{"rows":[{"data":{"Birth":{"value":null}}}]}"#,
        #"{"rows":[{"data":{"Birth":{"value":"soon"}}}]}"#, #"{"rows":[{"data":[]}]}"#,
    ])
    func whatHoldsNoDateSetsNothing(_ text: String) {
        let values = MyStudiesRows(Array(text.utf8))?.values(
            of: Self.property, known: [:], server: .utc, device: .utc)
        #expect(values?.isEmpty ?? true)
    }

    /// The app's question has no ORDER BY, and without one SQL fixes no order.
    @Test(arguments: [
        ([("2026-03-01", "2026/05/02 08:00:00"), ("2026-04-01", "2026/05/01 08:00:00")], "2026-03-01"),
        ([("2026-03-01", "2026/05/01 08:00:00"), ("2026-04-01", "2026/05/02 08:00:00")], "2026-04-01"),
        ([("2026-03-01", "2026/05/01 08:00:00"), ("2026-04-01", "2026/05/01 08:00:00")], "2026-04-01"),
        ([("2026-03-01", "2026/05/01 08:00:00"), ("", "2026/05/02 08:00:00")], "2026-03-01"),
        ([("2026-03-01", ""), ("2026-04-01", "")], "2026-04-01"),
    ])
    func theNewestAnswerCountsWhateverTheOrderOfRows(_ answers: [(String, String)], _ day: String) throws {
        let cells = answers.map { #"{"data":{"due":{"value":"\#($0.0)"},"Created":{"value":"\#($0.1)"}}}"# }
        let rows = try #require(MyStudiesRows(Array(#"{"rows":[\#(cells.joined(separator: ","))]}"#.utf8)))
        let variable = ServerVariable(variable: "v", table: "Diary", column: "due")
        #expect(
            rows.values(of: variable, known: [:], server: .utc, device: .utc) == ["v": try Self.date(day + "T00:00:00")]
        )
    }

    @Test func ofManyRowsTheNewestCounts() throws {
        let cells = (0..<1_500).map { number in
            let day = LocalDate(daysSinceEpoch: 20_000 + number)
            return #"{"data":{"due":{"value":"\#(day)"},"Created":{"value":"\#(day) 08:00:00"}}}"#
        }
        let rows = try #require(MyStudiesRows(Array(#"{"rows":[\#(cells.joined(separator: ","))]}"#.utf8)))
        let variable = ServerVariable(variable: "v", table: "Diary", column: "due")
        let last = LocalDate(daysSinceEpoch: 21_499)
        #expect(
            rows.values(of: variable, known: [:], server: .utc, device: .utc)
                == ["v": .dateTime(LocalDateTime(last, .midnight))])
    }

    @Test func anotherExternalValueAddsADateAndTheSameOneCorrectsTheLast() throws {
        func take(_ day: String, _ external: String, _ known: [String: AnswerValue]) throws -> [String: AnswerValue] {
            let rows = try Self.rows(#""Birth":{"value":"\#(day)"},"BirthExternalId":{"value":"\#(external)"}"#)
            let news = rows.values(of: Self.property, known: known, server: .utc, device: .utc)
            return known.merging(news) { $1 }
        }
        var known = try take("2026-03-01", "A", [:])
        #expect(known["v/all"] == .choices(["2026-03-01"]))
        known = try take("2026-03-05", "A", known)
        #expect(known["v/all"] == .choices(["2026-03-05"]))
        known = try take("2026-06-01", "B", known)
        #expect(known["v/all"] == .choices(["2026-03-05", "2026-06-01"]))
        let last = try Self.date("2026-06-01T00:00:00")
        #expect(known["v"] == last && known["v/external"] == .text("B"))
        #expect(try take("2026-06-01", "B", known) == known)
    }

    @Test func propertiesKnownBeforehandAreTaken() throws {
        let values = MyStudiesRows.values(
            of: [Self.property], properties: ["Birth": "2026-03-01", "Other": "x"], server: .utc)
        #expect(values == ["v": try Self.date("2026-03-01T00:00:00")])
    }

    @Test(
        arguments: [
            ("2017-06-08T12:55:22.000-0400", 1_496_940_922), ("2017-06-08T12:55:22.000+0000", 1_496_926_522),
            ("2017-06-08T12:55:22Z", 1_496_926_522), ("2017-06-08T12:55:22", 1_496_926_522),
        ] as [(String, Int64)])
    func stampsWithOffsetAreMoments(_ text: String, _ seconds: Int64) {
        #expect(MyStudiesRows.instant(text) == Instant(seconds: seconds))
    }
}
