// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import RecordingSchema
import Simulation
import Study
import SystemKit
import Testing

@testable import Agent

/// Files, panels and enrolments that the tests of the agent share.
enum AgentFixture {
    static let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    /// The platforms' own protocols, beside the project; nil where they are not there.
    static let upstreamDemo: String? = {
        var folders = package.split(separator: "/")
        while !folders.isEmpty {
            folders.removeLast()
            let path = "/" + (folders + ["shared/fixtures/schema/upstream-demo_protocol.json"]).joined(separator: "/")
            if access(path, R_OK) == 0 { return path }
        }
        print("SKIPPED: the fixtures of the platforms are not beside the project")
        return nil
    }()
    static let sleepStudy = package + "/studies/sleep-and-movement.json"

    static func panel(_ names: [String], hasMicrophone: Bool = true) throws -> Panel {
        try Panel(
            buttons: Panel.buttons(named: names), leds: [Panel.LED("status", .mono)], buzzer: .fixed,
            hasLoudspeaker: true, hasMicrophone: hasMicrophone)
    }

    /// One, two and three buttons.
    static let panels = [["only"], ["next", "select"], ["previous", "select", "next"]]

    static func participant() throws -> Participant {
        try Participant(json: BoundedFile.read(package + "/studies/participant.json"))
    }

    static let berlin = "Europe/Berlin"

    /// A participant of that study, enrolled at that local time.
    static func context(
        _ study: StudyProtocol, at local: String = "2026-03-20T10:00:00", zone name: String = berlin, seed: UInt64 = 1
    ) throws -> ScheduleContext {
        let zone = try Zone.load(name)
        let seed = try EnrolmentSeed.numbered(seed)
        let chance = Chance(enrolmentSeed: seed)
        let arm = ChanceDraw.condition(of: study, chance: chance)?.result
        let enrolment = try Enrolment(
            in: study, participant: ParticipantID("ABC23456"), seed: seed,
            at: zone.resolve(try LocalDateTime(parsing: local)).instant, zone: zone, condition: arm)
        return ScheduleContext(enrolment: enrolment, zone: zone, chance: chance, facts: StudyFacts(condition: arm))
    }

    /// A schema protocol of one module, prompted at each of `times` for `days` days; answers
    /// within half an hour.
    static func protocolText(days: Int, times: [(hour: Int, minute: Int)], questions: String = yesNo) -> [UInt8] {
        let times = times.map { "{\"hours\":\($0.hour),\"minutes\":\($0.minute)}" }.joined(separator: ",")
        return Array(
            """
            {"properties":{"study_id":"GENERATED","study_name":"Generated","post_url":"http://127.0.0.1/post",
            "conditions":["A","B"],"instructions":"","empty_msg":"","banner_url":"","support_url":"","support_email":"",
            "cache":false,"ethics":"","pls":""},
            "modules":[{"type":"survey","name":"Moment","submit_text":"Send","condition":"*","uuid":"moment",
            "unlock_after":[],"shuffle":false,"graph":{"display":false},
            "alerts":{"title":"Now","message":"Two questions.","start_offset":1,"duration":\(days),"times":[\(times)],
            "random":false,"random_interval":0,"sticky":false,"sticky_label":"","timeout":true,"timeout_after":30},
            "sections":[{"name":"S","shuffle":false,"questions":[\(questions)]}]}]}
            """.utf8)
    }

    static let yesNo = """
        {"id":"alone","type":"yesno","text":"Alone?","required":true,"yes_text":"Yes","no_text":"No"},
        {"id":"mood","type":"slider","text":"Mood?","required":true,"min":0,"max":10,"hint_left":"","hint_right":""}
        """
    static let freeText = """
        {"id":"words","type":"text","subtype":"long","text":"In your own words?","required":false}
        """

    /// An empty folder of the test's own; `body` may fill it.
    static func inFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        var template = Array("/tmp/studyd-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(path: "/tmp", message: "cannot make a folder") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            checkDescriptions(below: folder)
            remove(folder)
        }
        return try await body(folder)
    }

    /// Every description that a test leaves must be as the schema says.
    static func checkDescriptions(below folder: String) {
        for fault in DescriptionSchema.faults(below: folder) { Issue.record("\(fault)") }
    }

    private static func remove(_ folder: String) {
        if let directory = opendir(folder) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { unlink(folder + "/" + name) }
            }
            closedir(directory)
        }
        rmdir(folder)
    }
}

/// One posted form, read by the rules of RFC 7578 rather than by the writer's.
struct PostedForm: Equatable {
    let fields: [(name: String, value: String)]

    init?(_ request: WireRequest) {
        guard let type = request.headers.first(where: { $0.name.lowercased() == "content-type" })?.value,
            let mark = type.indices.first(where: { type[$0...].hasPrefix("boundary=") })
        else { return nil }
        let boundary = "--" + type[mark...].dropFirst("boundary=".count).filter { $0 != "\"" }
        let lines = String(decoding: request.body, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        var fields: [(name: String, value: String)] = []
        for part in lines.split(separator: boundary[...]).filter({ !$0.isEmpty && $0.first?.hasPrefix("--") != true }) {
            if part.first == boundary + "--" { break }
            let head = part.prefix { !$0.isEmpty }
            guard let name = head.lazy.compactMap({ $0.split(separator: "\"").dropFirst().first }).first else {
                return nil
            }
            let value = part.dropFirst(head.count + 1).prefix { $0 != boundary + "--" }
            fields.append((String(name), value.joined(separator: "\r\n")))
        }
        self.fields = fields
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
    /// `page event`, or the type of what is no log record.
    var kind: String {
        self["data_type"] == "log" ? "\(self["page"] ?? "?") \(self["event"] ?? "?")" : self["data_type"] ?? "?"
    }

    static func == (left: PostedForm, right: PostedForm) -> Bool {
        left.fields.map { "\($0.name)=\($0.value)" } == right.fields.map { "\($0.name)=\($0.value)" }
    }
}
