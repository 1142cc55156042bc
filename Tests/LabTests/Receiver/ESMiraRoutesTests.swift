// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

/// The stand-in of ESMira against what the real server, ESMira-web 3.5.1, was recorded answering.
@Suite(.timeLimit(.minutes(10))) struct ESMiraRecordedTests {
    static let isThere = !ESMiraLab.fixtures.isEmpty

    static func with(_ body: @Sendable @escaping (ESMiraLab) async throws -> Void) async throws {
        let studies = try recorded("studies.access_key-studyd.response")
        // As the server hands it out, which its editor's file is.
        try await ESMiraLab.with(try #require(studies["dataset"]?[0]).text, body)
    }

    static func recorded(_ name: String) throws -> JSONValue {
        try JSONReader.value(try ESMiraLab.fixture("recorded/\(name).json"), depthLimit: 64)
    }

    /// Without moments, which are never the same twice.
    static func timeless(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let values): .array(values.map(timeless))
        case .object(let members):
            .object(
                members.map { member in
                    let isMoment = member.name == "sent" || member.name == "read"
                    return .init(name: member.name, value: isMoment ? .int(0) : timeless(member.value))
                })
        default: value
        }
    }

    @Test(.enabled(if: isThere, "needs shared/fixtures/esmira"))
    func everyRecordedRequestHasTheRecordedAnswer() async throws {
        try await Self.with { lab in
            let studies = try await lab.ask("studies.php?access_key=studyd&lang=en")
            #expect(studies.sorted == (try Self.recorded("studies.access_key-studyd.response")).sorted)

            let request = try ESMiraLab.fixture("recorded/datasets.request.json")
            #expect(try await lab.ask("datasets.php", request) == Self.recorded("datasets.response"))
            lab.clock.advance(.milliseconds(900))
            #expect(try await lab.ask("datasets.php", request) == Self.recorded("datasets.response.too-soon"))
            let mixed = try ESMiraLab.fixture("recorded/datasets.request.mixed.json")
            #expect(try await lab.ask("datasets.php", mixed) == Self.recorded("datasets.response.mixed"))

            let statistics = try await lab.ask("statistics.php?id=4711&access_key=studyd")
            #expect(statistics == (try Self.recorded("statistics.response")))

            let sent = try await lab.control("message?study=4711&user=aB3d-Ef5G-hJ7k", "Please charge the device")
            #expect(sent == "sent to 1 of study 4711\n")
            let asked = try ESMiraLab.fixture("recorded/update.request.json")
            let news = try await lab.ask("update.php?lang=en", asked)
            #expect(news["dataset"]?["4711"]?["study"]?.sorted == studies["dataset"]?[0]?.sorted)
            let known = try Self.recorded("update.response")
            #expect(
                Self.timeless(news["dataset"]?["4711"]?["msgs"] ?? .null)
                    == Self.timeless(known["dataset"]?["4711"]?["msgs"] ?? .null))
            let wrong = try await lab.ask(
                "update.php?lang=en", asked.replacing("\"accessKey\":\"studyd\"", with: "\"accessKey\":\"nope\""))
            #expect(Self.timeless(wrong) == Self.timeless(try Self.recorded("update.response.wrong-key")))

            let reward = try await lab.ask(
                "reward.php", "{\"userId\":\"aB3d-Ef5G-hJ7k\",\"studyId\":4711,\"serverVersion\":11}")
            #expect(reward["dataset"]?["errorCode"] == .int(0))
            #expect(reward["dataset"]?["code"]?.string?.wholeMatch(of: /[0-9a-f]{10}/) != nil)
        }
    }

    /// Each change to the recorded request, and what the server's code makes of it; read in
    /// CreateDataSet.php.
    static let mutations: [(from: String, to: String, error: String)] = [
        ("\"userId\": \"aB3d-Ef5G-hJ7k\",\n ", "", "Unexpected data"),
        ("\"appType\": \"studyd\"", "\"appType\": \"stu/dyd\"", "Input data not valid"),
        ("\"appVersion\": \"0.1.0\"", "\"appVersion\": \"1.0+3\"", "Input data not valid"),
        ("{\n \"userId\"", "<html>", "Unexpected data format"),
    ]

    @Test(.enabled(if: isThere, "needs shared/fixtures/esmira"))
    func aRequestThatWasChangedIsRefusedWholeAndNothingIsStored() async throws {
        let request = try ESMiraLab.fixture("recorded/datasets.request.json")
        try await Self.with { lab in
            for (from, to, error) in Self.mutations {
                try #require(request.contains(from), "\(from)")
                let answer = try await lab.ask("datasets.php", request.replacing(from, with: to, maxReplacements: 1))
                #expect(
                    answer["success"] == .boolean(false) && answer["error"]?.string == error, "\(from) → \(answer.text)"
                )
                lab.clock.advance(.seconds(2))
            }
            #expect(try await lab.api("4711/50001.csv").split(separator: "\n").count == 1)
            #expect(try await lab.api("4711/events.csv").split(separator: "\n").count == 1)
        }
    }
}

