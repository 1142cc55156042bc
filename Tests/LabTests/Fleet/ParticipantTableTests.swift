// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct ParticipantTableTests {
    private let now = Instant(seconds: 1_780_000_000)

    private func row(
        _ name: String, label: String = "", note: String = "", attention: [Attention.Kind] = [], study: String = "mood",
        battery: String = "0.83", changes: KeyValuePairs<String, String> = [:], days: [PromptDay] = []
    ) throws -> ParticipantRow {
        var device = try FleetSamples.device(changes, first: now, received: now - .seconds(60))
        device.report = try DeviceReport(
            device.report.json.with("participant", .string(name)).with("study", .string(study))
                .with("power", JSONReader.value(#"{"underVoltage":null,"battery":\#(battery)}"#)))
        return ParticipantRow(
            participant: name, note: .init(label: label, text: note, revision: 0), summary: nil, device: device,
            study: study,
            attention: attention.map { Attention(kind: $0, since: now, text: "\($0)") }, coverage: nil, days: days,
            faults: 0, missing: nil)
    }

    private func query(_ change: (inout LabQuery) -> Void) -> LabQuery {
        var query = LabQuery()
        change(&query)
        return query
    }

    private func names(_ rows: [ParticipantRow], _ change: (inout LabQuery) -> Void = { _ in }) throws -> [String] {
        try rows.chosen(by: query(change)).map(\.participant)
    }

    @Test func theMostUrgentComesFirstUnlessAColumnIsAskedFor() throws {
        let rows = [
            try row("a"), try row("b", attention: [.battery]), try row("c", attention: [.silent, .version]),
            try row("d", battery: "null"),
        ]
        #expect(try names(rows) == ["c", "b", "a", "d"])
        #expect(try names(rows) { $0.sort = "participant" } == ["a", "b", "c", "d"])
        #expect(try names(rows) { $0.sort = "-participant" } == ["d", "c", "b", "a"])
    }

    @Test(arguments: [("batteryShare", ["low", "high", "unknown"]), ("-batteryShare", ["high", "low", "unknown"])])
    func whatIsUnknownComesLastInBothDirections(sort: String, order: [String]) throws {
        let rows = [
            try row("unknown", battery: "null"), try row("high", battery: "0.9"), try row("low", battery: "0.1"),
        ]
        #expect(try names(rows) { $0.sort = sort } == order)
    }

    @Test func aColumnThatThereIsNotIsRefused() {
        #expect(throws: HTTPFailure.self) { try [ParticipantRow]().chosen(by: query { $0.sort = "nothing" }) }
    }

    @Test(arguments: [
        ("any", "", "", "", ["b", "c"]), ("silent", "", "", "", ["c"]), ("", "sleep", "", "", ["d"]),
        ("", "", "SHELF", "", ["a"]), ("", "", "swapped", "", ["b"]), ("", "", "none such", "", []),
        ("", "", "", "a", ["a"]), ("silent", "sleep", "", "", []),
    ])
    func filtersAreInTheAddress(
        attention: String, study: String, text: String, user: String, expected: [String]
    ) throws {
        func given(_ text: String) -> String? { text.isEmpty ? nil : text }
        let rows = [
            try row("a", label: "shelf 3"), try row("b", note: "battery swapped", attention: [.battery]),
            try row("c", attention: [.silent]), try row("d", study: "sleep"),
        ]
        let found = try names(rows) { query in
            (query.attention, query.study, query.text, query.user) = (
                given(attention), given(study), given(text), given(user)
            )
        }
        #expect(found.sorted() == expected)
    }

    @Test func aParticipantOfTwoStudiesIsCountedOnce() throws {
        let rows = [try row("a"), try row("a", study: "sleep"), try row("b")]
        for (shown, words) in [(rows, "2 participants"), (Array(rows.prefix(2)), "1 participant")] {
            let text = ParticipantTable(rows: shown, studies: [], query: LabQuery(), now: now).html.text
            #expect(text.contains("<span>\(words)</span>"))
        }
    }

    /// WCAG 1.4.1: colour is not the only sign.
    @Test func everyStateHasASignAndAWord() throws {
        let rows = [
            try row("a"), try row("b", attention: [.disk]), try row("c", changes: ["state": "\"ended\""]),
        ]
        let text = ParticipantTable(rows: rows, studies: [], query: LabQuery(), now: now).html.text
        for (word, sign) in [("well", "✓"), ("needs attention", "!"), ("over", "–")] {
            #expect(text.contains("aria-label=\"\(word)\">\(sign)</b>"))
        }
    }

    @Test func namesLabelsAndNotesAreNoMarkup() throws {
        let bad = "<script>\"'&"
        let text = ParticipantTable(
            rows: [try row(bad, label: bad, note: bad, study: bad)], studies: [bad, "x"],
            query: query { ($0.text, $0.study, $0.sort) = (bad, bad, "participant") }, now: now
        ).html.text
        #expect(!text.contains("<script") && text.contains("&lt;script&gt;&quot;&#39;&amp;"))
    }

    @Test(arguments: [(100, 1, 100), (101, 1, 100), (101, 2, 1), (101, 3, 0)])
    func aPageHasAHundred(count: Int, page: Int, shown: Int) throws {
        let one = try row("p")
        let table = ParticipantTable(
            rows: Array(repeating: one, count: count), studies: [], query: query { $0.page = page }, now: now)
        #expect(table.html.text.split(separator: "<th scope=\"row\">").count - 1 == shown)
        #expect(table.html.text.contains("aria-label=\"Pages\"") == (count > 100))
    }

    /// Of 250 there are three pages, and of 10,001 the first hundred are linked.
    @Test(arguments: [(101, 1, 2), (200, 2, 2), (201, 3, 3), (250, 2, 3), (10_001, 1, 100)])
    func everyPageIsLinkedButTheOneThatIsShown(count: Int, page: Int, pages: Int) throws {
        let one = try row("p")
        let text = ParticipantTable(
            rows: Array(repeating: one, count: count), studies: [], query: query { $0.page = page }, now: now
        ).html.text
        let nav = try #require(
            text.split(separator: "aria-label=\"Pages\">Page ").last?.split(separator: "</nav>").first)
        let links = (1...pages).map { number in
            number == page
                ? "<b aria-current=\"page\">\(number)</b>"
                : "<a href=\"\(query { $0.page = number }.address())\">\(number)</a>"
        }
        #expect(nav.split(separator: "> ").map { "\($0)>" } == links)
    }

    /// Six units for a day, the latest day of UTC at the right; where the participant's clock is ahead of UTC it is
    /// their tomorrow already. At most 28 days are drawn.
    @Test(
        arguments: [
            (14, 0, 78), (14, -13, 0), (14, -14, nil), (14, 1, 84), (14, 2, nil), (1, 0, 0), (1, -1, nil),
            (28, -27, 0), (29, -28, nil), (3660, 0, 162),
        ] as [(Int, Int, Int?)])
    func aBarIsAtItsDay(count: Int, day: Int, place: Int?) {
        let today = LocalDateTime(now, offset: 0).date
        let text = DayBars(days: [PromptDay(day: today.adding(days: day), answered: 1)], count: count, now: now).html
            .text
        #expect(text.contains("<path d=\"\(place.map { "M\($0) 0h5v26h-5z" } ?? "")\" fill=\"var(--a)\"/>"), "\(text)")
        #expect(text.contains("viewBox=\"0 0 \((min(count, 28) + 1) * 6) 26\""))
    }

    /// The day with most prompts has the whole height of 26, answered at the bottom and missed at the top; what there
    /// is of a day is seen.
    @Test func barsAreAsHighAsTheirDayHasPrompts() {
        let today = LocalDateTime(now, offset: 0).date
        let days = [
            PromptDay(day: today.adding(days: -1), answered: 1),
            PromptDay(day: today, answered: 13, unanswered: ["expired": 6, "missed/device-off": 7]),
        ]
        let text = DayBars(days: days, count: 2, now: now).html.text
        let paths = text.split(separator: "d=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(paths == ["M0 24h5v2h-5zM6 13h5v13h-5z", "M6 7h5v6h-5z", "M6 0h5v7h-5z"])
    }

    /// Ten of eleven answered and one still open: every prompt that is over was answered.
    @Test func anOpenPromptIsNotInThePercentage() throws {
        func shown(_ told: String) throws -> String {
            let days = Participants.days([], told)
            return ParticipantTable(rows: [try row("p", days: days)], studies: [], query: LabQuery(), now: now).html
                .text
        }
        #expect(try shown("2026-11-21=11/10/0/0").contains(">10 of 10 (100 %)"))
        #expect(try shown("2026-11-21=13/8/0/5").contains(">8 of 13 (62 %)"))
        #expect(try shown("2026-11-21=1/0/0/0").contains("data-name=\"answered\">–"))
    }

    /// The day on which the device was exchanged has prompts of both.
    @Test func theDaysOfAllOfAParticipantsDevicesAreCounted() throws {
        let (one, two) = (try LocalDate(parsing: "2026-11-21"), try LocalDate(parsing: "2026-11-22"))
        var devices = [
            try FleetSamples.device(first: now, received: now), try FleetSamples.device(first: now, received: now),
        ]
        devices[0].promptDays = [PromptDay(day: one, answered: 3), PromptDay(day: two, answered: 1, late: 1)]
        devices[1].promptDays = [PromptDay(day: two, answered: 2, unanswered: ["expired": 1])]
        #expect(
            Participants.days(devices, nil) == [
                PromptDay(day: one, answered: 3), PromptDay(day: two, answered: 3, late: 1, unanswered: ["expired": 1]),
            ])
    }
}
