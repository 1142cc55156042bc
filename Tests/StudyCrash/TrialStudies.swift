// SPDX-License-Identifier: Apache-2.0
@testable import Agent
@testable import Study

/// Studies of half a year, each in two versions, and how an answer is known among what is sent.
struct TrialStudy: Sendable {
    /// On the command line.
    let name: String
    /// The first is enrolled in.
    let versions: [LoadedStudy]
    /// Beside them; nil = none.
    var rules: RulesFile?
    /// True of the one request that holds the answers of a run.
    let isAnswer: @Sendable (WireRequest) -> Bool

    /// Two prompts a day, one answer spoken; the second version without that.
    static func questions() throws -> TrialStudy {
        let spoken = #"{"id":"words","type":"text","subtype":"long","text":"In your own words?","required":false}"#
        return TrialStudy(
            name: "questions",
            versions: try [yesNo + "," + spoken, yesNo].map { try LoadedStudy(questions($0), origin: "trial.json") }
        ) { String(decoding: $0.body, as: UTF8.self).contains("survey_response") }
    }

    /// The first with rules that prompt by chance, by the clock and by what a body does.
    static func rules() throws -> TrialStudy {
        var study = try questions()
        study = TrialStudy(name: "rules", versions: study.versions, rules: nil, isAnswer: study.isAnswer)
        study.rules = RulesFile(path: "rules.toml", bytes: Array(rulesText.utf8))
        return study
    }

    private static let rulesText = """
        [feature.move]
        from = "accelerometer"
        is = "agcounts"
        epoch = "15m"
        window = "30m"
        reduce = "sum-vm"
        [rule.budget]
        task = "moment"
        every = "2h"
        quiet = ["22:00-07:00"]
        available = ["no run open", "prompts on", "worn", "60m since prompt"]
        budget = { per_day = 2, decay = 0.3 }
        outcome = { feature = "move", window = "+30m" }
        [rule.clock]
        task = "moment"
        at = ["10:10", "16:40"]
        available = ["no run open", "prompts on", "60m since prompt"]
        probability = [{ when = "move < 2000", p = 0.6 }, { p = 0.3 }]
        [rule.still]
        task = "moment"
        when = "move < 1500 for 30m"
        rearm = "1h"
        available = ["no run open", "clock trusted"]
        probability = 0.5
        outcome = { feature = "move", window = "+1h" }
        """

    /// A count of kicks a day, with the accelerometer recorded, and a question; the second version
    /// has the count no more.
    static func kicks() throws -> TrialStudy {
        TrialStudy(name: "kicks", versions: [try kicks(["Kicks", "Asked"]), try kicks(["Asked"])]) { _ in true }
    }

    private static let yesNo = """
        {"id":"alone","type":"yesno","text":"Alone?","required":true,"yes_text":"Yes","no_text":"No"},
        {"id":"mood","type":"slider","text":"Mood?","required":true,"min":0,"max":10,"hint_left":"","hint_right":""}
        """

    private static func questions(_ questions: String) -> [UInt8] {
        Array(
            """
            {"properties":{"study_id":"TRIAL","study_name":"Trial","post_url":"http://127.0.0.1/post",
            "conditions":["A","B"],"instructions":"","empty_msg":"","banner_url":"","support_url":"","support_email":"",
            "cache":false,"ethics":"","pls":""},
            "modules":[{"type":"survey","name":"Moment","submit_text":"Send","condition":"*","uuid":"moment",
            "unlock_after":[],"shuffle":false,"graph":{"display":false},
            "alerts":{"title":"Now","message":"Two questions.","start_offset":1,"duration":182,
            "times":[{"hours":9,"minutes":0},{"hours":18,"minutes":30}],
            "random":false,"random_interval":0,"sticky":false,"sticky_label":"","timeout":true,"timeout_after":30},
            "sections":[{"name":"S","shuffle":false,"questions":[\(questions)]}]}]}
            """.utf8)
    }

    private static func kicks(_ activities: [String]) throws -> LoadedStudy {
        let steps = [
            "Kicks":
                #"{"type":"task","resultType":"fetalKickCounter","key":"kicks","text":"count","options":["accelerometer"],"format":{"duration":3600,"kickCount":10}}"#,
            "Asked":
                #"{"type":"question","resultType":"boolean","key":"fine","title":"?","text":"","skippable":false,"format":{}}"#,
        ]
        let entries = activities.map { id in
            """
            {"activityId":"\(id)","activityVersion":"1.0","title":"\(id)","type":"\(id == "Kicks" ? "task" : "questionnaire")",
            "startTime":"2026-02-01T08:00:00.000+0100","endTime":"2026-08-01T23:59:59.000+0200","branching":false,"schedulingType":"Regular",
            "frequency":{"type":"Daily","runs":[{"startTime":"09:00:00","endTime":"20:59:59"}]}}
            """
        }
        var files = [
            "activityList.json": "{\"message\":\"SUCCESS\",\"activities\":[\(entries.joined(separator: ","))]}"
        ]
        for id in activities {
            files["\(id)_1.0.json"] = """
                {"activity":{"type":"\(id == "Kicks" ? "task" : "questionnaire")",
                "metadata":{"studyId":"S","activityId":"\(id)","version":"1.0"},"steps":[\(steps[id] ?? "")]}}
                """
        }
        let all = files.sorted { $0.key < $1.key }.map { StudySource.File(name: $0.key, bytes: Array($0.value.utf8)) }
        return try LoadedStudy(StudyBundle.bytes(all, options: StudyOptions()), origin: "trial")
    }
}