/// The stand-in of ESMira, asked by curl, with a study of our own.
@Suite(.timeLimit(.minutes(10))) struct ESMiraRoutesTests {
    @Test func everyRefusalForHasteRestartsTheSecond() async throws {
        try await ESMiraLab.with { lab async throws in
            let request = ESMiraLab.request("aaaa", ESMiraLab.entry(1), ESMiraLab.entry(2))
            #expect(try await lab.ask("datasets.php", request).states == ["1: ok", "2: ok"])
            for _ in 0..<3 {
                lab.clock.advance(.milliseconds(600))
                #expect(
                    try await lab.ask("datasets.php", ESMiraLab.request("aaaa", ESMiraLab.entry(3))).states
                        == ["3: Too many requests in succession"])
            }
            // Another's requests are their own.
            #expect(
                try await lab.ask("datasets.php", ESMiraLab.request("bbbb", ESMiraLab.entry(3))).states == ["3: ok"])
            lab.clock.advance(.seconds(1))
            #expect(
                try await lab.ask("datasets.php", ESMiraLab.request("aaaa", ESMiraLab.entry(3))).states == ["3: ok"])
        }
    }

    @Test func aFrozenStudyTakesNothingAndGoesOnAfterwards() async throws {
        try await ESMiraLab.with { lab async throws in
            #expect(try await lab.control("frozen?study=7&value=true") == "study 7 is frozen\n")
            let request = ESMiraLab.request("aaaa", ESMiraLab.entry(1))
            #expect(try await lab.ask("datasets.php", request).states == ["1: Study is locked"])
            for value in ["", "&value=", "&value=no", "&value=False"] {
                #expect(try await lab.control("frozen?study=7" + value) == "value is true or false\n", "\(value)")
            }
            #expect(try await lab.ask("datasets.php", request).states == ["1: Study is locked"])
            #expect(try await lab.control("frozen?study=7&value=false") == "study 7 is open\n")
            #expect(try await lab.ask("datasets.php", request).states == ["1: ok"])
        }
    }

    /// A manifest names what was sent by the digest of its body.
    @Test func theBodyThatWasTakenIsKnown() async throws {
        try await ESMiraLab.with { lab async throws in
            let request = ESMiraLab.request("aaaa", ESMiraLab.entry(1))
            let data = lab.file.replacing("studies/study.json", with: "data")
            let fleet = try FleetArchive(.file(data + "/fleet.sqlite"))
            let digest = try Digest(of: Array(request.utf8)).description
            for isFrozen in [true, false] {
                _ = try await lab.control("frozen?study=7&value=\(isFrozen)")
                _ = try await lab.ask("datasets.php", request)
                #expect(try await fleet.hasPosted(digest) == !isFrozen)
            }
        }
    }

    /// Answers to what was replaced may still come.
    @Test func aStudyThatIsEditedWhileItIsServedIsKept() async throws {
        try await ESMiraLab.with { lab async throws in
            let kept = lab.file.replacing("studies/study.json", with: "data/studies")
            for title in ["One", "Two"] {
                let study = ESMiraLab.study.replacing(#""title":"T""#, with: #""title":"\#(title)""#)
                try study.write(toFile: lab.file, atomically: true, encoding: .utf8)
                _ = try await lab.ask("datasets.php", ESMiraLab.request("aaaa", ESMiraLab.entry(1)))
                #expect(try BoundedFile.text(kept + "/studies/study.json") == study)
            }
            let older = FolderListing.readable(kept + "/studies.versions")
            #expect(older.count == 1 && older[0].hasPrefix("study.json.000001."))
        }
    }

    /// Answers have a row in the table of their questionnaire besides; what came too soon has none at all.
    @Test func everyEntryIsARowOfTheEvents() async throws {
        try await ESMiraLab.with { lab async throws in
            let request = ESMiraLab.request(
                "aaaa", ESMiraLab.entry(1), ESMiraLab.entry(2, "invitation"),
                ESMiraLab.entry(3, "questionnaire", questionnaire: 71))
            #expect(try await lab.ask("datasets.php", request).states == ["3: ok", "1: ok", "2: ok"])
            let again = ESMiraLab.request("aaaa", ESMiraLab.entry(4, "quit"))
            #expect(try await lab.ask("datasets.php", again).states == ["4: Too many requests in succession"])
            let events = try await lab.api("7/events.csv").split(separator: "\n").dropFirst().map(String.init)
            #expect(events.count == 3)
            for (row, event) in zip(events, ["joined", "invitation", "questionnaire"]) {
                #expect(row.contains("\"\(event)\""), "\(row)")
            }
            #expect(try await lab.api("7/71.csv").split(separator: "\n").count == 2)
        }
    }

    @Test func aFileIsTakenOnceAndOnlyAfterItsDataset() async throws {
        try await ESMiraLab.with { lab async throws in
            let sound = lab.file + ".mp4"
            try Data([0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 32)).write(
                to: URL(fileURLWithPath: sound))
            func send(_ name: String = "77") async throws -> JSONValue {
                try await lab.ask(
                    "file_uploads.php",
                    more: [
                        "-F", "userId=aaaa", "-F", "studyId=7", "-F", "dataType=Audio", "-F",
                        "upload=@\(sound);filename=\(name)",
                    ])
            }
            #expect(try await send()["error"]?.string == "Not allowed")
            let filled = ESMiraLab.entry(1, "questionnaire", questionnaire: 71, responses: "{\"v\":\"77\",\"n\":\"\"}")
            #expect(try await lab.ask("datasets.php", ESMiraLab.request("aaaa", filled)).states == ["1: ok"])
            #expect(try await send("78")["error"]?.string == "Not allowed")
            #expect(try await send()["success"] == .boolean(true))
            #expect(try await send()["error"]?.string == "Not allowed")
            #expect(try await lab.api("7/files").contains("audio/aaaa/v-1000001.3gpp"))
            #expect(try await lab.api("7/71.csv").hasSuffix("\"\";\"\";\"audio/aaaa/v-1000001.3gpp\""))
        }
    }

    /// 0 says that there is no file: it has no name in the table, and none is waited for.
    @Test(arguments: [
        (#"{"v":"1"}"#, true), (#"{"v":"0"}"#, false), (#"{"v":""}"#, false), ("{}", false), (#"{"v":"x"}"#, false),
    ]) func onlyAFileThatIsToComeHasAName(responses: String, isAwaited: Bool) async throws {
        try await ESMiraLab.with { lab async throws in
            let sound = lab.file + ".mp4"
            try Data([0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 32)).write(
                to: URL(fileURLWithPath: sound))
            let filled = ESMiraLab.entry(1, "questionnaire", questionnaire: 71, responses: responses)
            #expect(try await lab.ask("datasets.php", ESMiraLab.request("aaaa", filled)).states == ["1: ok"])
            let name = isAwaited ? "audio/aaaa/v-1000001.3gpp" : ""
            #expect(try await lab.api("7/71.csv").hasSuffix("\"\";\"\";\"\(name)\""))
            for number in ["0", "1"] {
                let answer = try await lab.ask(
                    "file_uploads.php",
                    more: [
                        "-F", "userId=aaaa", "-F", "studyId=7", "-F", "dataType=Audio", "-F",
                        "upload=@\(sound);filename=\(number)",
                    ])
                #expect(answer["success"] == .boolean(isAwaited && number == "1"), "\(answer)")
            }
        }
    }

    /// studyd tries again where a refusal says "locked", so that nothing is lost if it was a mistake.
    @Test func nothingIsTakenInARevokedName() async throws {
        try await ESMiraLab.with { lab async throws in
            let sound = lab.file + ".mp4"
            try Data([0, 0, 0, 24] + Array("ftypisom".utf8)).write(to: URL(fileURLWithPath: sound))
            _ = try await run(["curl", "-s", "-d", "kind=revoke&participant=aaaa", lab.url + "/changes"])
            let asked = #"{"userId":"aaaa","studyId":7,"serverVersion":11,"content":"Hello"}"#
            let answers = [
                try await lab.ask("datasets.php", ESMiraLab.request("aaaa", ESMiraLab.entry(1))),
                try await lab.ask("save_message.php", asked), try await lab.ask("reward.php", asked),
                try await lab.ask(
                    "file_uploads.php",
                    more: [
                        "-F", "userId=aaaa", "-F", "studyId=7", "-F", "dataType=Audio", "-F",
                        "upload=@\(sound);filename=1",
                    ]),
            ]
            #expect(answers.map { $0["error"]?.string } == Array(repeating: "This participant is locked", count: 4))
            #expect(try await !lab.api("7/participants").contains("aaaa"))
            #expect(try await !run(["curl", "-s", lab.url + "/api/refusals"]).contains("locked"))
            let other = ESMiraLab.request("bbbb", ESMiraLab.entry(1))
            #expect(try await lab.ask("datasets.php", other).states == ["1: ok"])
        }
    }

    /// A study is listed where it is published and, unless finished ones are asked for, not over; its key opens it.
    @Test(arguments: [
        (true, false, "access_key=Key", 1), (true, false, "access_key=kEY", 1), (true, false, "access_key=other", 0),
        (true, false, "lang=en", 0), (false, false, "access_key=key", 0), (true, true, "access_key=key", 0),
        (true, true, "access_key=key&include_finished_studies=1", 1),
        (false, true, "access_key=key&include_finished_studies=1", 0),
        (false, false, "access_key=key&include_finished_studies=1", 0),
    ]) func aStudyIsListedWhereItIsOpen(isPublished: Bool, isOver: Bool, query: String, count: Int) async throws {
        let study = ESMiraLab.study.replacing(
            "\"published\":true", with: "\"published\":\(isPublished),\"studyOver\":\(isOver)")
        try await ESMiraLab.with(study) { lab async throws in
            let found = try await lab.ask("studies.php?" + query)
            #expect(found["success"] == .boolean(true))
            #expect(
                found["dataset"]?.array?.compactMap { $0["id"] } == Array(repeating: JSONValue.int(7), count: count))
        }
    }

    /// Without keys it is there for who gives none, and for no one else.
    @Test(arguments: [("lang=en", 1), ("access_key=", 1), ("access_key=key", 0)])
    func aStudyWithoutKeysIsListedWithoutOne(query: String, count: Int) async throws {
        let study = ESMiraLab.study.replacing("\"accessKeys\":[\"Key\"]", with: "\"accessKeys\":[]")
        try await ESMiraLab.with(study) { lab async throws in
            #expect(try await lab.ask("studies.php?" + query)["dataset"]?.array?.count == count)
        }
    }

    /// A page in a browser of this machine, be it one of this server, steers nothing.
    @Test func noPageFreezesAStudy() async throws {
        try await ESMiraLab.with { lab async throws in
            let answer = try await curl(
                "-X", "POST", "-H", "Origin: \(lab.url)", lab.url + "/control/esmira/frozen?study=7&value=true")
            #expect(answer.hasPrefix("HTTP/1.1 403"), "\(answer)")
            let request = ESMiraLab.request("aaaa", ESMiraLab.entry(1))
            #expect(try await lab.ask("datasets.php", request).states == ["1: ok"])
        }
    }

    @Test func statisticsAreCountedByDayByValueAndEach() async throws {
        try await ESMiraLab.with { lab async throws in
            let answers = [("4", "1"), ("2.5", "2"), ("", "1"), ("4", "1")]
            for (number, (n, f)) in answers.enumerated() {
                let entry = ESMiraLab.entry(
                    number, "questionnaire", questionnaire: 71, time: 1_795_245_000_000 + number * 43_200_000,
                    responses: "{\"n\":\"\(n)\",\"f\":\"\(f)\"}")
                #expect(try await lab.ask("datasets.php", ESMiraLab.request("aaaa", entry)).states == ["\(number): ok"])
                lab.clock.advance(.seconds(2))
            }
            let text = try await lab.ask("statistics.php?id=7&access_key=key")["dataset"]?.text
            #expect(
                text == """
                    {"n":[{"storageType":0,"entryCount":2,"data":{"1795219200":{"sum":6.5,"count":2},"1795305600":{"sum":4,"count":2}},"timeInterval":86400},\
                    {"storageType":1,"entryCount":1,"data":{"4":2}},{"storageType":2,"entryCount":4,"data":{"0":4,"1":2.5,"2":0,"3":4}}],\
                    "f":[{"storageType":2,"entryCount":4,"data":{"0":1,"1":2,"2":1,"3":1}}]}
                    """)
            #expect(try await lab.ask("statistics.php?id=7&access_key=x")["error"]?.string == "Wrong accessKey: x")
        }
    }

    @Test func aRewardNeedsEnoughOfEveryQuestionnaireOfTheParticipantsGroup() async throws {
        try await ESMiraLab.with { lab async throws in
            let asked = "{\"userId\":\"aaaa\",\"studyId\":7,\"serverVersion\":11}"
            for number in 1...2 {
                let entry = ESMiraLab.entry(number, "questionnaire", questionnaire: 71)
                #expect(try await lab.ask("datasets.php", ESMiraLab.request("aaaa", entry)).states == ["\(number): ok"])
                lab.clock.advance(.seconds(2))
                guard number == 1 else { continue }
                let dataset = try await lab.ask("reward.php", asked)["dataset"]
                #expect(
                    dataset?["errorCode"] == .int(3)
                        && dataset?["fulfilledQuestionnaires"]?.text == "{\"71\":false,\"72\":true}")
            }
            let code = try await lab.ask("reward.php", asked)["dataset"]?["code"]?.string
            #expect(code?.wholeMatch(of: /[0-9a-f]{10}/) != nil)
            #expect(try await lab.ask("reward.php", asked)["dataset"]?["errorCode"] == .int(4))
        }
    }

    /// The server of ESMira counts days; the app shows a reward after 0 at the earliest.
    @Test(arguments: [("1000000000000", 3), ("9223372036854775807", 3), ("-5", 4)])
    func daysBeyondAllMeasureEndNothing(days: String, code: Int) async throws {
        let study = ESMiraLab.study.replacingOccurrences(
            of: "\"enableRewardSystem\":true", with: "\"enableRewardSystem\":true,\"rewardVisibleAfterDays\":\(days)"
        ).replacingOccurrences(of: "\"minDataSetsForReward\":2", with: "\"minDataSetsForReward\":0")
        try await ESMiraLab.with(study) { lab async throws in
            for user in ["aaaa", "bbbb"] {
                let asked = "{\"userId\":\"\(user)\",\"studyId\":7,\"serverVersion\":11}"
                _ = try await lab.ask("reward.php", asked)
                #expect(try await lab.ask("reward.php", asked)["dataset"]?["errorCode"] == .int(code))
            }
        }
    }

    /// A day has 86,400 seconds, from when the participant is known.
    @Test func aRewardIsThereAfterItsDays() async throws {
        let study = ESMiraLab.study.replacingOccurrences(
            of: "\"enableRewardSystem\":true", with: "\"enableRewardSystem\":true,\"rewardVisibleAfterDays\":1"
        ).replacingOccurrences(of: "\"minDataSetsForReward\":2", with: "\"minDataSetsForReward\":0")
        try await ESMiraLab.with(study) { lab async throws in
            let asked = "{\"userId\":\"aaaa\",\"studyId\":7,\"serverVersion\":11}"
            for (milliseconds, code) in [(0, 3), (86_399_999, 3), (1, 0)] as [(Int64, Int)] {
                lab.clock.advance(.milliseconds(milliseconds))
                #expect(try await lab.ask("reward.php", asked)["dataset"]?["errorCode"] == .int(code))
            }
        }
    }

    @Test(arguments: ["save_message.php", "update.php", "reward.php", "save_merlin_log.php"])
    func whatLacksAMemberIsRefused(name: String) async throws {
        try await ESMiraLab.with { lab async throws in
            for body in ["<html>", "null", "5", "[1]", "{}", "{\"userId\":\"aaaa\"}"] {
                let error = try await lab.ask(name, body)["error"]?.string
                #expect(error?.hasPrefix("Missing data") == true, "\(body)")
            }
        }
    }

    /// Who writes has read what was handed out before; what was not waits for the app.
    @Test(arguments: [true, false]) func aMessageWaitsUntilItWasHandedOut(isHandedOut: Bool) async throws {
        try await ESMiraLab.with { lab async throws in
            func handedOut() async throws -> Int {
                let asked =
                    "{\"userId\":\"aaaa\",\"serverVersion\":11,\"dataset\":{\"7\":{\"version\":1,\"msgTimestamp\":0,\"accessKey\":\"key\"}}}"
                return try await lab.ask("update.php", asked)["dataset"]?["7"]?["msgs"]?.array?.count ?? 0
            }
            #expect(try await lab.control("message?study=7&user=aaaa", "hello") == "sent to 1 of study 7\n")
            if isHandedOut { #expect(try await handedOut() == 1) }
            lab.clock.advance(.seconds(60))
            let message = "{\"userId\":\"aaaa\",\"studyId\":7,\"content\":\"thanks\",\"serverVersion\":11}"
            #expect(try await lab.ask("save_message.php", message)["success"] == .boolean(true))
            #expect(try await handedOut() == (isHandedOut ? 0 : 1))
        }
    }

    /// A manifest names both by their digests.
    @Test func answersAndMessagesAreNotedOnceTheyWereTaken() async throws {
        try await ESMiraLab.with { lab in
            let answer = ESMiraLab.request("aaaa", ESMiraLab.entry(1))
            let message = "{\"userId\":\"aaaa\",\"studyId\":7,\"content\":\"thanks\",\"serverVersion\":11}"
            let short = message.replacing("thanks", with: "t")
            for (name, body) in [("datasets.php", answer), ("save_message.php", message), ("save_message.php", short)] {
                _ = try await lab.ask(name, body)
            }
            let data = lab.file.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/data"
            let reports = try FleetArchive(.file(data + "/fleet.sqlite"))
            for (body, isTaken) in [(answer, true), (message, true), (short, false)] {
                let digest = try Digest(ofText: body).description
                #expect(try await reports.hasPosted(digest) == isTaken, "\(body)")
            }
        }
    }

    /// A message is handed out, and its reading noted, until the app says that it has all up to that moment.
    @Test func howOftenAndWhenAMessageWasHandedOutIsKept() async throws {
        try await ESMiraLab.with { lab async throws in
            func message() async throws -> JSONValue? {
                try JSONReader.value(try await lab.api("7/messages"), depthLimit: 64)[0]
            }
            #expect(try await lab.control("message?study=7&user=aaaa", "hello") == "sent to 1 of study 7\n")
            let fresh = try #require(try await message())
            let sent = try #require(Int(fresh["sent"]?.text ?? ""))
            #expect(fresh["delivered"] == .int(0) && fresh["read"] == .int(0) && fresh["pending"] == .boolean(true))
            // How long after it was sent the app asks, what it has all up to, and what there is then.
            let asked: [(later: Int, has: Int, delivered: Int, read: Int, isPending: Bool)] = [
                (60, -1, 1, 60, true), (90, -1, 2, 90, true), (100, 0, 2, 90, false), (200, -1, 2, 90, false),
            ]
            var now = 0
            for step in asked {
                lab.clock.advance(.seconds(step.later - now))
                now = step.later
                let body =
                    "{\"userId\":\"aaaa\",\"serverVersion\":11,\"dataset\":{\"7\":{\"version\":1,\"msgTimestamp\":\(sent + step.has),\"accessKey\":\"key\"}}}"
                let handed = try await lab.ask("update.php", body)["dataset"]?["7"]?["msgs"]?.array ?? []
                #expect(handed.count == (step.isPending ? 1 : 0), "\(step)")
                let kept = try #require(try await message())
                #expect(kept["delivered"] == .int(step.delivered) && kept["pending"] == .boolean(step.isPending))
                #expect(kept["read"] == .int(sent + 1000 * step.read), "\(step)")
            }
        }
    }

    /// Of the app and the group, the last that came.
    @Test func whoTakesPartIsListedWithWhatCame() async throws {
        try await ESMiraLab.with { lab async throws in
            func participant() async throws -> JSONValue {
                let all = try JSONReader.value(try await lab.api("7/participants"), depthLimit: 64)
                #expect(all.array?.count == 1)
                return all[0] ?? .null
            }
            let first = ESMiraLab.request(
                "aaaa", ESMiraLab.entry(1), ESMiraLab.entry(2, "questionnaire", questionnaire: 71))
            #expect(try await lab.ask("datasets.php", first).states == ["2: ok", "1: ok"])
            let before = try await participant()
            let joined = try #require(Int(before["joined"]?.text ?? ""))
            #expect(before["app"]?.string == "test 1" && before["group"] == .int(1) && before["latest"] == .int(joined))
            #expect(before["datasets"] == .int(2) && before["questionnaires"]?.text == "{\"71\":1}")
            lab.clock.advance(.seconds(2))
            let second = ESMiraLab.request(
                "aaaa", ESMiraLab.entry(3, "questionnaire", questionnaire: 72, group: 2),
                ESMiraLab.entry(4, "questionnaire", questionnaire: 71, group: 2), ESMiraLab.entry(5, "quit", group: 2)
            ).replacing("\"appVersion\":\"1\"", with: "\"appVersion\":\"2\"")
            #expect(try await lab.ask("datasets.php", second).states == ["3: ok", "4: ok", "5: ok"])
            let after = try await participant()
            #expect(after["app"]?.string == "test 2" && after["group"] == .int(2) && after["joined"] == .int(joined))
            #expect(after["latest"] == .int(joined + 2000) && after["rewarded"] == .boolean(false))
            #expect(after["datasets"] == .int(5) && after["questionnaires"]?.text == "{\"71\":2,\"72\":1}")
        }
    }

    /// Of a request as a whole, and of one of its entries; nothing of what was taken.
    @Test func whatIsRefusedIsShownToTheLab() async throws {
        try await ESMiraLab.with { lab async throws in
            func refused() async throws -> [String] {
                let all = try JSONReader.value(try await run(["curl", "-s", "-S", lab.url + "/api/refusals"])).array
                return (all ?? []).map { "\($0["path"]?.string ?? ""): \($0["reasons"]?.string ?? "")" }
            }
            let good = ESMiraLab.request("aaaa", ESMiraLab.entry(1))
            #expect(try await lab.ask("datasets.php", good).states == ["1: ok"])
            #expect(try await refused().isEmpty)
            #expect(try await lab.ask("datasets.php", "<html>")["error"]?.string == "Unexpected data format")
            let early = ESMiraLab.request("aaaa", ESMiraLab.entry(2))
            #expect(try await lab.ask("datasets.php", early).states == ["2: Too many requests in succession"])
            let known = ["Unexpected data format", "Too many requests in succession"].map { "ESMira datasets: \($0)" }
            #expect(try await refused().sorted() == known.sorted())
        }
    }

    /// Frozen comes before over, and over before not published.
    @Test(arguments: [
        (true, false, false, "ok\">open"), (false, false, false, "dup\">not published"),
        (true, true, false, "dup\">over"),
        (false, true, false, "dup\">over"), (true, false, true, "bad\">frozen"), (false, true, true, "bad\">frozen"),
    ]) func thePageSaysWhetherAStudyIsOpen(isPublished: Bool, isOver: Bool, isFrozen: Bool, tag: String) async throws {
        let study = ESMiraLab.study.replacing(
            "\"published\":true", with: "\"published\":\(isPublished),\"studyOver\":\(isOver)")
        try await ESMiraLab.with(study) { lab async throws in
            if isFrozen { #expect(try await lab.control("frozen?study=7&value=true") == "study 7 is frozen\n") }
            let page = try await run(["curl", "-s", lab.url + "/"])
            #expect(page.contains("<h2>T</h2><span class=\"tag \(tag)</span>"), "\(page)")
        }
    }

    @Test func aNewVersionComesByItsFileAndABrokenOneIsToldOnce() async throws {
        try await ESMiraLab.with { lab async throws in
            let asked =
                "{\"userId\":\"aaaa\",\"serverVersion\":11,\"dataset\":{\"7\":{\"version\":1,\"msgTimestamp\":0,\"accessKey\":\"key\"}}}"
            #expect(try await lab.ask("update.php", asked)["dataset"] == .object([]))
            try "{".write(toFile: lab.file, atomically: true, encoding: .utf8)
            #expect(try await lab.ask("update.php", asked)["dataset"] == .object([]))
            #expect(try await lab.ask("update.php", asked)["dataset"] == .object([]))
            #expect(lab.said.all.count { $0.hasSuffix("still serving it as it was") } == 1)
            let changed = ESMiraLab.study.replacing("\"version\":1", with: "\"version\":2").replacing(
                "{\"name\":\"f\"", with: "{\"name\":\"new\"},{\"name\":\"f\"")
            try changed.write(toFile: lab.file, atomically: true, encoding: .utf8)
            #expect(try await lab.ask("update.php", asked)["dataset"]?["7"]?["study"]?["version"] == .int(2))
            #expect(try await lab.api("7/71.csv").hasSuffix("\"n\";\"f\";\"v\";\"new\""))
        }
    }

    @Test func aSecondFileOfAStudyIsLeftOutAndToldOnce() async throws {
        try await ESMiraLab.with { lab async throws in
            let twin = lab.file.replacing("study.json", with: "twin.json")
            try ESMiraLab.study.replacing("\"version\":1", with: "\"version\":9").write(
                toFile: twin, atomically: true, encoding: .utf8)
            for user in ["aaaa", "bbbb"] {
                let entry = ESMiraLab.request(user, ESMiraLab.entry(1))
                #expect(try await lab.ask("datasets.php", entry).states == ["1: ok"])
            }
            #expect(lab.said.all.count { $0.contains("study 7 is in two files") } == 1)
            let asked =
                "{\"userId\":\"aaaa\",\"serverVersion\":11,\"dataset\":{\"7\":{\"version\":1,\"msgTimestamp\":0,\"accessKey\":\"key\"}}}"
            #expect(try await lab.ask("update.php", asked)["dataset"] == .object([]))
        }
    }

    @Test func aStudyThatTheServerWouldNotSaveIsRefusedByItsFile() async throws {
        for (from, to, reason) in [
            ("\"internalId\":72", "\"internalId\":71", "two questionnaires with internalId 71"),
            ("\"id\":7,", "", "is not an ESMira study"),
        ] {
            await #expect("\(to)") {
                try await ESMiraLab.with(ESMiraLab.study.replacing(from, with: to, maxReplacements: 1)) { _ in }
            } throws: { "\($0)".contains(reason) && "\($0)".contains("study.json") }
        }
    }

    @Test func thePageShowsWhoTakesPartAndWhatCameEscaped() async throws {
        try await ESMiraLab.with(ESMiraLab.study.replacing("\"title\":\"T\"", with: "\"title\":\"<b>T\"")) { lab in
            #expect(
                try await lab.ask("datasets.php", ESMiraLab.request("aaaa", ESMiraLab.entry(1))).states == ["1: ok"])
            let message = "{\"userId\":\"aaaa\",\"studyId\":7,\"content\":\"<i>hello\",\"serverVersion\":11}"
            #expect(try await lab.ask("save_message.php", message)["success"] == .boolean(true))
            let page = try await run(["curl", "-s", lab.url + "/"])
            #expect(page.contains("&lt;b&gt;T") && page.contains("&lt;i&gt;hello") && page.contains("aaaa"))
            #expect(page.contains("/api/esmira/7/71.csv"))
            #expect(try await lab.api("7/messages").contains("\"content\":\"<i>hello\""))
        }
    }
}

