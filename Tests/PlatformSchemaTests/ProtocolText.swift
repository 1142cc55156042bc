// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformSchema

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

    func decode() throws -> StudyProtocol { try SchemaReader().decode(StudySource(bytes)) }
    func questionnaire() throws -> Questionnaire { try decode().tasks[0].content }
}
