// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

/// The stand-in of FDA MyStudies, asked by curl.
@Suite(.timeLimit(.minutes(10))) struct MyStudiesRoutesTests {
    static let fixtures = folderAbove("shared/fixtures/mystudies/response-server")

    static let activity = """
        {"activity":{"type":"questionnaire","metadata":{"studyId":"S1","activityId":"A","version":"1.0"},"steps":[
        {"type":"question","resultType":"numeric","key":"n"},{"type":"question","resultType":"textChoice","key":"c"},
        {"type":"task","resultType":"towerOfHanoi","key":"t"},
        {"type":"form","resultType":"grouped","key":"g","steps":[{"type":"question","resultType":"boolean","key":"b"}]}]}}
        """
    static let list = """
        {"message":"SUCCESS","activities":[{"activityId":"A","taskSubType":""},{"activityId":"K","taskSubType":"fetalKickCounter"},
        {"activityId":"T","taskSubType":"towerOfHanoi"}]}
        """

    /// A receiver with a study of one activity and two tokens.
    static func withStudy(
        tokens: String? = "ABCDEFGHI\nQWERTYUIE\n", isStrict: Bool = true, files: [String: String] = [:],
        _ body: @Sendable @escaping (String) async throws -> Void
    ) async throws {
        try await withLab(tokens: tokens, isStrict: isStrict, files: files) { lab in try await body(lab.url) }
    }

    /// A receiver with its study's folder and clock, for the test to change.
    struct Lab: Sendable {
        let url: String
        let folder: String
        let clock: MovableClock
        let said: Said

        /// A file of the study as it is from now on; nil removes it.
        func write(_ text: String?, to name: String) throws {
            let path = folder + "/" + name
            guard let text else { return try FileManager.default.removeItem(atPath: path) }
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        /// The receiver's own JSON.
        func api(_ name: String) async throws -> JSONValue {
            try await MyStudiesRoutesTests.json(String(url.dropLast("/mystudies".count)) + "/api/mystudies/" + name)
        }

        /// GET of the metadata server, as an application for iOS.
        func metadata(_ call: String, _ more: String...) async throws -> String {
            try await LabTests.run(
                ["curl", "-s", "-S", "-i", "--max-time", "300", "-u", "org.box:one"] + more
                    + [url + "/StudyMetaData/" + call])
        }
    }

    static func withLab(
        tokens: String? = "ABCDEFGHI\nQWERTYUIE\n", isStrict: Bool = true, organisation: String? = nil,
        files: [String: String] = [:], quota: Int64 = 64 << 30, proxies: [String] = [],
        _ body: @Sendable @escaping (Lab) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let study = folder + "/study"
            try FileManager.default.createDirectory(atPath: study, withIntermediateDirectories: true)
            var files = ["A_1.0.json": activity, "activityList.json": list].merging(files) { $1 }
            files["tokens.txt"] = tokens
            for (name, text) in files {
                try text.write(toFile: study + "/" + name, atomically: true, encoding: .utf8)
            }
            let (clock, said) = (MovableClock(), Said())
            try await withReceiver(
                folder + "/data",
                { options in
                    options.played.mystudies = [study]
                    options.played.isStrict = isStrict
                    options.played.organisation = organisation
                    options.deviceQuota = quota
                    options.proxies = proxies
                    options.played.applications = ["ios:org.box:one", "android:org.box:two"].compactMap(
                        StandInApplication.init)
                }, clock: clock, said: said
            ) { url, _ in
                try await body(Lab(url: url + "/mystudies", folder: study, clock: clock, said: said))
            }
        }
    }

    /// What is answered, as JSON.
    static func json(_ words: String...) async throws -> JSONValue {
        let text = try await LabTests.run(["curl", "-s", "-S", "--max-time", "300"] + words)
        return try JSONReader.value(text, depthLimit: 64)
    }

    static func post(_ url: String) async throws -> String { try await curl("-X", "POST", url) }
    static func enroll(_ url: String, _ token: String = "ABCDEFGHI") async throws -> String {
        let answer = try await post(
            url + "/response-enroll.api?studyId=s1&token=\(token)&allowDataSharing=true")
        let parts = answer.components(separatedBy: "\"appToken\":\"")
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : answer
    }

    static func run(_ participant: String, _ results: String, activity: String = "A", version: String = "1.0") -> String
    {
        """
        {"type":"questionnaire","metadata":{"studyId":"S1","activityId":"\(activity)","version":"\(version)","activityRunId":"1"},
        "participantId":"\(participant)","data":{"resultType":"questionnaire","startTime":"2026-05-28T20:20:00.000+0000","endTime":"2026-05-28T20:25:00.000+0000","results":[\(results)]}}
        """
    }

    static func send(_ url: String, _ body: String) async throws -> String {
        try await curl(
            "-H", "Content-Type: application/json", "--data-binary", body, url + "/response-processResponse.api")
    }

    /// A manifest names a run by its digest.
    @Test func aRunIsNotedOnceItWasTaken() async throws {
        try await Self.withLab { lab in
            let key = try await Self.enroll(lab.url)
            let bodies = [Self.run(key, Self.good), Self.run("unknown", Self.good)]
            for body in bodies { _ = try await Self.send(lab.url, body) }
            let reports = try FleetArchive(.file(lab.folder + "/../data/fleet.sqlite"))
            let digests = try bodies.map { try Digest(ofText: $0).description }
            #expect(try await reports.hasPosted(digests[0]))
            #expect(try await !reports.hasPosted(digests[1]))
        }
    }

    @Test func enrolmentGivesAKeyOnce() async throws {
        try await Self.withStudy { url in
            let key = try await Self.enroll(url)
            #expect(key.count == 32 && key.allSatisfy(\.isHexDigit))
            #expect(try await Self.enroll(url).contains("Token already in use"))
            #expect(try await Self.enroll(url, "qwertyuie").count == 32)
        }
    }

    @Test(arguments: [
        ("enroll", "", "Study with StudyId '' does not exist"),
        ("enroll", "studyId=NO", "Study with StudyId 'NO' does not exist"),
        ("enroll", "studyId=S1&allowDataSharing=true", "Token is required"),
        ("enroll", "studyId=S1&token=ZZZZZZZZI", "Unknown token: 'ZZZZZZZZI'"),
        ("enroll", "studyId=S1&token=ABCDEFGHI", "Invalid allowDataSharing value: ''"),
        ("enroll", "studyId=S1&token=ABCDEFGHI&allowDataSharing=yes", "Invalid allowDataSharing value: 'yes'"),
        ("enroll", "studyId=S1&token=ABCDEFGHI&allowDataSharing=TRUE", "Invalid allowDataSharing value: 'TRUE'"),
        ("enroll", "studyId=S1&allowDataSharing=true&language=es", "Se requiere un token"),
        ("enroll", "studyId=S1&allowDataSharing=true&language=fr", "Token is required"),
        ("validateEnrollmentToken", "studyId=S1&language=es", "Se requiere un token"),
        ("executeSQL", "sql=SELECT%20n%20FROM%20A", "Unable to identify participant"),
        ("executeSQL", "participantId=x&sql=SELECT%20n%20FROM%20A", "Unable to identify participant"),
        ("validateEnrollmentToken", "studyId=S1&token=ABCDEFGH", "Unknown token: 'ABCDEFGH'"),
        ("withdrawFromStudy", "", "Invalid ParticipantId."),
        ("withdrawFromStudy", "participantId=x", "Invalid ParticipantId."),
    ])
    func mistakesComeInTheServersOrderAndWords(_ action: String, _ query: String, _ text: String) async throws {
        try await Self.withStudy { url in
            let answer = try await curl("-i", "-X", "POST", url + "/mobileappstudy-\(action).api?" + query)
            #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("\"exception\":\"\(text)\""), "\(answer)")
            #expect(answer.contains("\"success\":false"))
        }
    }

    /// studyd tries again, so that nothing is lost if it was a mistake, and no page fills with it.
    @Test func noRunIsTakenInARevokedName() async throws {
        try await Self.withStudy { url in
            let (key, lab) = (try await Self.enroll(url), url.replacing("/mystudies", with: ""))
            _ = try await curl("-d", "kind=revoke&participant=\(key)", lab + "/changes")
            let answer = try await Self.send(url, Self.run(key, Self.good))
            #expect(answer.hasPrefix("HTTP/1.1 403") && answer.contains("Participant is locked"), "\(answer)")
            #expect(try await curl(lab + "/api/mystudies/runs").hasSuffix("[]"))
            #expect(try await !curl(lab + "/api/refusals").contains("locked"))
        }
    }

    @Test func actsTakePostOnly() async throws {
        try await Self.withStudy { url in
            let answer = try await curl("-i", url + "/response-validateEnrollmentToken.api?studyId=S1&token=ABCDEFGHI")
            #expect(answer.hasPrefix("HTTP/1.1 405"))
        }
    }

    @Test func aTokenTellsItsStudy() async throws {
        try await Self.withStudy { url in
            let known = try await Self.post(url + "/response-resolveEnrollmentToken.api?token=abcdefghi")
            #expect(known.hasSuffix(#"{"success":true,"studyId":"S1"}"#))
            let unknown = try await curl(
                "-i", "-X", "POST", url + "/response-resolveEnrollmentToken.api?token=ZZZZZZZZI")
            #expect(unknown.hasPrefix("HTTP/1.1 404") && unknown.contains("Token is not associated with a study ID"))
        }
    }

    @Test func metadataNeedsACredentialAndIsFilteredByItsPlatform() async throws {
        try await Self.withStudy { url in
            let path = url + "/StudyMetaData/activityList?studyId=S1"
            #expect(try await curl("-i", path).hasPrefix("HTTP/1.1 400"))
            let wrong = try await curl("-i", "-u", "org.box:no", path)
            #expect(wrong.hasPrefix("HTTP/1.1 401") && wrong.contains("Invalid Authorization key"))
            #expect(try await curl("-u", "org.box:one", path).contains("towerOfHanoi"))
            let android = try await curl("-u", "org.box:two", path)
            #expect(!android.contains("towerOfHanoi") && android.contains("fetalKickCounter"))
            let activity = url + "/StudyMetaData/activity?studyId=S1&activityId=A&activityVersion="
            #expect(try await curl("-u", "org.box:one", activity + "1.0").contains("\"steps\""))
            #expect(try await curl("-i", "-u", "org.box:one", activity + "2").hasPrefix("HTTP/1.1 404"))
        }
    }

    static let good =
        #"{"resultType":"numeric","key":"N","value":1.5},{"resultType":"textChoice","key":"c","value":["a",{"other":"o","text":""}]},{"resultType":"towerOfHanoi","key":"t","value":[{"resultType":"boolean","key":"puzzleWasSolved","value":true},{"resultType":"numeric","key":"numberOfMoves","value":7}]},{"resultType":"grouped","key":"g","value":[[{"resultType":"boolean","key":"b","value":true}],[{"resultType":"boolean","key":"b","skipped":true}]]}"#

    @Test func aRunIsKeptAndKeptAgain() async throws {
        try await Self.withStudy { url in
            let key = try await Self.enroll(url)
            for _ in 0..<2 {
                #expect(try await Self.send(url, Self.run(key, Self.good)).hasSuffix(#"{"success":true}"#))
            }
            let runs = try await curl(String(url.dropLast("/mystudies".count)) + "/api/mystudies/runs")
            #expect(runs.components(separatedBy: "\"status\":\"Processed\"").count == 3)
        }
    }

    @Test(arguments: [
        (#"{"resultType":"numeric","key":"x","value":1}"#, "Unable to find column 'x' in list 'A'"),
        (
            #"{"resultType":"numeric","key":"n","value":"1"}"#,
            "Value for field 'n' expected to be DOUBLE but got"
        ),
        (#"{"resultType":"mood","key":"n","value":1}"#, "Type 'Unknown' (VARCHAR) of result"),
    ])
    func aStrictReceiverRefusesWhatThePlatformFindsWrongLater(_ results: String, _ text: String) async throws {
        try await Self.withLab { lab in
            let answer = try await Self.send(lab.url, Self.run(try await Self.enroll(lab.url), results))
            #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains(text), "\(answer)")
            #expect(try await lab.api("runs") == .array([]))
        }
        try await Self.withLab(isStrict: false) { lab in
            let answer = try await Self.send(lab.url, Self.run(try await Self.enroll(lab.url), results))
            #expect(answer.hasSuffix(#"{"success":true}"#))
            #expect(try await lab.api("runs").text.contains(#""status":"Pending""#))
            lab.clock.advance(.seconds(3))
            let runs = try await lab.api("runs").text
            #expect(runs.contains(#""status":"Error""#) && runs.contains(text))
        }
    }

    @Test func aRunNamesItsParticipantAndActivity() async throws {
        try await Self.withLab { lab in
            let key = try await Self.enroll(lab.url)
            for body in ["{}", "no json", Self.run("unknown", "")] {
                #expect(try await Self.send(lab.url, body).contains("Unable to identify participant"))
            }
            let answer = try await Self.send(lab.url, #"{"participantId":"\#(key)"}"#)
            #expect(answer.contains(#""exception":"Design of activity '' in version '' not found""#), "\(answer)")
        }
    }

    @Test func enrolmentStopsAtTheFirstMistakeOfTheToken() async throws {
        try await Self.withStudy { url in
            _ = try await Self.enroll(url)
            for (query, text) in [
                ("studyId=no&token=ABCDEFGHZ", "Study with StudyId 'NO' does not exist"),
                ("studyId=%20s1%20&token=abcdefghi", "Token already in use"),
                ("studyId=S1&token=%20zzzzzzzzi", "Unknown token: 'ZZZZZZZZI'"),
            ] {
                for action in ["enroll", "validateEnrollmentToken"] {
                    let answer = try await Self.post(url + "/response-\(action).api?allowDataSharing=NA&" + query)
                    #expect(answer.contains(#""exception":"\#(text)""#), "\(answer)")
                    #expect(answer.components(separatedBy: "\"msg\"").count == 2)
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"status":"Paused"}"#, false), (#"{"status":"Closed"}"#, false), (#"{"status":"Active"}"#, true),
        (#"{"status":"Active","collectionEnabled":false}"#, false),
        (#"{"status":"Closed","collectionEnabled":true}"#, true),
    ])
    func aPausedStudyTakesNoRuns(_ state: String, _ takes: Bool) async throws {
        try await Self.withLab { lab in
            let key = try await Self.enroll(lab.url)
            try lab.write(state, to: "study.json")
            let answer = try await Self.send(lab.url, Self.run(key, Self.good))
            let text = "Response collection is not currently enabled for study [ S1 ]"
            #expect(answer.contains(text) != takes && answer.contains(#""success":true"#) == takes, "\(answer)")
        }
    }

    @Test(arguments: [
        ("", "Token already in use"), ("&delete=false", "Token already in use"),
        ("&delete=true", "Unknown token: 'ABCDEFGHI'"),
    ])
    func afterAWithdrawalTheParticipantIsUnknownAndTheTokenIsUsedUp(_ query: String, _ text: String) async throws {
        try await Self.withLab { lab in
            let key = try await Self.enroll(lab.url)
            _ = try await Self.send(lab.url, Self.run(key, Self.good))
            let leave = lab.url + "/response-withdrawFromStudy.api?participantId=\(key)" + query
            #expect(try await Self.post(leave).hasSuffix(#"{"success":true}"#))
            #expect(try await Self.post(leave).contains("Invalid ParticipantId."))
            #expect(try await Self.send(lab.url, Self.run(key, Self.good)).contains("Unable to identify participant"))
            #expect(try await lab.api("runs").array?.count == (query == "&delete=true" ? 0 : 1))
            #expect(try await Self.enroll(lab.url).contains(text))
            let resolve = try await Self.post(lab.url + "/response-resolveEnrollmentToken.api?token=ABCDEFGHI")
            #expect(resolve.hasPrefix("HTTP/1.1 \(query == "&delete=true" ? 404 : 200)"), "\(resolve)")
        }
    }

    /// The key and what was sent are forgotten each on its own, the token with what was sent.
    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func aWithdrawalForgetsWhatItIsToForget(forgetsKey: Bool, deletes: Bool) async throws {
        let store = try MyStudiesStore(.memory)
        let now = Instant(seconds: 1_780_000_000)
        #expect(try await store.enroll("k", study: "S", token: "ABCDEFGHI", sharing: "true", at: now))
        let id = try #require(try await store.participant("k")?.id)
        _ = try await store.keep(run: [1], of: id, activity: "A", version: "1", at: now)
        try await store.withdraw(id, forgetsKey: forgetsKey, deletes: deletes, at: now)
        let known = try await store.participant("k")
        #expect((known == nil) == forgetsKey)
        #expect((known?.token == nil) == (forgetsKey || deletes))
        #expect(try await store.isUsed("ABCDEFGHI", in: "S") == !deletes)
        #expect(try await store.isForgotten("ABCDEFGHI", in: "S") == deletes)
        #expect(try await store.runs().isEmpty == deletes)
        // No number is given again.
        #expect(try await store.enroll("l", study: "S", token: nil, sharing: "true", at: now))
        let next = try #require(try await store.participant("l")?.id)
        #expect(try await store.keep(run: [1], of: next, activity: "A", version: "1", at: now) == 2)
    }

    @Test func aTokenEnrolsOneOfManyWhoComeAtOnce() async throws {
        try await Self.withLab { lab in
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.enroll(lab.url) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.count == 32 }.count == 1)
            #expect(answers.filter { $0.contains("Token already in use") }.count == 7)
        }
    }

    @Test(arguments: ["key", "token"])
    func whomTheStaffWithdrawIsStillKnownAndRefused(_ by: String) async throws {
        try await Self.withLab { lab in
            let key = try await Self.enroll(lab.url)
            try lab.write(by == "key" ? key : "abcdefghi\n", to: "withdrawn.txt")
            let text = "Participant has withdrawn from study"
            #expect(try await Self.send(lab.url, Self.run(key, Self.good)).contains(text))
            let read = lab.url + "/response-executeSQL.api?participantId=\(key)&sql=SELECT%20n%20FROM%20A"
            #expect(try await curl(read).contains(text))
            // Leaving is taken, and changes nothing about that.
            let leave = lab.url + "/response-withdrawFromStudy.api?participantId=\(key)"
            for _ in 0..<2 { #expect(try await Self.post(leave).hasSuffix(#"{"success":true}"#)) }
            #expect(try await Self.send(lab.url, Self.run(key, Self.good)).contains(text))
        }
    }

    @Test func aParticipantOfAStudyThatIsNotServedAnyMoreIsTold() async throws {
        try await Self.withLab { lab in
            let key = try await Self.enroll(lab.url)
            try lab.write(Self.activity.replacingOccurrences(of: "S1", with: "S2"), to: "A_1.0.json")
            let answer = try await Self.send(lab.url, Self.run(key, Self.good))
            #expect(answer.contains("AppToken not associated with study"))
        }
    }

    static let pairs = [
        "FKC-74_1.0", "SSM-76_1.0", "TOH-75_1.0", "NewSurvey_1", "NewSurvey_9", "OtherOption_1", "OtherOptionBlanks_1",
    ]

    /// The Response server's own answers to its own designs.
    @Test(.enabled(if: !fixtures.isEmpty, "SKIPPED: the Response server's fixtures are not beside the project"))
    func theServersOwnPairsAreAccepted() throws {
        for name in Self.pairs {
            func read(_ suffix: String) throws -> JSONValue {
                let path = "\(Self.fixtures)/DYNAMICSCHEMASTUDY_\(name)\(suffix).json"
                return try JSONReader.value(String(contentsOfFile: path, encoding: .utf8), depthLimit: 64)
            }
            let design = MyStudiesDesign(try #require(try read("")["activity"]))
            func errors(_ results: [JSONValue]) -> [String] {
                MyStudiesListRows(results, design: design, list: name).errors
            }
            let results = try #require(try read("--RESPONSE")["results"]?.array)
            #expect(design.problems.isEmpty && errors(results).isEmpty, "\(name): \(errors(results))")
            // Under other keys, or with another kind of value, none of them is taken.
            for (member, value) in [("key", JSONValue.string("no such key")), ("value", .members(["a": .null]))] {
                let mutated = results.map { Self.replace($0, member, value) }
                #expect(!errors(mutated).isEmpty, "\(name) \(member)")
            }
        }
    }

    /// The pairs as whole runs through the strict receiver, and one mutated copy of each.
    @Test(.enabled(if: !fixtures.isEmpty, "SKIPPED: the Response server's fixtures are not beside the project"))
    func theServersOwnPairsGoThroughTheReceiver() async throws {
        var files: [String: String] = ["study.json": #"{"studyId":"DYNAMICSCHEMASTUDY"}"#]
        for name in Self.pairs {
            let path = "\(Self.fixtures)/DYNAMICSCHEMASTUDY_\(name).json"
            files[name + ".json"] = try String(contentsOfFile: path, encoding: .utf8)
        }
        // The others in the folder are of study S1.
        files["A_1.0.json"] = files["FKC-74_1.0.json"]
        try await Self.withLab(files: files) { lab in
            let answer = try await Self.post(
                lab.url + "/response-enroll.api?studyId=DYNAMICSCHEMASTUDY&token=ABCDEFGHI&allowDataSharing=NA")
            let key = String(try #require(answer.components(separatedBy: "\"appToken\":\"").last).prefix { $0 != "\"" })
            for name in Self.pairs {
                let path = "\(Self.fixtures)/DYNAMICSCHEMASTUDY_\(name)--RESPONSE.json"
                let data = try String(contentsOfFile: path, encoding: .utf8)
                let parts = name.split(separator: "_").map(String.init)
                func send(_ data: String) async throws -> String {
                    let body =
                        #"{"metadata":{"activityId":"\#(parts[0])","version":"\#(parts[1])"},"participantId":"\#(key)","data":\#(data)}"#
                    return try await LabTests.run(
                        [
                            "curl", "-s", "-H", "Content-Type: application/json", "--data-binary", "@-",
                            lab.url + "/response-processResponse.api",
                        ], input: body)
                }
                let taken = try await send(data)
                #expect(taken == #"{"success":true}"#, "\(name): \(taken)")
                let mutated = try await send(
                    data.replacingOccurrences(of: #""key""#, with: #""key":"no such key","was""#))
                #expect(mutated.contains("o such key"), "\(name): \(mutated)")
            }
            let towers = try await MyStudiesReadingTests.sql(lab, key, "SELECT numberOfMoves FROM \"TOH-75Towers\"")
            #expect(towers["rowCount"] == .int(1), "\(towers.text)")
        }
    }

    static func replace(_ value: JSONValue, _ name: String, _ new: JSONValue) -> JSONValue {
        guard case .object(let members) = value else { return value }
        return .object(members.map { $0.name == name ? .init(name: name, value: new) : $0 })
    }
}
