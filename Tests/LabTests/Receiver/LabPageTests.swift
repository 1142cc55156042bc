// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct LabPageTests {
    private func span(
        _ start: String, _ end: String, kind: String = "accelerometer", stored: Int, lost: Int,
        offset: String = "+01:00"
    ) throws -> RecordedSpan {
        let text = """
            {"type":"file","identifier":"x","kind":"\(kind)","startDate":"\(start)","endDate":"\(end)","offset":"\(offset)",
            "relativePath":"000001-\(kind).cwa","samplesStored":\(stored),"samplesLost":{"notRunning":\(lost)}}
            """
        return try #require(RecordedSpan(Array(text.utf8)))
    }

    @Test func aRecordingOverMidnightCountsInBothDaysOfTheDevicesClock() throws {
        let rows = Actogram([
            try span("2026-11-21T22:00:00.000+01:00", "2026-11-22T02:00:00.000+01:00", stored: 300, lost: 100),
            try span("2026-11-22T02:00:00.000+01:00", "2026-11-22T03:00:00.000+01:00", stored: 100, lost: 0),
        ]).rows
        #expect(rows.map(\.day.description) == ["2026-11-21", "2026-11-22"])
        #expect(rows.map(\.bars) == [[79_200..<86_400], [0..<10_800]])
        #expect(rows.map(\.stored) == [5400, 9000] && rows.map(\.wall) == [7200, 10_800])
        #expect(rows.map(\.coverage) == [75, 83])
    }

    @Test func aDayThatIsRecordedFromMidnightToMidnightLacksNothing() throws {
        let rows = Actogram([
            try span("2026-11-21T08:00:00+01:00", "2026-11-23T06:00:00+01:00", stored: 100, lost: 0)
        ]).rows
        #expect(rows.map(\.bars) == [[28_800..<86_400], [0..<86_400], [0..<21_600]])
        #expect(rows.map(\.wall) == [57_600, 86_400, 21_600] && rows.map(\.notRecorded) == [0, 0, 0])
    }

    /// London, where in 2027 the clocks go on from 1 to 2 on March 28, and back from 2 to 1 on October 31: that day has
    /// 23 hours or 25, and the first one begins by its own offset.
    @Test(
        arguments: [
            (
                "2027-03-26T09:00:00Z", "2027-03-28T01:00:00Z", "2027-03-29T06:00:00+01:00", 82_800,
                [0..<3600, 7200..<86_400]
            ),
            ("2027-10-29T09:00:00+01:00", "2027-10-31T01:00:00Z", "2027-11-01T06:00:00Z", 90_000, [0..<86_400]),
        ] as [(String, String, String, Int, [Range<Int>])])
    func aDayIsAsLongAsItIsWhereTheClocksChange(
        enrolled: String, change: String, end: String, seconds: Int, bars: [Range<Int>]
    ) throws {
        let spans = [
            try span(enrolled, change, stored: 100, lost: 0, offset: enrolled.hasSuffix("Z") ? "Z" : "+01:00"),
            try span(change, end, stored: 100, lost: 0, offset: end.hasSuffix("Z") ? "Z" : "+01:00"),
        ]
        let rows = Actogram(spans, .init(since: try Instant(rfc3339: enrolled))).rows
        #expect(rows.map(\.wall) == [54_000, 86_400, seconds, 21_600] && rows[2].bars == bars)
        #expect(rows.map(\.notRecorded) == [0, 0, 0, 0] && rows.map(\.coverage) == [100, 100, 100, 100])
    }

    @Test func anEmptyPageNamesTheServerAsItIsReached() {
        let page = Page.empty(address: "https://lab.example").text
        #expect(page.contains("--post-url https://lab.example/schema") && !page.contains("http://"), "\(page)")
    }

    @Test func theSameRecordingUploadedTwiceCountsOnce() throws {
        let one = try span("2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z", stored: 10, lost: 0)
        #expect(Actogram([one, one]).rows.map(\.stored) == [3600])
    }

    /// On from nine to ten and from eleven to twelve, enrolled at eight: half of the time until the
    /// last recording is there, whatever the recordings say of themselves. A day in between without
    /// any is not left out.
    @Test func timeWithoutARecordingCounts() throws {
        let spans = [
            try span("2026-11-21T09:00:00+01:00", "2026-11-21T10:00:00+01:00", stored: 100, lost: 0),
            try span("2026-11-21T11:00:00+01:00", "2026-11-21T12:00:00+01:00", stored: 100, lost: 0),
        ]
        #expect(
            Actogram(spans, .init(since: try Instant(rfc3339: "2026-11-21T08:00:00+01:00"))).rows.map(\.coverage) == [
                50
            ])
        let later = spans + [try span("2026-11-23T00:00:00+01:00", "2026-11-23T06:00:00+01:00", stored: 100, lost: 0)]
        let rows = Actogram(later, .init(since: try Instant(rfc3339: "2026-11-21T08:00:00+01:00"))).rows
        #expect(rows.map(\.day.description) == ["2026-11-21", "2026-11-22", "2026-11-23"])
        #expect(rows.map(\.coverage) == [13, 0, 100])
    }

    /// Enrolled again at ten: what was recorded of the enrolment before is drawn, and not counted beside the new
    /// one's time.
    @Test func onTheDayOfANewEnrolmentOnlyWhatFollowsItCounts() throws {
        var known = Actogram.Known(since: try Instant(rfc3339: "2026-11-21T10:00:00+01:00"))
        known.until = try Instant(rfc3339: "2026-11-21T11:00:00+01:00")
        let rows = Actogram(
            [
                try span("2026-11-20T08:00:00+01:00", "2026-11-20T09:00:00+01:00", stored: 100, lost: 0),
                try span("2026-11-21T08:00:00+01:00", "2026-11-21T09:50:00+01:00", stored: 100, lost: 0),
                try span("2026-11-21T09:58:00+01:00", "2026-11-21T10:45:00+01:00", stored: 100, lost: 0),
            ], known
        ).rows
        #expect(rows.map(\.stored) == [3600, 2700] && rows.map(\.wall) == [0, 3600])
        #expect(rows.map(\.coverage) == [nil, 75] && rows[1].notRecorded == 900)
        #expect(rows[1].bars == [28_800..<35_400, 35_880..<38_700] && rows[1].gaps == [38_700..<39_600])
    }

    /// docs/lab.md, Coverage: recordings of tasks do not count. Without the three minutes that were not
    /// recorded, a task of the same accelerometer would make the hour whole.
    @Test func whatATaskRecordsCountsOnce() throws {
        let times = (start: "2026-11-21T09:00:00+01:00", end: "2026-11-21T09:57:00+01:00")
        func extra(_ kind: String) throws -> RecordedSpan {
            let text =
                #"{"kind":"\#(kind)","startDate":"2026-11-21T09:10:00+01:00","endDate":"2026-11-21T09:20:00+01:00","#
            let rest = #""offset":"+01:00","relativePath":"2.cwa","samplesStored":9,"task":{"task":"walk","run":"1"}}"#
            return try #require(RecordedSpan(Array((text + rest).utf8)))
        }
        var known = Actogram.Known()
        known.until = try Instant(rfc3339: "2026-11-21T10:00:00+01:00")
        let all = try span(times.start, times.end, stored: 100, lost: 0)
        let rows = Actogram([all, try extra("accelerometer"), try extra("gyroscope")], known).rows
        #expect(rows.map(\.kind) == ["accelerometer", "gyroscope"])
        #expect(rows.map(\.stored) == [3420, 600] && rows.map(\.coverage) == [95, nil] && rows[0].notRecorded == 180)
    }

    @Test(arguments: [
        (0, 10, "0 %"), (1, 1000, "< 1 %"), (8, 13, "62 %"), (2, 3, "67 %"), (999, 1000, "> 99 %"),
        (995, 1000, "> 99 %"), (994, 1000, "99 %"),
        (10, 10, "100 %"), (0, 0, "–"),
    ])
    func sharesAreRoundedButNeverToAllOrNothing(part: Int, whole: Int, text: String) {
        #expect(Percent.text(part, of: whole) == text)
    }

    @Test(arguments: [
        "", "{}", "[]",
        #"{"kind":"sound","startDate":"2026-11-21T10:00:00Z","endDate":"2026-11-21T09:00:00Z","samplesStored":1,"relativePath":"x"}"#,
        #"{"kind":"sound","startDate":"2026-11-21T10:00:00Z","endDate":"2026-11-21T11:00:00Z","samplesStored":-1,"relativePath":"x"}"#,
        #"{"kind":"sound","startDate":"2026-11-21T10:00:00Z","endDate":"2026-11-21T11:00:00Z","samplesStored":1e300,"relativePath":"x"}"#,
        #"{"kind":"sound","startDate":"2026-11-21T10:00:00Z","endDate":"2026-11-21T11:00:00Z","samplesStored":1e13,"relativePath":"x"}"#,
    ]) func whatIsNoDescriptionIsNoRecording(text: String) { #expect(RecordedSpan(Array(text.utf8)) == nil) }

    /// A device may send anything; numbers that are shared out over a day's seconds must
    /// fit when they are.
    @Test func theLargestNumbersOfADescriptionAreDrawn() throws {
        let day = (start: "2026-11-21T00:00:00Z", end: "2026-11-22T00:00:00Z")
        let rows = Actogram([try span(day.start, day.end, stored: 999_999_999_999, lost: 999_999_999_999)]).rows
        #expect(rows.map(\.coverage).allSatisfy { $0 == 50 })
        for offset in ["+9223372036854775807:00", "-9223372036854775808:59", "+19:00", "+01:60"] {
            let text =
                #"{"kind":"sound","startDate":"\#(day.start)","endDate":"\#(day.end)","samplesStored":1,"relativePath":"x","offset":"\#(offset)"}"#
            #expect(RecordedSpan(Array(text.utf8))?.offset == 0, "\(offset)")
        }
    }

    @Test func aDescriptionOfManyYearsFillsNoPage() throws {
        let rows = Actogram([try span("1990-01-01T00:00:00Z", "2200-01-01T00:00:00Z", stored: 1, lost: 0)]).rows
        #expect(rows.count <= Actogram.days + 1)
    }

    /// A recording of a month, from noon to noon, is drawn whole on its 32 days.
    @Test func aRecordingOfAMonthIsDrawnWhole() throws {
        let month = try span("2026-10-01T12:00:00+01:00", "2026-11-01T12:00:00+01:00", stored: 9, lost: 0)
        let rows = Actogram([month], days: .max).rows
        #expect(rows.count == 32)
        #expect(rows.first?.bars == [43_200..<86_400] && rows.last?.bars == [0..<43_200])
        #expect(rows.map(\.stored).reduce(0, +) == 31 * 86_400 && rows.allSatisfy { $0.coverage == 100 })
    }

    @Test func complianceIsReadAsItIsTold() throws {
        let told = try #require(ComplianceDays("2026-11-21=5/3/1/2 2026-11-22=4/1/0/0"))
        #expect(told.days.map { [$0.due, $0.answered, $0.late, $0.missed] } == [[5, 3, 1, 2], [4, 1, 0, 0]])
    }

    @Test(arguments: [
        "", "x", "2026-11-21", "2026-11-21=1/2/3", "2026-11-21=1/2/0/0", "2026-13-21=1/0/0/0", "2026-11-21=3/1/2/0",
        "2026-11-21=-1/0/0/0",
    ])
    func whatCannotBeIsPassedOver(field: String) { #expect(ComplianceDays(field) == nil) }

    @Test func whatTheLatestUploadToldOfAParticipantIsShown() async throws {
        let heads = try LogHeads(.memory)
        let (log, now) = (String(repeating: "ab", count: 16), Instant(seconds: 1_780_000_000))
        let field = "\(log) 3:\(String(repeating: "0", count: 32))"
        try await heads.record(field, user: "P1", at: now)
        try await heads.record(compliance: "2026-11-21=5/3/1/2", of: field, at: now)
        try await heads.record(compliance: "nonsense", of: field, at: now)
        #expect(try await heads.compliance(of: "P1")?.days.map(\.due) == [5])
        #expect(try await heads.compliance(of: "P2") == nil)
    }

    /// It is said where strangers may read: a server that is reached from elsewhere, and asks for no token.
    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func thePageSaysThatAnyoneCanReadIt(isExposed: Bool, hasToken: Bool) async throws {
        try await withFolder { folder in
            try await withReceiver(
                folder,
                {
                    $0.isExposed = isExposed
                    if hasToken { $0.token = try? AccessToken("correct-horse-battery-staple") }
                }
            ) { url, _ in
                let page = try await curl("-u", "lab:correct-horse-battery-staple", url + "/")
                #expect(page.hasPrefix("HTTP/1.1 200"))
                #expect(page.contains("Anyone who can reach this machine can read") == (isExposed && !hasToken))
            }
        }
    }
}
