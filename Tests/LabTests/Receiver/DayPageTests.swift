// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct DayPageTests {
    private func span(_ start: String, _ end: String, kind: String = "accelerometer") throws -> RecordedSpan {
        let text = """
            {"type":"file","identifier":"x","kind":"\(kind)","startDate":"\(start)","endDate":"\(end)","offset":"+01:00",
            "relativePath":"\(start.filter(\.isNumber))-\(kind).cwa","samplesStored":100,"samplesLost":{}}
            """
        return try #require(RecordedSpan(Array(text.utf8)))
    }

    private func page(
        _ spans: [RecordedSpan], prompts: [PromptOutcome] = [], user: String = "P1", minute: Int? = nil,
        files: [Int64: Upload] = [:]
    ) throws -> String {
        DayPage(
            user: user, day: try LocalDate(parsing: "2026-11-25"), minute: minute, spans: spans,
            known: .init(since: try Instant(rfc3339: "2026-11-25T08:00:00+01:00")), prompts: prompts, answers: [],
            files: files, draws: { _ in true }, late: 15
        ).html.text
    }

    /// Enrolled at eight, on from nine to ten and from eleven over midnight.
    @Test func gapsAreNamedFromTheEnrolmentOn() throws {
        let text = try page([
            try span("2026-11-25T09:00:00+01:00", "2026-11-25T10:00:00+01:00"),
            try span("2026-11-25T11:00:00+01:00", "2026-11-26T01:00:00+01:00"),
        ])
        #expect(text.contains("08:00–09:00") && text.contains("10:00–11:00"))
        #expect(text.split(separator: "<tr><td>accelerometer").count == 3)
        #expect(text.contains("accelerometer: recorded 09:00–10:00, 11:00–24:00"))
        #expect(text.contains("88 %"))
    }

    @Test func aPromptIsDrawnAtItsTimeWithItsReason() throws {
        func prompt(_ due: String, _ outcome: String, _ reason: String?) -> PromptOutcome {
            PromptOutcome(
                occurrence: due, task: "mood", due: due, outcome: outcome, reason: reason, presented: nil, ended: nil)
        }
        let text = try page(
            [],
            prompts: [
                prompt("2026-11-25T10:30:00.000+01:00", "completed", nil),
                prompt("2026-11-25T12:00:00.000+01:00", "missed", "device-off"),
                prompt("2026-11-25T13:00:00.000+01:00", "missed", "not-worn"),
                prompt("2026-11-25T00:30:00.000+01:00", "missed", "before-enrolment"),
                prompt("2026-11-26T00:30:00.000+01:00", "expired", nil),
            ])
        #expect(text.contains("M37800 1h600v14") && text.contains("M43200 1h600v7"))
        // Who did not wear the device missed it, and the device did not.
        #expect(text.contains("1 answered, 0 not answered, 2 missed") && !text.contains("by the device"))
        #expect(text.contains("missed: device off") && text.contains("missed: not worn"))
        #expect(!text.contains("not answered in time"))
    }

    @Test(arguments: [(0, 0), (539, 0), (540, 1), (599, 1), (600, 0), (1439, 0)])
    func aMinuteIsDrawnWhereARecordingHoldsIt(minute: Int, drawn: Int) throws {
        var span = try span("2026-11-25T09:00:00+01:00", "2026-11-25T10:00:00+01:00")
        span.upload = 7
        let file = Upload(
            number: 7, id: "x", user: "P1", kind: "", name: span.file, metadata: "{}", length: 1, offset: 1,
            created: .epoch, changed: .epoch, expected: nil, sha256: "x", file: "7", sameAs: nil, mismatches: 0)
        let text = try page([span], minute: minute, files: [7: file])
        #expect(text.split(separator: "<figure").count - 1 == drawn)
        if drawn == 1 {
            #expect(text.contains("/files/7/preview?day=2026-11-25&amp;at=\(LabQuery.clock(minute))"))
        }
    }

    @Test func namesAreNoMarkup() throws {
        let text = try page(
            [try span("2026-11-25T09:00:00+01:00", "2026-11-25T10:00:00+01:00", kind: "<b>")], user: "<i>")
        #expect(!text.contains("<b>") && !text.contains("<i>"))
    }

    private func answer(at time: String) -> StoredRecord {
        let fields = SchemaPostTests.response.map { name, value in
            FormField(name: name, value: name == "response_time" ? time : value)
        }
        return StoredRecord(
            id: 1, received: .epoch, path: "/schema", post: SchemaPost(fields), duplicateOf: nil, warnings: [])
    }

    /// Recordings, prompts and answers: what there is of a day is shown, and what there is not has no table.
    @Test(arguments: [
        (true, false, false), (false, true, false), (false, false, true), (true, true, true), (false, false, false),
    ])
    func eachPartIsThereWhereItsDayHasIt(isRecorded: Bool, isAsked: Bool, isAnswered: Bool) throws {
        func prompt(_ due: String) -> PromptOutcome {
            PromptOutcome(
                occurrence: due, task: "mood", due: due, outcome: "expired", reason: nil, presented: nil, ended: nil)
        }
        let spans = [try span("2026-11-25T09:00:00+01:00", "2026-11-25T10:00:00+01:00")]
        let text = DayPage(
            user: "P1", day: try LocalDate(parsing: "2026-11-25"), minute: nil, spans: isRecorded ? spans : [],
            known: .init(),
            prompts: [prompt("2026-11-\(isAsked ? 25 : 24)T10:30:00.000+01:00")],
            answers: isAnswered ? [answer(at: "2026-11-25T10:31:00+01:00")] : [], files: [:], draws: { _ in true },
            late: 15
        ).html.text
        #expect(text.contains("Nothing is known of this day") == !(isRecorded || isAsked || isAnswered), "\(text)")
        #expect(text.contains("accelerometer: recorded 09:00–10:00") == isRecorded)
        #expect(text.contains("/tables/prompts.csv") == isAsked && text.contains("prompts: 0 answered") == isAsked)
        #expect(text.contains("/tables/answers.csv") == isAnswered)
        // A bar of ten minutes from 10:31 on.
        #expect(text.contains("answers: 1 answer\"") == isAnswered && text.contains("M37860 1h600") == isAnswered)
    }

    @Test func aDayWithoutAnythingSaysSo() throws {
        let text = DayPage(
            user: "P1", day: try LocalDate(parsing: "2026-11-25"), minute: nil, spans: [], known: .init(), prompts: [],
            answers: [], files: [:], draws: { _ in true }, late: 15
        ).html.text
        #expect(text.contains("Nothing is known of this day"))
    }
}