/// The stand-in and the real server, ESMira-web 3.5.1, asked the same things.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ESMiraLiveComparisonTests {
    static let checkout: String? = {
        let path = ProcessInfo.processInfo.environment["STUDYD_ESMIRA"] ?? ""
        let hasPHP = ["/usr/bin/php", "/usr/local/bin/php"].contains {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        guard !path.isEmpty, hasPHP, !ESMiraLab.fixtures.isEmpty else {
            print(
                "SKIPPED: no real server of ESMira; STUDYD_ESMIRA names a checkout of ESMira-web, php and the fixtures are needed"
            )
            return nil
        }
        return path
    }()

    @Test(.enabled(if: checkout != nil, "needs STUDYD_ESMIRA, php and shared/fixtures/esmira"))
    func bothAnswerAlikeAndKeepTheSameTables() async throws {
        let checkout = try #require(Self.checkout)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "esmira_compare.py"
        ).path
        try await withFolder { folder in
            // As the server hands it out, which its editor's file is.
            let prepared = try #require(
                try ESMiraRecordedTests.recorded("studies.access_key-studyd.response")["dataset"]?[0])
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let unsaved = ESMiraLab.fixtures + "/own-study-4711.collection.json"
            let study = folder + "/study.json"
            try JSONValue.members(["_": prepared]).text.write(toFile: study, atomically: true, encoding: .utf8)
            try await withReceiver(folder + "/data", { $0.played.esmira = [study] }, clock: SystemClock()) { url, _ in
                let lines = try await run(["python3", script, checkout, url, unsaved]).split(separator: "\n")
                let same = lines.first?.split(separator: " ").last.flatMap { Int($0) } ?? 0
                #expect(same >= 80, "\(lines.joined(separator: "\n"))")
                #expect(lines.count == 1, "\(lines.dropFirst().joined(separator: "\n"))")
            }
        }
    }
}
