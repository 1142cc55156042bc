// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab

/// Tables and pages of what a device sent, asked for by curl.
@Suite(.timeLimit(.minutes(10))) struct LabTablesTests {
    /// At 10:00 in UTC and in `offset`.
    private static let begin = Instant(seconds: 1_779_962_400)

    private static func description(
        _ file: String, kind: String = "accelerometer", from start: Instant, seconds: Int
    ) -> String {
        """
        {"kind":"\(kind)","identifier":"x","startDate":"\(start.rfc3339())","endDate":"\((start + .seconds(seconds)).rfc3339())",
        "offset":"Z","relativePath":"\(file)","samplesStored":100,"samplesLost":{}}
        """
    }

    private static func rows(_ url: String, _ table: String) async throws -> [[String]] {
        let text = try await run(["curl", "-s", "-S", url + "/tables/" + table])
        return text.split(separator: "\r\n").dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// A participant who recorded everything, and ended three weeks ago.
    @Test func daysBeforeALongSilenceAreNotCalledEmpty() async throws {
        try await withFolder { folder in
            let clock = MovableClock()
            try await withReceiver(folder, clock: clock) { url, _ in
                for day in 0..<4 {
                    let name = "00000\(day + 1)-accelerometer"
                    let start = LabSchemaTests.enrolled + .seconds(day * 86_400)
                    try await LabSchemaTests.send(
                        url, name + ".json", Self.description(name + ".cwa", from: start, seconds: 86_400))
                }
                clock.advance(.seconds(21 * 86_400))
                // From the 28th of May to the 1st of June.
                for (query, days) in [("days=14", 5), ("days=2", 2), ("days=all", 5), ("day=2026-05-29", 1)] {
                    let rows = try await Self.rows(url, "coverage.csv?" + query)
                    #expect(
                        rows.count == days && rows.allSatisfy { $0[3] == $0[4] && $0[6] == "0" }, "\(query): \(rows)")
                }
                for days in ["14", "2", "all"] {
                    let page = try await curl(url + "/?user=ABDEG234&days=\(days)")
                    #expect(page.contains("accelerometer: recorded") && !page.contains("nothing recorded"), "\(days)")
                }
            }
        }
    }

    /// docs/operating.md: the next device of the participant. Each numbers its recordings from 1.
    @Test func aSecondDevicesFilesAreItsOwn() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, receiver in
                let name = "000001-features"
                for (enrolment, day) in [("e1", 0), ("e2", 1)] {
                    let start = Self.begin + .seconds((day - 2) * 86_400)
                    let table = WornTimeTests.table(from: start, [Int?](repeating: 1, count: 3 + day))
                    try await LabSchemaTests.send(url, name + ".csv", table, enrolment: enrolment)
                    try await LabSchemaTests.send(
                        url, name + ".json",
                        Self.description(name + ".csv", kind: "features", from: start, seconds: 240),
                        enrolment: enrolment)
                }
                let files = try await Self.rows(url, "recordings.csv")
                let stored = try await run(["sh", "-c", "sha256sum '\(folder)'/files/*-features.csv | cut -d ' ' -f 1"])
                #expect(files.map { $0[11] } == stored.split(separator: "\n").map(String.init), "\(files)")
                #expect(files.map { $0[9] } == ["1", "3"])
                let worn = try await Self.rows(url, "wear.csv")
                #expect(worn.map { $0[1...] } == [["2026-05-26", "180", "0"], ["2026-05-27", "240", "0"]], "\(worn)")
                // The 28th is today.
                for (query, found) in [
                    ("days=1", []), ("days=2", ["2026-05-27"]), ("days=3", ["2026-05-26", "2026-05-27"]),
                    ("day=2026-05-25", []), ("day=2026-05-26", ["2026-05-26"]), ("day=2026-05-27", ["2026-05-27"]),
                ] {
                    let asked = try await Self.rows(url, "wear.csv?" + query)
                    #expect(asked.map { $0[1] } == found, "\(query): \(asked)")
                }
                let page = try await curl(url + "/?user=ABDEG234")
                #expect(page.contains("2026-05-26 10:00:00") && page.contains("2026-05-27 10:00:00"), "\(page)")
                for (file, description) in [(1, 2), (3, 4)] {
                    let links =
                        "<a href=\"/files/\(file)/content\">\(name).csv</a> <a href=\"/files/\(description)/content\">"
                    #expect(page.contains(links + "description</a>"), "\(page)")
                }
            }
        }
    }

    /// Five-minute files of 75 days are more than one page holds.
    @Test func daysBeforeTheLatestOfVeryManyRecordingsAreNotCalledEmpty() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                try await LabSchemaTests.send(url, "hello.json", "{}")
                let script = """
                    import sqlite3, sys
                    lab, (last, count) = sqlite3.connect(sys.argv[1], timeout=60), map(int, sys.argv[2:])
                    lab.executemany("INSERT INTO span VALUES (?, 'ABDEG234', 'accelerometer', ?, ?, 0, 9, '{}', 0, 0, 'x')",
                        ((-i, last - i * 300_000, last - (i - 1) * 300_000) for i in range(1, count + 1)))
                    lab.execute("UPDATE enrolled SET moment = ?", (last - count * 300_000,))
                    lab.execute("INSERT INTO coveredSpan VALUES ('ABDEG234', 'accelerometer', ?, ?)", (last - count * 300_000, last))
                    lab.commit()
                    """
                let last = Int(Self.begin.milliseconds)
                let count = DescriptionIndex.limit + 10 * 288
                try await run(["python3", "-c", script, folder + "/receiver.sqlite", "\(last)", "\(count)"])
                let page = try await curl(url + "/?user=ABDEG234&days=all")
                #expect(page.contains("accelerometer: recorded 00:00–24:00") && !page.contains("nothing recorded"))
                #expect(page.contains("day=2026-05-28") && !page.contains("day=2026-03-15"))
            }
        }
    }

    /// Of a participant whose device reports, the report says the study; of another, what they sent.
    @Test func recordingsAreThoseOfTheStudyThatIsAskedFor() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let name = "000001-accelerometer"
                try await LabSchemaTests.send(
                    url, name + ".json", Self.description(name + ".cwa", from: Self.begin, seconds: 60))
                func count(_ query: String) async throws -> Int {
                    try await Self.rows(url, "recordings.csv?days=all" + query).count
                }
                #expect(try await [count(""), count("&study=mood"), count("&study=sleep")] == [1, 1, 0])
                let report = try FleetSamples.value(["participant": "\"ABDEG234\"", "study": "\"sleep\""]).text
                _ = try await run(["curl", "-s", "--data-binary", "@-", url + "/reports"], input: report)
                #expect(try await [count(""), count("&study=mood"), count("&study=sleep")] == [1, 0, 1])
                #expect(try await [count("&user=ABDEG234"), count("&user=other")] == [1, 0])
            }
        }
    }

    /// An ESMira device and another one, each in a study of its own.
    private static func reportOfTwoStudies(_ url: String) async throws {
        let all: [KeyValuePairs<String, String>] = [
            ["participant": "\"ABDEG234\"", "disk.low": "true"],
            [
                "participant": "\"ABDEG234\"", "study": "\"sleep\"", "device": "\"board-2\"",
                "enrolment": "\"e2\"",
            ],
        ]
        for changes in all {
            let report = try FleetSamples.value(changes).text
            _ = try await run(["curl", "-s", "--data-binary", "@-", url + "/reports"], input: report)
        }
    }

    /// Devices number their prompts alike.
    @Test func ofPromptsWithOneOccurrenceTheEnrolmentTellsWhichIsWhich() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                try await Self.reportOfTwoStudies(url)
                let prompts = try await Self.rows(url, "prompts.csv?days=all")
                #expect(Set(prompts.map { $0[3] }).count * 2 == prompts.count && !prompts.isEmpty, "\(prompts)")
                #expect(Set(prompts.map { [$0[3], $0[11]] }).count == prompts.count, "\(prompts)")
                #expect(Set(prompts.map { $0[11] }) == ["e1", "e2"])
            }
        }
    }

    @Test func aParticipantOfTwoStudiesHasARowForEach() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                try await Self.reportOfTwoStudies(url)
                func count(_ query: String) async throws -> Int {
                    try await Self.rows(url, "participants.csv" + query).count
                }
                #expect(
                    try await [count(""), count("?study=mood"), count("?study=sleep"), count("?study=x")]
                        == [2, 1, 1, 0])
                let alarms = try await Self.rows(url, "attention.csv").filter { $0[4] == "disk" }
                #expect(alarms.map { $0[2] } == ["mood"], "\(alarms)")
            }
        }
    }

    @Test func recordingsOfAParticipantOfTwoStudiesAreDivided() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                try await Self.reportOfTwoStudies(url)
                for (kind, study, enrolment) in [("accelerometer", "mood", "e1"), ("gyroscope", "sleep", "e2")] {
                    let name = "000001-" + kind
                    let text = Self.description(name + ".cwa", kind: kind, from: LabSchemaTests.enrolled, seconds: 60)
                    try await LabSchemaTests.send(url, name + ".json", text, study: study, enrolment: enrolment)
                }
                for (study, kinds) in [
                    ("mood", ["accelerometer"]), ("sleep", ["gyroscope"]), ("", ["accelerometer", "gyroscope"]),
                ] {
                    for user in ["", "&user=ABDEG234"] {
                        let query = "csv?days=all" + user + (study.isEmpty ? "" : "&study=" + study)
                        let covered = try await Self.rows(url, "coverage." + query)
                        #expect(covered.map { $0[2] } == kinds, "\(covered)")
                        #expect(covered.allSatisfy { $0[3] == "60" && $0[4] == "60" }, "\(covered)")
                        #expect(try await Self.rows(url, "recordings." + query).map { $0[2] }.sorted() == kinds)
                    }
                }
                #expect(try await curl(url + "/").contains("<h3>Stored since"), "the only participant's card")
            }
        }
    }

    /// A rule's prompt, and another; of the first it is not told that it was there, nor that it was answered.
    @Test func answersToARulesPromptAreNotShown() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                func post(_ base: [(String, String)], _ changes: [String: String] = [:]) async throws {
                    let form = base.flatMap { ["--form-string", "\($0.0)=\(changes[$0.0] ?? $0.1)"] }
                    try await run(["curl", "-s"] + form + [url + "/schema"])
                }
                try await post(
                    SchemaPostTests.response,
                    [
                        "responses": #"{"q":4}"#, "alert_time": "2019-05-08T22:15:00+10:00",
                        "response_time": "2019-05-08T22:16:21+10:00", "response_time_in_ms": "1557317781000",
                    ])
                try await post(SchemaPostTests.log, ["page": "notification-2019-05-08T23:15:00+10:00"])
                try await post(SchemaPostTests.response)
                let paths = [
                    "/tables/answers.csv?days=all", "/api/records?limit=1", "/?user=ABDEG234", "/",
                    "/?user=ABDEG234&day=2019-05-08",
                ]
                for path in paths {
                    let text = try await curl(url + path)
                    #expect(text.contains("23:16:21"), "\(path): \(text)")
                }
                #expect(try await curl(url + "/").contains("<dt>answers<dd>2"))
                let prompt = #"""
                    [{"occurrence":"walk/rule.r.1","task":"walk","due":"2019-05-08T23:15:00.000+10:00",
                    "outcome":"completed","reason":null,"presented":null,"ended":null},
                    {"occurrence":"day/1","task":"day","due":"2019-05-08T22:15:00.000+10:00",
                    "outcome":"completed","reason":null,"presented":null,"ended":null}]
                    """#
                let report = try FleetSamples.value([
                    "participant": "\"ABDEG234\"", "study": "\"s\"", "prompts": prompt,
                ]).text
                _ = try await run(["curl", "-s", "--data-binary", "@-", url + "/reports"], input: report)
                for path in paths {
                    let text = try await curl(url + path)
                    #expect(!text.contains("23:16:21") && !text.contains("notification"), "\(path): \(text)")
                    #expect(text.contains("22:16:21"), "\(path): \(text)")
                }
                let page = try await curl(url + "/?user=ABDEG234")
                #expect(!page.contains("<b>2</b> answers"), "\(page)")
                #expect(try await curl(url + "/tables/participants.json").contains(#""answers":null"#))
                #expect(try await curl(url + "/api/devices").contains(#""answers":null,"logs":null"#))
                let all = try await curl(url + "/")
                #expect(!all.contains("<dt>answer") && !all.contains("<dt>log") && all.contains("<dt>device"))
            }
        }
    }

    /// Only files and a report are of the study with rules; an answer is of another.
    @Test func filesThatTellOfARulesTaskAreNotGiven() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let form = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                try await run(["curl", "-s"] + form + [url + "/schema"])
                try await LabSchemaTests.send(url, "answers-1.json", "{}")
                for (number, task) in [(1, #""task":{"task":"walk"},"#), (2, #""task":{"task":"day"},"#), (3, "")] {
                    let name = "00000\(number)-accelerometer"
                    let text = Self.description(name + ".cwa", from: Self.begin, seconds: 60)
                    try await LabSchemaTests.send(url, name + ".json", "{" + task + String(text.dropFirst()))
                }
                func given() async throws -> [Bool] {
                    var given: [Bool] = []
                    for number in 1...4 {
                        let answer = try await curl(url + "/files/\(number)/content")
                        given.append(answer.hasPrefix("HTTP/1.1 200"))
                        #expect(given.last == true || answer.hasPrefix("HTTP/1.1 403"), "\(answer)")
                    }
                    return given
                }
                let words = "<b>1</b> answer of"
                #expect(try await given() == [true, true, true, true])
                #expect(try await curl(url + "/?user=ABDEG234").contains(words))
                let prompt = #"""
                    [{"occurrence":"walk/rule.r.1","task":"walk","due":"2019-05-08T23:15:00.000+10:00",
                    "outcome":"expired","reason":null,"presented":null,"ended":null}]
                    """#
                let report = try FleetSamples.value(["participant": "\"ABDEG234\"", "prompts": prompt]).text
                _ = try await run(["curl", "-s", "--data-binary", "@-", url + "/reports"], input: report)
                #expect(try await given() == [false, false, true, true])
                #expect(try await !curl(url + "/?user=ABDEG234").contains(words))
            }
        }
    }

    /// A participant whose answers go elsewhere; from ten to eleven by UTC, two hours earlier than by the device.
    @Test func timeIsTheDevicesWhereOnlyRecordingsSayWhatItIs() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let name = "000001-accelerometer"
                let text = Self.description(name + ".cwa", from: Self.begin, seconds: 60)
                try await LabSchemaTests.send(
                    url, name + ".json", text.replacing(#""offset":"Z""#, with: #""offset":"+02:00""#))
                let page = try await curl(url + "/?user=ABDEG234")
                #expect(page.contains(">11:55</text>") && !page.contains(">09:55</text>"), "\(page)")
            }
        }
    }

    /// A day is that of the writer's clock, which is ten hours ahead of UTC.
    @Test(arguments: [
        ("days=all", 2), ("days=all&study=s", 2), ("days=all&study=mood", 0), ("day=2019-05-08", 1),
        ("day=2019-05-09", 1), ("day=2019-05-07", 0), ("day=2019-05-10", 0), ("day=2019-05-09&study=mood", 0),
        ("days=all&user=ABDEG234", 2), ("days=all&user=other", 0),
    ]) func answersAreThoseThatAreAskedFor(query: String, count: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                for (time, milliseconds) in [
                    ("2019-05-08T23:59:59+10:00", "1557323999000"), ("2019-05-09T00:00:00+10:00", "1557324000000"),
                ] {
                    let fields = SchemaPostTests.response.flatMap { name, value in
                        let new = ["response_time": time, "response_time_in_ms": milliseconds][name] ?? value
                        return ["--form-string", "\(name)=\(new)"]
                    }
                    try await run(["curl", "-s"] + fields + [url + "/schema"])
                }
                let rows = try await Self.rows(url, "answers.csv?" + query)
                #expect(rows.count == count, "\(rows)")
            }
        }
    }

    /// RFC 4180 for CSV with its heading. Neither is kept by a cache, nor taken for a type that a browser would run.
    @Test(arguments: [
        ("answers.csv", 200, "text/csv; charset=utf-8; header=present"), ("answers.json", 200, "application/json"),
        ("answers", 404, ""), ("answers.xml", 404, ""), ("answers.csv.json", 404, ""), ("none.csv", 404, ""),
    ]) func aTableSaysWhatItIs(file: String, status: Int, type: String) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await curl(url + "/tables/" + file)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
                guard status == 200 else { return }
                for line in ["Content-Type: \(type)", "Cache-Control: no-store", "X-Content-Type-Options: nosniff"] {
                    #expect(answer.contains(line + "\r\n"), "\(answer)")
                }
                let isSaved = answer.contains("Content-Disposition: attachment; filename=\"\(file)\"\r\n")
                #expect(isSaved == file.hasSuffix(".csv"))
            }
        }
    }
}
