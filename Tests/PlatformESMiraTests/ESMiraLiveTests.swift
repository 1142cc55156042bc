// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import PlatformFixtures
import Study
import Synchronization
import Testing

@testable import PlatformESMira

/// The real server: ESMira-web 3.5.1, run by PHP from a scratch copy of the checkout that
/// `STUDYD_ESMIRA` names.
@Suite(.serialized) struct ESMiraLiveTests {
    static let checkout: String? = {
        guard let path = getenv("STUDYD_ESMIRA").map({ String(cString: $0) }), system("php -v >/dev/null 2>&1") == 0
        else {
            print("SKIPPED: no real server of ESMira; STUDYD_ESMIRA names a checkout of ESMira-web, and php is needed")
            return nil
        }
        return path
    }()

    @Test(.enabled(if: checkout != nil, "needs STUDYD_ESMIRA and php"), .timeLimit(.minutes(10)))
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

    /// What the server's own MIME check makes of containers: FLAC by itself is refused, in MP4 it
    /// is taken, once, after its dataset.
    @Test(.enabled(if: checkout != nil, "needs STUDYD_ESMIRA and php"), .timeLimit(.minutes(10)))
    func aRecordingIsTakenOnceAndAfterItsDataset() throws {
        let checkout = try #require(Self.checkout)
        let text = ESMiraSample.text(
            #""pages":[{"inputs":[{"name":"say","responseType":"record_audio"}]}],"actionTriggers":[]"#,
            #","accessKeys":["studyd"],"published":true,"packageVersion":"3.5.1","serverVersion":11,"langCodes":["en"],"defaultLang":"en","eventUploadSettings":{},"publicStatistics":{"charts":[]},"personalStatistics":{"charts":[]}"#
        )
        var source = StudySource(Array(text.utf8))
        source.options.accessKey = "studyd"
        let study = try ESMiraReader().decode(source)
        let context = WireContext(
            study: study, enrolment: Joined.context("2").enrolment, zone: .utc, postURL: "http://127.0.0.1/")
        let now = Instant(milliseconds: 1_772_445_600_000)
        let occurrence = Occurrence(
            id: "50001/1", task: "50001", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil)
        let submission = Submission(
            task: "50001", occurrence: occurrence, order: [], answers: ["say": .recording("memo-1-1-1")], drawn: [],
            submitted: now)
        let wire = ESMiraWire()
        func upload(_ memo: String) throws -> WireRequest {
            let file = RunFile(task: "50001", step: "say", name: memo)
            return try wire.request(
                carrying: FLACTone.bytes, with: try #require(study.writer.fields(for: file, in: context)))
        }
        let good = try upload("memo-1-1-1")
        var bare = good
        let inside = try #require(FLACInMP4.file(FLACTone.bytes))
        let place = try #require((0..<good.body.count).first { good.body[$0...].starts(with: inside) })
        bare = WireRequest(
            method: "POST", url: good.url, headers: good.headers,
            body: Array(good.body[..<place] + FLACTone.bytes + good.body[(place + inside.count)...]))
        let bodies = study.writer.requests(for: .submitted(submission), at: now, in: context).map {
            String(decoding: $0.body, as: UTF8.self)
        }
        let uploads = [try upload("memo-1-1-2"), bare, good, good]
        let lines = try Self.run(checkout, text, bodies, uploads)
        try #require(lines.count == 7)
        let verdicts = try lines[1..<5].map { line -> String in
            guard case .string(let answer) = try JSONNode(Array(line.utf8)).content else { return line }
            return "\(wire.verdict(status: 200, body: Array(answer.utf8), to: good))"
        }
        for (verdict, word) in zip(verdicts, ["Not allowed", "Wrong format", "delivered", "Not allowed"]) {
            #expect(verdict.contains(word), "\(verdict)")
        }
        let media = try JSONNode(Array(lines[5].utf8))["media"]
        #expect(Self.rows(media)?.compactMap { $0["bytes"] } == [String(inside.count)])
    }

    /// The server gives a code once, to whom has sent enough; what it says is understood.
    @Test(.enabled(if: checkout != nil, "needs STUDYD_ESMIRA and php"), .timeLimit(.minutes(10)))
    func aRewardIsGivenOnceAndForEnough() throws {
        let checkout = try #require(Self.checkout)
        let text = ESMiraSample.text(
            #""minDataSetsForReward":1,\#(ESMiraSample.pages),"actionTriggers":[]"#,
            #","accessKeys":["studyd"],"published":true,"packageVersion":"3.5.1","serverVersion":11,"langCodes":["en"],"defaultLang":"en","eventUploadSettings":{},"publicStatistics":{"charts":[]},"personalStatistics":{"charts":[]},"enableRewardSystem":true"#
        )
        var source = StudySource(Array(text.utf8))
        source.options.accessKey = "studyd"
        let study = try ESMiraReader().decode(source)
        func wish(_ user: String, _ reports: [Report]) throws -> (bodies: [String], reward: String) {
            let known = Joined.context().enrolment
            let enrolment = Enrolment(
                id: "e", studyID: "4711", participant: ParticipantID(user), condition: nil, instant: known.instant,
                local: known.local, seed: [1])
            let context = WireContext(study: study, enrolment: enrolment, zone: .utc, postURL: "http://127.0.0.1/")
            let now = Instant(milliseconds: 1_772_445_600_000)
            let device = Noting()
            _ = try? ESMiraServer(device).reward(
                KnownStudy(
                    source: "", participant: user, study: study.sent(to: "http://127.0.0.1/"),
                    bytes: source.files[0].bytes, version: nil,
                    refused: nil, status: nil, messages: [], variables: [:], zone: .utc))
            return (
                reports.flatMap { study.writer.requests(for: $0, at: now, in: context) }.map {
                    String(decoding: $0.body, as: UTF8.self)
                }, String(decoding: device.body.withLock { $0 }, as: UTF8.self)
            )
        }
        let now = Instant(milliseconds: 1_772_445_600_000)
        let occurrence = Occurrence(
            id: "50001/1", task: "50001", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil)
        let submission = Submission(
            task: "50001", occurrence: occurrence, order: [], answers: ["mood": .number(4)], drawn: [], submitted: now)
        let busy = try wish("aB3d-Ef5G-hJ7k", [.enrolled, .submitted(submission)])
        let idle = try wish("aB3d-Ef5G-hJ7m", [.enrolled])
        let rewards = JSONText.array([idle.reward, busy.reward, busy.reward].map(JSONText.string)).text
        let lines = try Self.run(checkout, text, busy.bodies + idle.bodies, more: ",\"rewards\":\(rewards)")
        let answers = try lines[3..<6].map { line -> RewardAnswer in
            guard case .string(let answer) = try JSONNode(Array(line.utf8)).content,
                case .dataset(let dataset) = ESMiraAnswer(Array(answer.utf8))
            else { return .refused(line) }
            return try ESMiraServer.reward(dataset)
        }
        #expect(answers[0] == .notYet(["50001"]))
        guard case .code(let code) = answers[1] else {
            Issue.record("no code: \(answers[1])")
            return
        }
        #expect(code.count >= 8)
        guard case .refused(let why) = answers[2] else {
            Issue.record("twice: \(answers[2])")
            return
        }
        #expect(why.contains("already"))
    }

    /// What the server says of all participants is drawn: two answers of two people on one day, and
    /// how often each place was named.
    @Test(.enabled(if: checkout != nil, "needs STUDYD_ESMIRA and php"), .timeLimit(.minutes(10)))
    func whatOthersAnsweredIsDrawn() throws {
        let checkout = try #require(Self.checkout)
        let axis =
            #""axisContainer":[{"label":"","yAxis":{"variableName":"%","conditions":[]},"xAxis":{"conditions":[]}}],"publicVariables":[]"#
        let (mood, place) = (axis.replacing("%", with: "mood"), axis.replacing("%", with: "place"))
        let text = ESMiraSample.text(
            #""pages":[{"inputs":[{"name":"mood","responseType":"likert","likertSteps":7},{"name":"place","responseType":"list_single","listChoices":["home","work"]}]}],"actionTriggers":[]"#,
            #","accessKeys":["studyd"],"published":true,"packageVersion":"3.5.1","serverVersion":11,"langCodes":["en"],"defaultLang":"en","eventUploadSettings":{},"personalStatistics":{"charts":[]},"publicStatistics":{"charts":[{"title":"Mood","dataType":0,"valueType":0,\#(mood)},{"title":"Sum","dataType":2,"valueType":1,\#(mood)},{"title":"Places","dataType":1,\#(place)}]}"#
        )
        var source = StudySource(Array(text.utf8))
        source.options.accessKey = "studyd"
        let study = try ESMiraReader().decode(source)
        let now = Instant(milliseconds: 1_772_445_600_000)
        let occurrence = Occurrence(
            id: "50001/1", task: "50001", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil)
        let bodies = [("aB3d-Ef5G-hJ7k", 3.0, "home"), ("aB3d-Ef5G-hJ7m", 6, "work")].flatMap { user, mood, place in
            let known = Joined.context().enrolment
            let enrolment = Enrolment(
                id: "e", studyID: "4711", participant: ParticipantID(user), condition: nil, instant: known.instant,
                local: known.local, seed: [1])
            let submission = Submission(
                task: "50001", occurrence: occurrence, order: [],
                answers: ["mood": .number(mood), "place": .choices([place])], drawn: [], submitted: now)
            let context = WireContext(study: study, enrolment: enrolment, zone: .utc, postURL: "http://127.0.0.1/")
            return study.writer.requests(for: .submitted(submission), at: now, in: context).map {
                String(decoding: $0.body, as: UTF8.self)
            }
        }
        let lines = try Self.run(checkout, text, bodies, more: #","statistics":true"#)
        try #require(lines.count == 5)
        guard case .string(let answer) = try JSONNode(Array(lines[2].utf8)).content,
            case .string(let listed) = try JSONNode(Array(lines[4].utf8)).content
        else { return }
        // The study as the server gives it: it has numbered the variables.
        let offer = try ESMiraServer(Answering(body: Array(listed.utf8))).offer(
            JoinRequest(source: "https://s.example/app-studyd"))
        let given = try ESMiraReader().decode(try #require(StudyBundle.source(offer.bytes)))
        let drawings = try #require(given.feedback?.drawings).drawings(
            of: [], others: Array(answer.utf8), in: Joined.context(), isOver: false)
        #expect(drawings.map(\.title) == ["Mood", "Sum", "Places"], "\(answer)")
        #expect(drawings.map { $0.rows[0].points.map(\.y) } == [[4.5], [9], [1, 1]], "\(answer)")
        #expect(drawings[2].rows[0].points.map(\.label) == ["home", "work"])
    }

    private static func bodies(_ study: StudyProtocol) -> [String] {
        let context = WireContext(
            study: study, enrolment: Joined.context("2").enrolment, zone: .utc, postURL: "http://127.0.0.1/")
        let now = Instant(milliseconds: 1_772_445_600_000)
        var prompt = Occurrence(
            id: "26011/1", task: "26011", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil)
        prompt.calls.reminders = [now]
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
        return reports.flatMap { study.writer.requests(for: $0, at: now, in: context) }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
    }

    private static func path(_ name: String) -> String {
        #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/" + name
    }

    private static func run(
        _ checkout: String, _ study: String, _ bodies: [String], _ uploads: [WireRequest] = [], more: String = ""
    ) throws -> [String] {
        var name = Array("/tmp/esmira-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        let file = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(file) }
        let files = uploads.map { upload -> JSONText in
            let hex = upload.body.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return .object([.init("type", .string(upload.headers[0].value)), .init("body", .string(hex))])
        }
        let wish =
            "{\"study\":\(study),\"bodies\":\(JSONText.array(bodies.map(JSONText.string)).text),\"uploads\":\(JSONText.array(files).text)\(more)}"
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

/// Keeps what was to be sent.
private final class Noting: PlatformDevice {
    let body = Mutex<[UInt8]>([])

    func send(_ request: WireRequest) throws -> ServerAnswer {
        body.withLock { $0 = request.body }
        return ServerAnswer(status: 200, body: [])
    }
    func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
    func secret(_ credential: String) throws -> String { "" }
}

extension StudyProtocol {
    /// The same as it was enrolled from that server.
    fileprivate func sent(to url: String) -> StudyProtocol {
        StudyProtocol(
            platform: platform, studyID: studyID, texts: texts, conditions: conditions, tasks: tasks, postURL: url,
            writer: writer)
    }
}

/// A server that always answers the same.
struct Answering: PlatformDevice {
    let body: [UInt8]

    func send(_ request: WireRequest) throws -> ServerAnswer { ServerAnswer(status: 200, body: body) }
    func download(_ request: WireRequest) throws -> ServerAnswer { ServerAnswer(status: 200, body: body) }
    func secret(_ credential: String) throws -> String { "" }
}
