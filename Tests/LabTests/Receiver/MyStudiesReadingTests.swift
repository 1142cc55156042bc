// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Lab
@testable import StandIns

/// What the stand-in of the Response server lets a participant read.
@Suite(.timeLimit(.minutes(10))) struct MyStudiesReadingTests {
    typealias Tests = MyStudiesRoutesTests

    static let activity = """
        {"activity":{"type":"questionnaire","metadata":{"studyId":"S1","activityId":"Welcome","version":"1.0"},"steps":[
        {"type":"instruction","resultType":"","key":"hello"},{"type":"question","resultType":"date","key":"due"},
        {"type":"question","resultType":"numeric","key":"n"},{"type":"question","resultType":"textChoice","key":"work",
        "format":{"textChoices":[{"value":"a"},{"value":"o","other":{"placeholder":""}}]}},
        {"type":"form","resultType":"grouped","key":"before","steps":[{"type":"question","resultType":"date","key":"born"},
        {"type":"question","resultType":"textChoice","key":"how"}]},
        {"type":"task","resultType":"towerOfHanoi","key":"T-1"}]}}
        """
    static let results = """
        {"resultType":"date","key":"DUE","value":"2026-08-01T23:30:00.250+0200"},{"resultType":"numeric","key":"n","value":1.5},
        {"resultType":"textChoice","key":"work","value":["a",{"other":"o","text":"afloat"}]},
        {"resultType":"grouped","key":"before","value":[[{"resultType":"date","key":"born","value":"2020-02-29"},
        {"resultType":"textChoice","key":"how","value":["x","y"]}],[{"resultType":"date","key":"born","skipped":true}]]},
        {"resultType":"grouped","key":"T-1","value":[{"resultType":"boolean","key":"PuzzleWasSolved","value":true},
        {"resultType":"numeric","key":"numberofmoves","value":7}]}
        """

    static func withRun(_ body: @Sendable @escaping (Tests.Lab, String) async throws -> Void) async throws {
        try await Tests.withLab(files: ["A_1.0.json": activity]) { lab in
            let key = try await Tests.enroll(lab.url)
            let answer = try await Tests.send(lab.url, Tests.run(key, results, activity: "Welcome"))
            #expect(answer.hasSuffix(#"{"success":true}"#), "\(answer)")
            try await body(lab, key)
        }
    }

    static func sql(_ lab: Tests.Lab, _ key: String, _ sql: String) async throws -> JSONValue {
        try await Tests.json(
            "-G", "--data-urlencode", "sql=" + sql, lab.url + "/response-executeSQL.api?participantId=" + key)
    }

    /// Each row's values, in the order of its columns.
    static func rows(_ answer: JSONValue) -> [[String]] {
        (answer["rows"]?.array ?? []).map { row in
            (row["data"]?.members ?? []).map { $0.value["value"]?.string ?? $0.value["value"]?.text ?? "" }
        }
    }

    @Test(arguments: [
        // The receiver's time is 2026-05-28T20:26:40Z; the server writes it as New York's clocks
        // show it. An answer's own offset is read over.
        ("SELECT due,Created FROM Welcome", [["2026-08-01 23:30:00.250", "2026-05-28 16:26:40.000"]]),
        ("select DUE, N from welcome", [["2026-08-01 23:30:00.250", "1.5"]]),
        (#"SELECT "born" FROM "WelcomeBefore""#, [["2020-02-29 00:00:00.000"], ["null"]]),
        ("SELECT born FROM Welcomebefore", [["2020-02-29 00:00:00.000"], ["null"]]),
        ("SELECT work, work_Other_Text FROM WelcomeWork", [["a", "null"], ["o", "afloat"]]),
        ("SELECT how FROM WelcomeBeforeHow", [["x"], ["y"]]),
        (#"SELECT puzzleWasSolved, numberOfMoves FROM "WelcomeT-1""#, [["true", "7"]]),
    ])
    func listsAndSubListsAreRead(_ query: String, _ expected: [[String]]) async throws {
        try await Self.withRun { lab, key in
            let answer = try await Self.sql(lab, key, query)
            #expect(Self.rows(answer) == expected, "\(answer.text)")
            #expect(answer["rowCount"] == .int(expected.count))
        }
    }

    @Test func columnsComeUnderTheNamesTheyWereAskedBy() async throws {
        try await Self.withRun { lab, key in
            let answer = try await Self.sql(lab, key, "SELECT N, DUE FROM welcome")
            let data = answer["rows"]?.array?.first?["data"]
            #expect(data?.text == #"{"N":{"value":1.5},"DUE":{"value":"2026-08-01 23:30:00.250"}}"#)
        }
    }

    @Test(arguments: [
        ("", "Syntax error: this server plays SELECT column,… FROM list"),
        ("SELECT n FROM Nothing", "Query or table not found: Nothing"),
        ("SELECT mood FROM Welcome", "Could not resolve column: mood"),
        ("SELECT never ever", "Syntax error: this server plays SELECT column,… FROM list"),
        ("SELECT dueDate FROM ParticipantProperties", "Query or table not found: ParticipantProperties"),
    ])
    func aWrongQueryIsRefused(_ query: String, _ text: String) async throws {
        try await Self.withRun { lab, key in
            let answer = try await Self.sql(lab, key, query)
            #expect(answer["exception"] == .string(text) && answer["success"] == .boolean(false), "\(answer.text)")
        }
    }

    @Test func nobodySeesAnothersRowsAndAListIsThereFromTheFirstRunOn() async throws {
        try await Tests.withLab(isStrict: false, files: ["A_1.0.json": Self.activity]) { lab in
            let (first, second) = (
                try await Tests.enroll(lab.url), try await Tests.enroll(lab.url, "QWERTYUIE")
            )
            let none = try await Self.sql(lab, second, "SELECT n FROM Welcome")
            #expect(none["exception"] == .string("Query or table not found: Welcome"))
            _ = try await Tests.send(lab.url, Tests.run(first, Self.results, activity: "Welcome"))
            #expect(try await Self.sql(lab, first, "SELECT n FROM Welcome")["exception"] != nil)
            lab.clock.advance(.seconds(3))
            #expect(Self.rows(try await Self.sql(lab, first, "SELECT n FROM Welcome")) == [["1.5"]])
            #expect(Self.rows(try await Self.sql(lab, second, "SELECT n FROM Welcome")) == [])
            // What was withdrawn with deletion is gone.
            let leave = lab.url + "/response-withdrawFromStudy.api?delete=true&participantId=" + first
            _ = try await Tests.post(leave)
            #expect(try await lab.api("runs") == .array([]))
        }
    }

    static let properties = """
        {"message":"SUCCESS","metadata":{"studyId":"S1","studyVersion":"1.0"},"participantProperties":[
        {"propertyId":"dueDate","propertyType":"PreEnrollment","propertyDataFormat":"date"},
        {"propertyId":"arm","propertyType":"PostEnrollment","propertyDataFormat":"string"}]}
        """

    @Test func participantPropertiesAreKnownBeforeEnrolmentAndMayChange() async throws {
        let files = [
            "participantProperties.json": Self.properties,
            "participantProperties-values.json":
                #"{"abcdefghi":{"dueDate":"2026-08-01","dueDateExternalId":"7","dueDateEntryDate":"2026-02-03T10:11:12+0000","arm":"2026-01-01"}}"#,
        ]
        try await Tests.withLab(files: files) { lab in
            let call = lab.url + "/response-validateEnrollmentToken.api?studyId=S1&token="
            let known = try await Tests.json("-X", "POST", call + "ABCDEFGHI")
            #expect(
                known.text
                    == #"{"success":true,"preEnrollmentParticipantProperties":[{"propertyId":"dueDate","value":"2026-08-01"}]}"#
            )
            let unknown = try await Tests.json("-X", "POST", call + "QWERTYUIE")
            #expect(unknown.text.contains(#"{"propertyId":"dueDate","value":null}"#))
            let key = try await Tests.enroll(lab.url)
            let query = "SELECT dueDate,dueDateExternalId,dueDateEntryDate,arm FROM ParticipantProperties"
            #expect(
                Self.rows(try await Self.sql(lab, key, query))
                    == [["2026-08-01 00:00:00.000", "7", "2026-02-03 10:11:12.000", "2026-01-01"]])
            try lab.write(#"{"ABCDEFGHI":{"dueDate":"2026-08-15"}}"#, to: "participantProperties-values.json")
            #expect(
                Self.rows(try await Self.sql(lab, key, query)) == [["2026-08-15 00:00:00.000", "null", "null", "null"]])
            let other = try await Tests.enroll(lab.url, "QWERTYUIE")
            #expect(Self.rows(try await Self.sql(lab, other, query)) == [["null", "null", "null", "null"]])
        }
    }

    @Test func valuesAloneMakePropertiesToo() async throws {
        let values = #"{"ABCDEFGHI":{"dueDate":"2026-08-01","arm":2}}"#
        try await Tests.withLab(files: ["participantProperties-values.json": values]) { lab in
            let known = try await Tests.json(
                "-X", "POST", lab.url + "/response-validateEnrollmentToken.api?studyId=S1&token=ABCDEFGHI")
            let text = #"[{"propertyId":"dueDate","value":"2026-08-01"},{"propertyId":"arm","value":2}]"#
            #expect(known["preEnrollmentParticipantProperties"]?.text == text)
            let key = try await Tests.enroll(lab.url)
            let query = "SELECT dueDate,dueDateExternalId,dueDateEntryDate,arm FROM ParticipantProperties"
            #expect(
                Self.rows(try await Self.sql(lab, key, query)) == [["2026-08-01 00:00:00.000", "null", "null", "2"]])
        }
    }

    /// A property that has values, too, is one column: LabKey's lists cannot have one name twice.
    @Test func aPropertyIsOneColumn() throws {
        let definitions = try JSONReader.value(
            #"{"participantProperties":[{"propertyId":"dueDate"},{"propertyId":"arm"}]}"#)
        let values = try JSONReader.value(#"{"ABCDEFGHI":{"dueDate":"2026-08-01","dueDateExternalId":"7","Arm":2}}"#)
        #expect(
            MyStudiesProperties(definitions: definitions, values: values).columns == [
                "EnrollmentToken", "dueDate", "dueDateExternalId", "dueDateEntryDate", "arm", "armExternalId",
                "armEntryDate",
            ])
    }

    @Test func aNewVersionAddsColumns() async throws {
        let newer = Self.activity.replacingOccurrences(of: "\"1.0\"", with: "\"1.1\"")
        let more = newer.replacingOccurrences(
            of: #""key":"n"}"#, with: #""key":"n"},{"type":"question","resultType":"text","key":"t"}"#)
        try await Self.withRun { lab, key in
            try lab.write(more, to: "A_1.1.json")
            let text = #"{"resultType":"text","key":"t","value":"words"}"#
            let first = try await Tests.send(lab.url, Tests.run(key, text, activity: "Welcome", version: "1.1"))
            #expect(first.hasSuffix(#"{"success":true}"#), "\(first)")
            #expect(
                Self.rows(try await Self.sql(lab, key, "SELECT n,t FROM Welcome")) == [
                    ["1.5", "null"], ["null", "words"],
                ])
        }
    }

    @Test func runsThatWaitedAtARestartAreLookedAt() async throws {
        try await withFolder { folder in
            let study = folder + "/study"
            try FileManager.default.createDirectory(atPath: study, withIntermediateDirectories: true)
            try Tests.activity.write(toFile: study + "/A_1.0.json", atomically: true, encoding: .utf8)
            let clock = MovableClock()
            func start(_ body: @Sendable @escaping (String) async throws -> Void) async throws {
                try await withReceiver(folder + "/data", { $0.played.mystudies = [study] }, clock: clock) { url, _ in
                    try await body(url)
                }
            }
            try await start { url in
                let key = try await Tests.enroll(url + "/mystudies", "")
                let body = Tests.run(key, #"{"resultType":"numeric","key":"n","value":1}"#)
                #expect(try await Tests.send(url + "/mystudies", body).contains("true"))
                #expect(try await curl(url + "/api/mystudies/runs").contains("Pending"))
            }
            clock.advance(.seconds(60))
            try await start { url in
                let runs = try await curl(url + "/api/mystudies/runs")
                #expect(runs.contains("Processed"))
            }
        }
    }
}
