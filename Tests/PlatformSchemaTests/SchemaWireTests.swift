// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformSchema

@Suite struct SchemaWireTests {
    static let zone = Zone(fixed: 36_000, identifier: "Test", abbreviation: "AEST")
    /// 2019-05-08T23:16:21.250+10:00.
    static let now = Instant(milliseconds: 1_557_321_381_250)

    static let questions = #"""
        {"id":"i","type":"instruction","text":"i"},{"id":"t","type":"text","subtype":"short","text":"t"},
        {"id":"n","type":"text","subtype":"numeric","text":"n"},{"id":"d","type":"datetime","subtype":"date","text":"d"},
        {"id":"y","type":"yesno","yes_text":"Yes!","no_text":"No!","text":"y"},
        {"id":"s","type":"slider","min":"0","max":10,"text":"s"},
        {"id":"r","type":"multi","radio":true,"options":["A","B"],"text":"r"},
        {"id":"c","type":"multi","radio":false,"modal":false,"options":["A","B","C"],"text":"c"},
        {"id":"m","type":"multi","radio":false,"modal":true,"options":["A","B"],"text":"m"},
        {"id":"p","type":"media","subtype":"image","src":"x.png","text":"p"}
        """#

    static func context() throws -> WireContext {
        let study = try ProtocolText(module: #""uuid":"u","#, questions: questions).decode()
        let enrolment = Enrolment(
            id: "e", studyID: "S1", participant: ParticipantID("2345ABDE"), condition: nil, instant: now,
            local: zone.local(now), seed: [1])
        return WireContext(study: study, enrolment: enrolment, zone: zone, postURL: nil)
    }

    static func occurrence() throws -> Occurrence {
        let due = now - .seconds(61) - .milliseconds(250)
        return Occurrence(
            id: "u/101", task: "u", taskIndex: 0, number: 101, local: zone.local(due), due: due, expires: nil)
    }

    static func fields(_ request: WireRequest) throws -> [[String]] {
        let type = try #require(request.headers.first?.value)
        let boundary = try #require(type.split(separator: "boundary=").last)
        // An independent, byte-exact reading of RFC 7578.
        let text = String(decoding: request.body, as: UTF8.self)
        let end = "--\(boundary)--\r\n"
        #expect(text.hasPrefix("--\(boundary)\r\n") && text.hasSuffix(end))
        // Swift counts CR LF as one character.
        return text.dropFirst(boundary.count + 3).dropLast(end.count).split(separator: "--\(boundary)\r\n").map {
            part in
            let halves = part.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves[0].dropFirst("Content-Disposition: form-data; name=\"".count).dropLast()
            return [String(name), String(halves[1].dropLast(1))]
        }
    }

    static func submission(_ answers: Answers, drawn: Set<String> = []) throws -> Submission {
        Submission(
            task: "u", occurrence: try occurrence(), order: ["i", "s", "t", "n", "d", "y", "r", "c", "m", "p"],
            answers: answers, drawn: drawn, submitted: now)
    }

    static func responses(_ answers: Answers, drawn: Set<String> = []) throws -> String {
        let context = try context()
        let report = Report.submitted(try submission(answers, drawn: drawn))
        return try fields(context.study.writer.requests(for: report, at: now, in: context)[0])[5][1]
    }

    @Test func surveyRecordHasTheAppsFieldsInItsOrder() throws {
        let context = try Self.context()
        let requests = try context.study.writer.requests(
            for: .submitted(Self.submission([:])), at: Self.now, in: context)
        #expect(requests.count == 2 && requests[0].method == "POST" && requests[0].url == "https://example.org/p")
        let fields = try Self.fields(requests[0])
        #expect(
            fields == [
                ["data_type", "survey_response"], ["user_id", "2345ABDE"], ["study_id", "S1"], ["module_index", "0"],
                ["module_name", "M"],
                [
                    "responses",
                    #"{"i":"","s":"","t":"","n":"","d":"","y":"","r":"","c":"","m":"","p":""}"#,
                ],
                ["response_time", "2019-05-08T23:16:21+10:00"], ["response_time_in_ms", "1557321381250"],
                ["alert_time", "2019-05-08T23:15:20+10:00"], ["platform", "studyd"],
            ])
        #expect(
            try Self.fields(requests[1]).map { $0[1] } == [
                "log", "2345ABDE", "S1", "0", "survey", "submit", "2019-05-08T23:16:21+10:00", "1557321381250",
                "studyd",
            ])
    }

    /// schema's sample server writes down whatever is posted (schema 45fd178,
    /// `_examples/demo_post.php`); a bound is never rounded down.
    @Test(arguments: [(0, "0.000"), (0.0001, "0.001"), (0.25, "0.250"), (1.9991, "2.000"), (60, "60.000")])
    func aResponseSaysHowFarOffItsTimesCanBe(error: Double, text: String) throws {
        var submission = try Self.submission([:])
        let context = try Self.context()
        let writer = context.study.writer
        let without = try Self.fields(
            writer.requests(for: .submitted(submission), at: Self.now, in: context)[0])
        submission.clockError = error
        let requests = writer.requests(for: .submitted(submission), at: Self.now, in: context)
        #expect(try Self.fields(requests[0]) == without + [["clock_error_in_s", text]])
        #expect(try !Self.fields(requests[1]).contains { $0[0] == "clock_error_in_s" })
    }

    static let spellings: [(String, AnswerValue, String)] = [
        ("t", .text("a \"b\"\n\\ é"), #""a \"b\"\n\\ é""#), ("t", .text(""), #""""#),
        ("t", .recording("r-7"), #""voice:r-7""#), ("n", .number(72), "72"), ("n", .number(72.5), "72.5"),
        ("n", .number(-0.25), "-0.25"), ("n", .cleared, "null"),
        (
            "d",
            .dateTime(
                LocalDateTime(
                    LocalDate(daysSinceEpoch: 18_024), LocalTime(hour: 23, minute: 16, second: 21) ?? .midnight)),
            #""2019-05-08T23:16:21+10:00""#
        ),
        ("y", .boolean(true), #""Yes!""#), ("y", .boolean(false), #""No!""#), ("s", .number(7), "7"),
        ("r", .choices(["B"]), #""B""#), ("c", .choices(["C", "A"]), #""C;A;""#), ("c", .choices([]), #""""#),
        ("m", .choices(["B", "A"]), #"["B","A"]"#),
    ]

    @Test(arguments: spellings.indices)
    func everyAnswerHasTheAppsSpelling(_ index: Int) throws {
        let (key, value, spelling) = Self.spellings[index]
        #expect(try Self.responses([key: value]).contains("\"\(key)\":\(spelling)"))
    }

    @Test func drawnAndUnansweredIsOne() throws {
        #expect(try Self.responses([:], drawn: ["s"]).contains(#""s":1,"#))
        #expect(try Self.responses(["s": .number(4)], drawn: ["s"]).contains(#""s":4,"#))
    }

    @Test func everyReportHasItsPageAndEvent() throws {
        let reports: [(Report, String, String, String)] = [
            (.enrolled, "-1", "home", "enrol"), (.listOpened, "-1", "home", "entry"), (.listLeft, "-1", "home", "exit"),
            (.graphsOpened, "-1", "my-progress", "entry"), (.graphsLeft, "-1", "my-progress", "exit"),
            (.menuOpened, "-1", "settings", "entry"), (.menuLeft, "-1", "settings", "exit"),
            (.withdrawn(deletesData: false), "-1", "settings", "withdraw"),
            (.runOpened(task: "u"), "0", "survey", "entry"),
            (.runLeft(task: "u"), "0", "survey", "exit"),
            (.promptTaken(try Self.occurrence()), "0", "notification-2019-05-08T23:15:20+10:00", "click"),
        ]
        let context = try Self.context()
        for (report, index, page, event) in reports {
            let requests = context.study.writer.requests(for: report, at: Self.now, in: context)
            #expect(requests.count == 1)
            let fields = try Self.fields(requests[0])
            #expect(
                fields.map { $0[0] } == [
                    "data_type", "user_id", "study_id", "module_index", "page", "event", "timestamp", "timestamp_in_ms",
                    "platform",
                ])
            #expect([fields[3][1], fields[4][1], fields[5][1]] == [index, page, event])
        }
    }

    /// momenTUM's server of 2025 answers a response with 202 (momenTUM-designer 513e871,
    /// `status_code=status.HTTP_202_ACCEPTED`).
    @Test func exactly200AndTheForks202AreDelivered() {
        let wire = SchemaWire()
        let accepted = #"{"accepted":true}"#
        #expect(wire.verdict(status: 202, body: Array(accepted.utf8)) == .delivered(receipt: "202 " + accepted))
        for body in ["1", "true", "", "<html>", "falsehood"] {
            #expect(wire.verdict(status: 200, body: Array(body.utf8)) == .delivered(receipt: "200 " + body))
        }
        let others = [(200, "false"), (200, "false\n"), (201, "true"), (204, ""), (302, ""), (404, ""), (500, "true")]
        for (status, body) in others {
            guard case .retry = wire.verdict(status: status, body: Array(body.utf8)) else {
                Issue.record("status \(status) with body \(body) must be tried again")
                continue
            }
        }
    }

    /// The lab's receiver says what to do; a page says nothing in its first line.
    @Test(arguments: [
        (401, "this key is not known;\n ask the lab\n", ": this key is not known;  ask the lab"),
        (502, "<html>Bad gateway", ""), (500, "", ""),
        (500, String(repeating: "x", count: 900), ": " + String(repeating: "x", count: 200)),
    ])
    func whatTheServerSaysOfARefusalIsKept(_ status: Int, _ body: String, _ words: String) {
        let reason = "the server answered with status \(status), not 200" + words
        #expect(SchemaWire().verdict(status: status, body: Array(body.utf8)) == .retry(reason: reason))
    }

    @Test func sameRecordIsTheSameBytes() throws {
        let report = Report.submitted(try Self.submission(["s": .number(3)]))
        let context = try Self.context()
        #expect(
            context.study.writer.requests(for: report, at: Self.now, in: context)
                == context.study.writer.requests(for: report, at: Self.now, in: context))
    }

    @Test func otherAddressReplacesTheStudys() throws {
        let own = try Self.context()
        let context = WireContext(
            study: own.study, enrolment: own.enrolment, zone: own.zone, postURL: "http://127.0.0.1:1/x")
        #expect(
            context.study.writer.requests(for: .enrolled, at: Self.now, in: context)[0].url == "http://127.0.0.1:1/x")
    }
}
