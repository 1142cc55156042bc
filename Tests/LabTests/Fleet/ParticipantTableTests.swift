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
