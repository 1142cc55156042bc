// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Schema protocols made for a scenario.
struct LabStudy {
    /// The device's zone: half an hour off, without a change of offset.
    static let zone = "Asia/Kolkata"
    private static let offsetMinutes = 330

    var name = "Scenario"
    var postURL = ""
    var modules: [String] = []

    var text: String {
        """
        {"properties":{"study_name":"\(name)","study_id":"SCENARIO","created_by":"studyd","instructions":"Press.",
        "post_url":"\(postURL)","empty_msg":"nothing now","banner_url":"","support_url":"https://example.org/help",
        "support_email":"study@example.org","conditions":["*"],"cache":true,"ethics":"approved","pls":""},
        "modules":[\(modules.joined(separator: ","))]}
        """
    }

    /// A module that can be opened at any time: one scale, with a graph.
    static func always(_ key: String, question: String) -> String {
        module(key, sticky: true, times: [(0, 0)], offset: -1, graph: question, questions: [slider(question)])
    }

    /// A module that falls due at each of the next `count` full minutes.
    static func soon(_ key: String, minutes count: Int, questions: [String]) -> String {
        let now = time(nil) / 60 + offsetMinutes
        let times = (1...count).map { ((now + $0) / 60 % 24, (now + $0) % 60) }
        return module(key, sticky: false, times: times, offset: 0, graph: nil, questions: questions)
    }

    static func slider(_ id: String, minimum: Int = 0, maximum: Int = 10) -> String {
        #"{"id":"\#(id)","type":"slider","text":"How much?","required":true,\#(hidden),"min":\#(minimum),"max":\#(maximum),"hint_left":"none","hint_right":"all"}"#
    }

    static func choice(_ id: String, _ options: [String]) -> String {
        let list = options.map { "\"\($0)\"" }.joined(separator: ",")
        return
            #"{"id":"\#(id)","type":"multi","text":"Which?","required":true,\#(hidden),"radio":true,"modal":false,"shuffle":false,"options":[\#(list)]}"#
    }

    static func yesNo(_ id: String, hideID: String = "") -> String {
        #"{"id":"\#(id)","type":"yesno","text":"Is it so?","required":true,"hide_id":"\#(hideID)","hide_value":"Yes","hide_if":true,"yes_text":"Yes","no_text":"No"}"#
    }

    private static let hidden = #""hide_id":"","hide_value":"","hide_if":true"#

    static func module(
        _ key: String, sticky: Bool, times: [(Int, Int)], offset: Int, graph: String?, questions: [String]
    ) -> String {
        let list = times.map { #"{"hours":\#($0.0),"minutes":\#($0.1)}"# }.joined(separator: ",")
        let drawing = graph.map {
            #"{"display":true,"variable":"\#($0)","title":"\#($0)","blurb":"","type":"line","max_points":0}"#
        }
        return """
            {"type":"survey","name":"\(key)","submit_text":"Submit","condition":"*","alerts":{"title":"\(key)","message":"now",
            "start_offset":\(offset),"duration":2,"times":[\(list)],"random":false,"random_interval":0,"sticky":\(sticky),
            "sticky_label":"Any time","timeout":false,"timeout_after":0},"graph":\(drawing ?? #"{"display":false}"#),
            "sections":[{"name":"\(key)","shuffle":false,"questions":[\(questions.joined(separator: ","))]}],"shuffle":false,
            "uuid":"\(key)","unlock_after":[]}
            """
    }
}
