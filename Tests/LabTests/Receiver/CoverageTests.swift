// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab

/// Coverage is stored time over wall time since the enrolment, each rest by its reason.
@Suite(.timeLimit(.minutes(10))) struct CoverageTests {
    private let day = Instant(seconds: 1_780_000_000)

    private func span(
        _ from: Int, _ to: Int, stored: Int = 100, lost: String = "", identifier: String = "x",
        unit: String = "samples",
        kind: String = "accelerometer", more: String = ""
    ) throws -> RecordedSpan {
        let (start, end) = (day + .seconds(from * 60), day + .seconds(to * 60))
        let text = """
            {"kind":"\(kind)","identifier":"\(identifier)","countedUnit":"\(unit)","startDate":"\(start.rfc3339())","endDate":"\(end.rfc3339())","offset":"Z",
            "relativePath":"1.cwa","samplesStored":\(stored),"samplesLost":{\(lost)}\(more)}
            """
        return try #require(RecordedSpan(Array(text.utf8)))
    }

    private func coverage(_ spans: [RecordedSpan], enrolled: Int?, now: Int, channels: [String] = []) async throws
        -> Coverage?
    {
        let archive = try Archive(.memory)
        if let enrolled {
            try await archive.noteEnrolment(
                .init(enrolment: "e", study: "S", moment: day + .seconds(enrolled * 60), channels: channels), of: "P1")
        }
        for span in spans { try await archive.noteRecording(span, of: "P1", enrolment: "e") }
        return try await archive.coverage(of: "P1", at: day + .seconds(now * 60))
    }

    /// Off for 37 of 100 minutes, as it was found to be shown as 99 %: what was recorded while
    /// it ran is whole.
    @Test func aDeviceThatWasOffIsNotCovered() async throws {
        let found = try #require(try await coverage([span(0, 30), span(67, 100)], enrolled: 0, now: 100))
        let channel = try #require(found.least)
        #expect(channel.stored == 63 * 60_000 && channel.missing == ["notRecorded": 37 * 60_000])
        #expect(found.reasons(channel) == "not recorded 37 %" && found.isLow(channel))
    }

    @Test func eachRestHasItsReasonAndTogetherTheyAreTheWallTime() async throws {
        let found = try #require(
            try await coverage(
                [span(10, 50, stored: 75, lost: "\"ringFull\":25"), span(60, 80)], enrolled: 0, now: 100))
        let channel = try #require(found.least)
        #expect(channel.stored == 50 * 60_000)
        #expect(channel.missing == ["ringFull": 10 * 60_000, "notRecorded": 20 * 60_000, "notArrived": 20 * 60_000])
        #expect(channel.stored + channel.missing.values.reduce(0, +) == found.wall)
        #expect(found.reasons(channel) == "not here yet 20 %, not recorded 20 %, ringFull 10 %")
    }

    /// The sensor was silent for five hours: the file ended, and tells of what is missing behind it.
    @Test func aGapThatEndedARecordingTakesNothingOffItsLength() async throws {
        let gap = #""samples":1800000,"reason":"deviceError","position":360000"#
        let spans = [
            try span(
                0, 60, stored: 360_000, lost: "\"deviceError\":1800000",
                more: #","gaps":[{"startUptime":3600,"endUptime":21600,\#(gap)}]"#),
            try span(360, 370, stored: 60_000),
        ]
        let found = try #require(try await coverage(spans, enrolled: 0, now: 370))
        let channel = try #require(found.least)
        #expect(channel.stored == 70 * 60_000 && channel.missing == ["notRecorded": 300 * 60_000])
    }

    /// A power cut is at the end of a file: what was in memory then is behind its last sample.
    @Test func aPowerCutTakesNothingOffTheLengthOfARecording() async throws {
        let spans = [
            try span(0, 1, stored: 6000, lost: "\"powerCut\":1500,\"ringFull\":2000"), try span(2, 10, stored: 48_000),
        ]
        let found = try #require(try await coverage(spans, enrolled: 0, now: 10))
        let channel = try #require(found.least)
        #expect(channel.stored == 45_000 + 480_000 && channel.missing == ["ringFull": 15_000, "notRecorded": 60_000])
    }

    /// Where the clock was set back, two recordings are of one time.
    @Test func noMoreIsCoveredThanThereWas() async throws {
        let found = try #require(try await coverage([span(0, 90), span(10, 100)], enrolled: 0, now: 100))
        let channel = try #require(found.least)
        #expect(channel.stored == 100 * 60_000 && channel.missing.isEmpty && found.wall == 100 * 60_000)
    }

    /// A device that has just been set up, and sends its first recording after a day, is not red.
    @Test func whatCannotBeHereYetIsNoFault() async throws {
        let young = try #require(try await coverage([], enrolled: 0, now: 600, channels: ["accelerometer", "buttons"]))
        let channel = try #require(young.least)
        #expect(young.channels.map(\.kind) == ["accelerometer"] && channel.stored == 0)
        #expect(channel.missing == ["notArrived": 600 * 60_000] && !young.isLow(channel))
    }

    @Test func aChannelThatNeverRecordedIsTheLeast() async throws {
        let found = try #require(
            try await coverage([span(0, 100)], enrolled: 0, now: 100, channels: ["accelerometer", "sound"]))
        #expect(found.least?.kind == "sound" && found.channels.count == 2)
    }

    /// Files of a task, spoken answers and presses are beside what is measured all the time.
    @Test func whatIsRecordedBesideDoesNotCount() async throws {
        let found = try await coverage(
            [
                span(0, 10), span(0, 50, more: #","task":{"task":"t","run":"1"}"#), span(0, 50, identifier: "voice:1"),
                span(0, 50, unit: "events", kind: "buttons"),
            ], enrolled: nil, now: 100)
        #expect(found?.isSinceRecording == true && found?.least?.stored == 10 * 60_000 && found?.channels.count == 1)
        let (unrecorded, future) = (
            try await coverage([], enrolled: nil, now: 100), try await coverage([], enrolled: 200, now: 100)
        )
        #expect(unrecorded == nil && future == nil)
    }

    /// A participant who enrols again begins from nothing; what is left over of before comes late
    /// and does not count.
    @Test func anotherEnrolmentBeginsFromNothing() async throws {
        let archive = try Archive(.memory)
        func enrol(_ id: String, _ minute: Int) -> DeviceEnrolment {
            .init(enrolment: id, study: "S", moment: day + .seconds(minute * 60), channels: [])
        }
        try await archive.noteEnrolment(enrol("e1", 0), of: "P1")
        try await archive.noteRecording(span(0, 50), of: "P1", enrolment: "e1")
        try await archive.noteEnrolment(enrol("e2", 60), of: "P1")
        try await archive.noteEnrolment(enrol("e1", 0), of: "P1")
        try await archive.noteRecording(span(50, 60), of: "P1", enrolment: "e1")
        try await archive.noteRecording(span(60, 100), of: "P1", enrolment: "e2")
        let found = try #require(try await archive.coverage(of: "P1", at: day + .seconds(6000)))
        #expect(found.wall == 40 * 60_000 && found.least?.stored == 40 * 60_000)
    }

    /// Times are in milliseconds: a recording of one and a half seconds, and what follows it.
    @Test(
        arguments: [
            (100, [:], 0, 1500, [:]), (100, [:], 1, 1500, ["notArrived": 1]),
            (100, [:], 999, 1500, ["notArrived": 999]),
            (75, ["ringFull": 25], 0, 1125, ["ringFull": 375]),
        ] as [(Int64, [String: Int64], Int64, Int64, [String: Int64])])
    func aRestOfAMillisecondIsNamed(
        samples: Int64, lost: [String: Int64], after: Int64, stored: Int64, missing: [String: Int64]
    ) async throws {
        let (archive, end) = (try Archive(.memory), day + .milliseconds(1500))
        let span = RecordedSpan(
            kind: "accelerometer", start: day, end: end, offset: 0, stored: samples, reasons: lost, isExtra: false,
            isOfEvents: false, file: "1.cwa", upload: nil)
        try await archive.noteRecording(span, of: "P1", enrolment: nil)
        let found = try #require(try await archive.coverage(of: "P1", at: end + .milliseconds(after)))
        #expect(found.least?.stored == stored && found.least?.missing == missing)
    }

    /// As a device sends them: its hello, and a description; page and JSON say the same.
    @Test func pageAndJSONSayTheSame() async throws {
        try await withFolder { folder in
            let clock = MovableClock()
            try await withReceiver(folder, clock: clock) { url, _ in
                func upload(_ fields: [(String, String)], _ text: String) async throws {
                    let metadata = fields.map { "\($0.0) \(Data($0.1.utf8).base64EncodedString())" }.joined(
                        separator: ",")
                    let created = try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: \(text.utf8.count)", "-H",
                        "Upload-Metadata: \(metadata)",
                        url + "/files")
                    let place = try #require(
                        created.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") }?.dropFirst(10))
                    _ = try await run(
                        [
                            "curl", "-s", "-X", "PATCH", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Offset: 0", "-H",
                            "Content-Type: application/offset+octet-stream", "--data-binary", "@-", url + place,
                        ], input: text)
                }
                let own = [("participant", "P1"), ("study", "S"), ("enrolment", "e"), ("enrolled", day.rfc3339())]
                try await upload(
                    own + [("filename", "hello-1.json"), ("kind", "hello"), ("measures", "accelerometer")], "{}\n")
                let page = try await curl(url + "/")
                #expect(page.contains("P1") && !page.contains("hello-1.json"))
                clock.advance(.seconds(6000))
                let (start, end) = (day.rfc3339(), (day + .seconds(3780)).rfc3339())
                try await upload(
                    own + [("filename", "000001-accelerometer.json")],
                    #"{"kind":"accelerometer","identifier":"a","startDate":"\#(start)","endDate":"\#(end)","offset":"Z","relativePath":"000001-accelerometer.cwa","samplesStored":5,"samplesLost":{}}"#
                )
                let later = try await curl(url + "/")
                #expect(later.contains("63 %") && later.contains("not here yet 37 %"), "\(later)")
                let json = try await run(["curl", "-s", url + "/api/devices"])
                let told =
                    try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]).first?[
                        "coverage"] as? [String: Any]
                let channel = (told?["channels"] as? [String: Any])?["accelerometer"] as? [String: Any]
                #expect(told?["wallSeconds"] as? Int == 6000 && channel?["storedSeconds"] as? Int == 3780)
                #expect(channel?["missingSeconds"] as? [String: Int] == ["notArrived": 2220])
            }
        }
    }

    /// Each recording may name 64 reasons.
    @Test func oneParticipantsCoverageIsThatOfAllAndHasEachReason() async throws {
        let archive = try Archive(.memory)
        func lost(_ numbers: Range<Int>) -> String {
            numbers.map { "\"r\($0)\":1" }.joined(separator: ",")
        }
        for (user, from, reasons) in [("P1", 0, 0..<64), ("P1", 50, 64..<128), ("P2", 20, 0..<3)] {
            let recorded = try span(from, from + 30, stored: 1000, lost: lost(reasons))
            try await archive.noteRecording(recorded, of: user, enrolment: "e")
        }
        let now = day + .seconds(100 * 60)
        let all = try await archive.coverages(at: now)
        #expect(all.keys.sorted() == ["P1", "P2"])
        for user in all.keys { #expect(try await archive.coverage(of: user, at: now) == all[user]) }
        #expect(try await archive.coverage(of: "P3", at: now) == nil)
        let reasons = try #require(all["P1"]?.channels.first).lost.keys
        #expect(Set(reasons) == Set((0..<128).map { "r\($0)" }))
    }

    private func answer(_ module: Int, alert: String, at time: String) -> StoredRecord {
        let fields = SchemaPostTests.response.map { field -> FormField in
            let value =
                ["module_index": String(module), "alert_time": alert, "response_time": time][field.0] ?? field.1
            return FormField(name: field.0, value: value)
        }
        return StoredRecord(
            id: 1, received: day, path: "/schema", post: SchemaPost(fields), duplicateOf: nil, warnings: [])
    }

    /// A sticky module answers its first alert again and again; "33 h at most" was such a one.
    @Test func answersToNoPromptSayNothingOfHowLongItTakes() throws {
        let answers = [
            answer(0, alert: "2026-05-29T09:00:00+00:00", at: "2026-05-29T09:05:00+00:00"),
            answer(0, alert: "2026-05-29T15:00:00+00:00", at: "2026-05-29T15:01:00+00:00"),
            answer(1, alert: "2026-05-28T09:00:00+00:00", at: "2026-05-29T18:00:00+00:00"),
            answer(2, alert: "2026-05-29T08:00:00+00:00", at: "2026-05-29T09:00:00+00:00"),
            answer(2, alert: "2026-05-29T08:00:00+00:00", at: "2026-05-29T10:00:00+00:00"),
        ]
        let found = PromptLatencies(answers, since: try Instant(rfc3339: "2026-05-29T08:30:00+00:00"))
        #expect(
            found.figures?.median == .seconds(300) && found.figures?.longest == .seconds(300) && found.unprompted == 3)
        #expect(PromptLatencies([], since: nil).figures == nil)
    }
}
