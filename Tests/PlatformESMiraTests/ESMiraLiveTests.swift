// SPDX-License-Identifier: Apache-2.0
import Glibc
import PlatformFixtures
import PlatformKit
import StudyModel
import Testing
import Times

@testable import PlatformESMira

/// The real server: ESMira-web 3.5.1, whose checkout `STUDYD_ESMIRA` names, run by PHP from a scratch copy.
@Suite(.serialized) struct ESMiraLiveTests {
    static let checkout: String? = {
        guard let path = getenv("STUDYD_ESMIRA").map({ String(cString: $0) }), system("php -v >/dev/null 2>&1") == 0
        else {
            print("SKIPPED: no real server of ESMira; STUDYD_ESMIRA names a checkout of ESMira-web, and php is needed")
            return nil
        }
        return path
    }()

    @Test(.enabled(if: checkout != nil, "needs STUDYD_ESMIRA and php"), .timeLimit(.minutes(3)))
    func datasetsAreTakenAndStandInItsTables() throws {
        let checkout = try #require(Self.checkout)
        let file = Self.path("../../studies/esmira.json")
        let text = try #require(FileBytes.read(file))
        var source = StudySource(text)
        source.options.accessKey = "studyd"
        let study = try ESMiraReader().decode(source)
        let bodies = Self.bodies(study)
        let lines = try Self.run(checkout, String(decoding: text, as: UTF8.self), bodies)
        try #require(lines.count == bodies.count + 2)
        for line in lines.dropLast(2) {
            guard case .string(let answer) = try JSONNode(Array(line.utf8)).content else { continue }
            #expect(
                ESMiraWire().verdict(status: 200, body: Array(answer.utf8)) == .delivered(receipt: "200 success"),
                "\(answer)")
        }
        let tables = try JSONNode(Array(lines[lines.count - 2].utf8))
        let rows = try #require(Self.rows(tables["26011"]))
        #expect(rows.count == 1)
        let expected = [
            "mood": "3", "stress": "64", "alone": "1", "place": "other", "place~other": "the bus",
            "symptoms": "headache, hunger",
            "symptoms~1": "1", "symptoms~2": "0", "symptoms~3": "1", "coffee": "2", "load": "61", "group": "2",
            "eventType": "questionnaire", "studyVersion": "1.0", "lastInvitation": "1772445600000", "timezone": "UTC",
        ]
        for (column, value) in expected.sorted(by: { $0.key < $1.key }) {
            #expect(rows[0][column] == value, "\(column)")
        }
        let events = try #require(Self.rows(tables["events"])).compactMap { $0["eventType"] }
        #expect(events == ["joined", "invitation", "reminder", "invitation_missed", "questionnaire", "quit"])
        // What the server gives is read again.
        guard case .string(let listed) = try JSONNode(Array(lines[lines.count - 1].utf8)).content else { return }
        let device = Answering(body: Array(listed.utf8))
        let offer = try ESMiraServer(device).offer(JoinRequest(source: "https://s.example/app-studyd"))
        let again = try ESMiraReader().decode(try #require(StudyBundle.source(offer.bytes)))
        #expect(again.tasks.map(\.key) == study.tasks.map(\.key) && again.postURL == "https://s.example/")
    }

    private static func bodies(_ study: StudyProtocol) -> [String] {
        let context = WireContext(
            study: study, enrolment: Joined.context("2").enrolment, zone: .utc, postURL: "http://127.0.0.1/")
        let now = Instant(milliseconds: 1_772_445_600_000)
        var prompt = Occurrence(
            id: "26011/1", task: "26011", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil)
        prompt.reminders = [now]
        let answers: Answers = [
            "mood": .number(3), "stress": .number(64), "alone": .boolean(true), "place": .choices([ESMiraOther.value]),
            "place~other": .text("the bus"), "symptoms": .choices(["hunger", "headache"]), "coffee": .number(2),
        ]
        let submission = Submission(
            task: "26011", occurrence: prompt, order: [], answers: answers, drawn: [], submitted: now)
        let reports: [Report] = [
            .enrolled, .prompted(prompt), .reminded(prompt), .unanswered(prompt), .submitted(submission),
            .withdrawn(deletesData: false),
        ]
        return reports.flatMap { ESMiraWire().requests(for: $0, at: now, in: context) }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
    }

    private static func path(_ name: String) -> String {
        #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/" + name
    }

    private static func run(_ checkout: String, _ study: String, _ bodies: [String]) throws -> [String] {
        var name = Array("/tmp/esmira-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        let file = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(file) }
        let wish = "{\"study\":\(study),\"bodies\":\(JSONText.array(bodies.map(JSONText.string)).text)}"
        try #require(write(descriptor, wish, wish.utf8.count) == wish.utf8.count)
        close(descriptor)
        let pipe = try #require(popen("python3 '\(path("esmira_server.py"))' '\(checkout)' '\(file)'", "r"))
        var bytes: [UInt8] = []
        while case let byte = fgetc(pipe), byte >= 0 { bytes.append(UInt8(byte)) }
        try #require(pclose(pipe) == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func rows(_ node: JSONNode?) -> [[String: String]]? {
        guard case .array(let rows)? = node?.content else { return nil }
        return rows.map { row in
            guard case .object(let members) = row.content else { return [:] }
            return members.reduce(into: [:]) { fields, member in
                if case .string(let text) = member.value.content { fields[member.key] = text }
            }
        }
    }
}

/// A server that always answers the same.
struct Answering: PlatformDevice {
    let body: [UInt8]

    func send(_ request: WireRequest) throws -> ServerAnswer { ServerAnswer(status: 200, body: body) }
    func download(_ request: WireRequest) throws -> ServerAnswer { ServerAnswer(status: 200, body: body) }
    func secret(_ credential: String) throws -> String { "" }
}
