// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Testing
import Times

@testable import StudyFormats

/// Where the upstream protocols lie, beside the project.
enum Fixture {
    static let demo = path("schema/upstream-demo_protocol.json")

    /// The nearest `shared/fixtures` beside the package or above it.
    static func path(_ name: String) -> String {
        var folders = #filePath.split(separator: "/").dropLast(3)
        while !folders.isEmpty {
            folders.removeLast()
            let candidate = "/" + (folders + ["shared", "fixtures"]).joined(separator: "/") + "/" + name
            if read(candidate) != nil { return candidate }
        }
        return name
    }

    static var isThere: Bool { read(demo) != nil }

    /// The bytes of a file, nil where there is none.
    static func read(_ path: String) -> [UInt8]? { FileBytes.read(path) }
}

/// A repeatable stand-in for SHA-256: mixes every byte.
func testDigest(_ bytes: [UInt8]) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var generator = SplitMix64(seed: state)
    return (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next().bigEndian) { Array($0) } }
}

/// A protocol of one module, of which parts can be replaced.
struct ProtocolText {
    var studyID = "\"study_id\":\"S1\","
    var conditions = "\"conditions\":[\"A\",\"B\"],"
    var alerts = """
        "title":"t","message":"m","start_offset":0,"duration":2,"times":[{"hours":9,"minutes":30}],"random":false,
        "random_interval":0,"sticky":false,"sticky_label":"","timeout":false,"timeout_after":0
        """
    var module = "\"uuid\":\"u\",\"condition\":\"*\",\"unlock_after\":[],"
    var questions = "{\"id\":\"q\",\"type\":\"instruction\",\"text\":\"hello\"}"
    var more = ""

    var bytes: [UInt8] {
        Array(
            """
            {"properties":{\(studyID)\(conditions)"study_name":"N","post_url":"https://example.org/p"},
            "modules":[{\(module)"name":"M","type":"survey","submit_text":"Send","shuffle":false,
            "alerts":{\(alerts)},
            "graph":{"display":false},
            "sections":[{"name":"S","shuffle":false,"questions":[
            \(questions)]}]}\(more)]}
            """.utf8)
    }

    func decode() throws -> StudyProtocol { try StudyCatalog.decode(StudySource(bytes)) }
    func questionnaire() throws -> Questionnaire {
        guard case .questionnaire(let content) = try decode().tasks[0].content else { throw Wrong() }
        return content
    }
    struct Wrong: Error {}
}

extension TaskContent {
    /// Every step of every section, in the order of the file.
    var steps: [Step] { if case .questionnaire(let content) = self { content.steps } else { [] } }
}
