// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import PlatformKit
import Study
import Testing

@testable import PlatformSchema

@Suite struct SchemaReaderTests {
    @Test(.enabled(if: Fixture.isThere, "the upstream demo protocol is not beside the project"))
    func upstreamDemoIsUnderstoodWhole() throws {
        let bytes = try #require(Fixture.read(Fixture.demo))
        let study = try SchemaReader().decode(StudySource(bytes))
        #expect(study.studyID == "3ZDOGAH")
        #expect(study.conditions == ["Control", "Treatment"])
        #expect(study.postURL == "https://getschema.app/demo_post.php")
        #expect(
            study.tasks.map(\.key) == ["3fb09fcd-4fca-4074-a395-34d65ee5a521", "dee87a08-8616-453a-9a6e-9e8f8ea9c942"])
        #expect(study.tasks.map(\.condition) == ["Control", nil])
        #expect(study.tasks.map(\.isSticky) == [true, false])
        #expect(study.tasks[0].listLabel == "Start here")
        #expect(study.tasks[1].graph?.maximumPoints == 7)
        let elements = study.tasks[1].content
        #expect(elements.steps.count == 8)
        #expect(elements.steps[4].visibleWhen != nil)
        #expect(elements.steps.filter { $0.visibleWhen != nil }.count == 1)
        let minutes = try #require(study.remarks.first { $0.path == "$.modules[1].alerts.timeout_after" })
        #expect(minutes.kind == .warning && minutes.line == 99)
        let image = try #require(study.remarks.first { $0.kind == .unsupported })
        #expect(image.path == "$.modules[1].sections[1].questions[0].src" && image.line == 184)
    }

    /// Properties of schema's README; texts are shown without their HTML.
    @Test func theStudysTextsAreThoseOfItsProperties() throws {
        let text = """
            {"properties":{"study_id":"S","conditions":[],"post_url":"https://e.org","study_name":"<b>Sleep</b> &amp; mood",
            "instructions":"<p>Read</p>","ethics":"E-7","empty_msg":"Nothing <i>now</i>","support_email":"a@e.org",
            "support_url":"https://e.org/help","pls":"https://e.org/pls.pdf"},"modules":[
            {"uuid":"u","alerts":{"duration":1,"times":[]},"sections":[]}]}
            """
        let texts = try SchemaReader().decode(StudySource(Array(text.utf8))).texts
        #expect(texts.name == "Sleep & mood" && texts.instructions == "Read" && texts.ethics == "E-7")
        #expect(texts.nothingOpen == "Nothing now" && texts.contactEmail == "a@e.org")
        #expect(texts.contactURL == "https://e.org/help" && texts.statement == "https://e.org/pls.pdf")
    }

    /// What is wrong, where it must be said to be, and a part of what must be said.
    static let refusals: [(ProtocolText, String, String)] = [
        (ProtocolText(studyID: ""), "$.properties.study_id", "missing"),
        (ProtocolText(conditions: ""), "$.properties.conditions", "missing"),
        (ProtocolText(conditions: "\"conditions\":\"A\","), "$.properties.conditions", "array"),
        (ProtocolText(alerts: "\"start_offset\":0,\"duration\":1"), "$.modules[0].alerts.times", "missing"),
        (
            ProtocolText(alerts: "\"start_offset\":0,\"duration\":40000,\"times\":[]"), "$.modules[0].alerts.duration",
            "40000"
        ),
        (
            ProtocolText(alerts: "\"duration\":1,\"times\":[],\"timeout\":true,\"timeout_after\":-5"),
            "$.modules[0].alerts.timeout_after", "-5"
        ),
        (
            ProtocolText(alerts: "\"duration\":1,\"times\":[],\"random\":true"), "$.modules[0].alerts.random_interval",
            "missing"
        ),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"slider\",\"min\":5,\"max\":5}"), "questions[0].min",
            "min 5 and max 5"
        ),
        (ProtocolText(questions: "{\"id\":\"q\",\"type\":\"slider\",\"min\":5}"), "questions[0].max", "missing"),
        (ProtocolText(questions: "{\"id\":\"q\",\"type\":\"multi\"}"), "questions[0].options", "missing"),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"multi\",\"options\":[{}]}"), "questions[0].options[0]",
            "text"
        ),
        (ProtocolText(questions: "7"), "questions[0]", "a question"),
        (
            ProtocolText(
                more:
                    #",{"uuid":"g","condition":"*","alerts":{"duration":1,"times":[]},"graph":7,"sections":[]}"#),
            "$.modules[1].graph", "an object"
        ),
        (ProtocolText(more: ",{\"condition\":\"*\"}"), "$.modules[1].alerts", "missing"),
        (ProtocolText(more: ",{\"condition\":\"*\"}"), "$.modules[1].sections", "missing"),
    ]

    private static func times(_ text: String) -> ProtocolText {
        ProtocolText(alerts: "\"start_offset\":0,\"duration\":1,\"times\":[\(text)]")
    }

    @Test(arguments: refusals.indices)
    func everyProblemNamesPlaceAndRemedy(_ index: Int) throws {
        let (text, path, part) = Self.refusals[index]
        let error = try #require(throws: StudyFormatError.self) { try text.decode() }
        let problem = try #require(error.problems.first { $0.path.hasSuffix(path) }, "\(error)")
        #expect(problem.description.contains(part), "\(problem)")
        #expect(problem.line != nil)
    }

    @Test func whatIsMissingIsSaidOnce() throws {
        let error = try #require(throws: StudyFormatError.self) { try ProtocolText(conditions: "").decode() }
        #expect(error.problems.map(\.path) == ["$.properties.conditions"])
    }

    @Test(arguments: [
        (#","subtype":"short""#, AnswerFormat.text(multiline: false)), ("", .text(multiline: false)),
        (#","subtype":"long""#, .text(multiline: true)),
        (
            #","subtype":"numeric""#,
            .number(NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 2))
        ),
    ])
    func aTextHasTheKindThatItsSubtypeNames(_ subtype: String, _ format: AnswerFormat) throws {
        let content = try ProtocolText(questions: #"{"id":"q","type":"text","text":"t"\#(subtype)}"#).questionnaire()
        #expect(content.steps.map(\.format) == [format])
    }

    @Test func allProblemsAreListedWithTheirLines() throws {
        let text = ProtocolText(
            studyID: "", alerts: "\"duration\":40000,\"times\":[],\"random\":true",
            questions: """
                {"id":"a","type":"multi"},
                {"id":"b","type":"slider","min":1},
                {"id":"c","type":"multi","options":"A, B"}
                """)
        let error = try #require(throws: StudyFormatError.self) { try text.decode() }
        #expect(error.problems.map(\.line) == [1, 3, 3, 6, 7, 8])
        #expect(error.description.split(separator: "\n").count == 6)
    }

    /// What the app runs is run, and said to be doubtful: the file, where it must be said, and a
    /// part of what must be said.
    static let warnings: [(ProtocolText, String, String)] = [
        (times("\"09:00:00\""), "$.modules[0].alerts.times[0]", "never due"),
        (times("{\"hours\":25,\"minutes\":61}"), "$.modules[0].alerts.times[0]", "02:01"),
        (times("{\"hours\":\"9h\",\"minutes\":1}"), "$.modules[0].alerts.times[0]", "never due"),
        (ProtocolText(alerts: "\"start_offset\":0,\"times\":[]"), "$.modules[0].alerts.duration", "never due"),
        (times(""), "$.modules[0].alerts.times", "never due"),
        (ProtocolText(module: "\"condition\":\"*\",\"unlock_after\":[\"x\"],"), "unlock_after[0]", "never unlocked"),
        (ProtocolText(module: "\"condition\":\"C\","), "$.modules[0].condition", "never scheduled"),
        (ProtocolText(questions: "{\"id\":\"q\",\"text\":\"\"}"), "questions[0].type", "no type"),
        (ProtocolText(questions: "{\"type\":\"instruction\"}"), "questions[0].id", "undefined"),
        (ProtocolText(questions: "{\"id\":\"q\",\"type\":\"riddle\"}"), "questions[0].type", "riddle"),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"instruction\"},{\"id\":\"q\",\"type\":\"instruction\"}"),
            "questions[1].id", "also the id of $.modules[0].sections[0].questions[0]"
        ),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"multi\",\"radio\":true,\"options\":[]}"),
            "questions[0].options", "no options"
        ),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"instruction\",\"hide_id\":\"z\",\"hide_if\":true}"),
            "questions[0].hide_id", "always shown"
        ),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"yesno\",\"yes_text\":\"Y\"}"), "questions[0].no_text",
            "without words"
        ),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"text\",\"subtype\":\"poem\"}"), "questions[0].subtype",
            "nothing to answer"
        ),
        (
            ProtocolText(questions: "{\"id\":\"q\",\"type\":\"media\",\"subtype\":\"image\"}"), "questions[0].src",
            "no address"
        ),
        (
            ProtocolText(
                more: ",{\"uuid\":\"u\",\"condition\":\"*\",\"alerts\":{\"duration\":1,\"times\":[]},\"sections\":[]}"),
            "$.modules[1].uuid", "also the id of the module"
        ),
        (ProtocolText(more: ",{}"), "$.modules[1].alerts", "none is turned away"),
        (ProtocolText(questions: "{\"id\":\"\",\"type\":\"instruction\"}"), "questions[0].id", "an empty name"),
        // What is never due is read all the same, and needs no times.
        (
            ProtocolText(alerts: "\"start_offset\":0,\"duration\":0,\"times\":[7]"), "$.modules[0].alerts.times[0]",
            "never due"
        ),
        (ProtocolText(alerts: "\"start_offset\":0,\"duration\":0"), "$.modules[0].alerts.duration", "never due"),
    ]

    @Test(arguments: warnings.indices)
    func whatTheAppRunsIsRunWithAWarning(_ index: Int) throws {
        let (text, path, part) = Self.warnings[index]
        let study = try text.decode()
        let warning = try #require(study.remarks.first { $0.kind == .warning && $0.path.hasSuffix(path) })
        #expect(warning.message.contains(part), "\(warning)")
        #expect(warning.line != nil)
    }

    @Test func numbersWhereTextsAreExpectedAreTakenAsTheAppShowsThem() throws {
        let study = try ProtocolText(
            studyID: "\"study_id\":7,",
            questions: "{\"id\":5,\"type\":\"multi\",\"radio\":true,\"text\":3,\"options\":[1,2.5,true]}"
        ).decode()
        #expect(study.studyID == "7")
        #expect(try !ProtocolText().decode().remarks.contains { $0.path.hasSuffix("study_id") })
        let remark = try #require(study.remarks.first { $0.path.hasSuffix("study_id") })
        #expect(remark.message.contains("taken as the text \"7\""), "\(remark)")
        let step = try #require(study.tasks.first?.content.steps.first)
        #expect(step.key == "5" && step.text == "3")
        guard case .choice(let choice) = step.format else { return }
        #expect(choice.options.map(\.value) == ["1", "2.5", "true"])
    }

    @Test func whatIsWrongWithOneArmDoesNotRefuseTheOthers() throws {
        let broken = ",{\"condition\":\"B\",\"uuid\":\"b\"}"
        let study = try ProtocolText(more: broken).decode()
        #expect(study.tasks.map(\.key) == ["u"])
        #expect(study.arms?.refusals.keys.sorted() == ["B"])
        #expect(study.arms?.refusals["B"]?.map(\.path) == ["$.modules[1].alerts", "$.modules[1].sections"])
        // With the other arm broken too no participant can take part.
        let both = ProtocolText(more: broken + broken.replacing("\"B\"", with: "\"A\""))
        let error = try #require(throws: StudyFormatError.self) { try both.decode() }
        #expect(error.problems.count == 4)
    }

    static let addresses: [(String, Bool)] = [
        ("https://example.org/p", true), ("HTTP://a", true), ("http://[::1]:8080/x", true),
        ("http://10.0.0.1:80", true),
        (" https://example.org ", true), ("", false), ("example.org/p", false), ("htps://example.org", false),
        ("https://", false), ("https:///p", false), ("https://a b/p", false), ("https://a/b c?d e", true),
        ("https://a:99999/", false),
        ("https://:80/", false), ("ftp://a/", false),
    ]

    @Test(arguments: addresses) func theFormOfAnAddressIsLookedAt(_ text: String, _ isGood: Bool) {
        #expect((PostAddress(PostAddress.trimmed(text)).problem == nil) == isGood)
    }

    @Test func readmeNamesAreReadWithARemark() throws {
        let study = try ProtocolText(
            questions: "{\"id\":\"q\",\"type\":\"audio\",\"src\":\"https://e.org/a.WAV?x=1\",\"text\":\"t\"}"
        ).decode()
        #expect(study.media.map(\.source) == ["https://e.org/a.WAV?x=1"])
        #expect(study.remarks.contains { $0.kind == .assumption && $0.path.hasSuffix("questions[0].type") })
    }

    /// What a sound is called says nothing; what is in it is seen when it is fetched.
    @Test(arguments: ["a.mp3", "https://e.org/sound?id=7", "b.ogg", "c"]) func everySoundIsFetched(_ source: String)
        throws
    {
        let study = try ProtocolText(
            questions: "{\"id\":\"q\",\"type\":\"media\",\"subtype\":\"audio\",\"src\":\"\(source)\",\"text\":\"t\"}"
        ).decode()
        #expect(study.media.map(\.source) == [source])
        #expect(!study.remarks.contains { $0.kind == .unsupported })
    }

    /// Of a video the sound can be played; a picture has none.
    @Test(arguments: [("video", ["a.mp4"]), ("image", [])])
    func theSoundOfAVideoIsFetchedToo(_ subtype: String, _ fetched: [String]) throws {
        let study = try ProtocolText(
            questions: #"{"id":"q","type":"media","subtype":"\#(subtype)","src":"a.mp4","text":"t"}"#
        ).decode()
        #expect(study.media.map(\.source) == fetched)
        #expect(study.remarks.contains { $0.kind == .unsupported && $0.message.contains("cannot show the \(subtype)") })
    }

    @Test func momentumIsReadThroughItsParams() throws {
        let text = """
            {"_type":"study","properties":{"study_id":"S","conditions":[],"post_url":"https://e.org"},"modules":[
            {"_type":"module","id":"m1","name":"N","condition":"*","unlock_after":[],"alerts":{"start_offset":0,"duration":1,
            "times":[{"hours":"8","minutes":"30"}]},"params":{"_type":"params","type":"survey","submit_text":"Go","shuffle":true,
            "sections":[{"name":"S","shuffle":false,"questions":[{"id":"q","type":"yesno","yes_text":"Y","no_text":"N",
            "hide_id":"none","text":"?"}]}]}}]}
            """
        let study = try SchemaReader().decode(StudySource(Array(text.utf8)))
        #expect(study.tasks[0].key == "m1")
        let content = study.tasks[0].content
        #expect(content.submitText == "Go" && content.shufflesSections && content.steps[0].visibleWhen == nil)
        #expect(study.remarks.contains { $0.message.contains("momenTUM") })
    }

    /// momenTUM's files have `params`, a `_type`, or a module with an `id` and no `uuid`.
    @Test(arguments: [
        ("", "", #""uuid":"u""#, false), ("", "", #""uuid":"u","id":"m""#, false), ("", "", #""name":"N""#, false),
        ("", "", #""id":"m""#, true), ("", "", #""uuid":"u","_type":"module""#, true),
        ("", "", #""uuid":"u","params":{"sections":[]}"#, true), (#""_type":"study","#, "", #""uuid":"u""#, true),
        ("", #""_type":"properties","#, #""uuid":"u""#, true),
    ])
    func momentumIsToldFromSchema(_ root: String, _ properties: String, _ module: String, _ isMomentum: Bool) throws {
        let text = """
            {\(root)"properties":{\(properties)"study_id":"S","conditions":[],"post_url":"https://e.org"},"modules":[
            {\(module),"condition":"*","alerts":{"duration":1,"times":[]},"sections":[]}]}
            """
        let study = try SchemaReader().decode(StudySource(Array(text.utf8)))
        #expect(study.writer as? SchemaWriter == SchemaWriter(isMomentum: isMomentum, sendsLogs: !isMomentum))
        let said = study.remarks.filter { $0.message.hasPrefix("this is momenTUM's dialect") }
        #expect(said.map(\.path) == (isMomentum ? ["$.properties"] : []))
    }

    /// `cache` is false unless a study says otherwise; sounds are fetched in any case.
    @Test(arguments: [("", true), (#""cache":false,"#, true), (#""cache":true,"#, false)])
    func thatASoundIsFetchedWithoutACacheIsSaid(_ cache: String, _ isSaid: Bool) throws {
        let study = try ProtocolText(
            studyID: "\"study_id\":\"S1\",\(cache)",
            questions: #"{"id":"q","type":"media","subtype":"audio","src":"a.mp3","text":"t"}"#
        ).decode()
        #expect(study.media.map(\.source) == ["a.mp3"])
        #expect(study.remarks.contains { $0.message.contains("although `cache` is not true") } == isSaid)
    }

    @Test func switchesWrittenAsTextMeanWhatTheySay() throws {
        let radio = #"{"id":"q","type":"multi","radio":"false","options":["A"],"text":"t"}"#
        let content = try ProtocolText(questions: radio).questionnaire()
        guard case .choice(let choice) = content.steps[0].format else { return }
        #expect(choice.isMultiple)
        let wrong = ProtocolText(questions: radio.replacing("\"false\"", with: "\"perhaps\""))
        #expect(throws: StudyFormatError.self) { try wrong.decode() }
    }

    @Test func onlyTrueMakesAQuestionRequired() throws {
        for (value, required, isSaid) in [
            ("true", true, false), ("false", false, false), ("\"true\"", false, true), ("1", false, true),
            ("null", false, false),
        ] {
            let study = try ProtocolText(
                questions: "{\"id\":\"q\",\"type\":\"text\",\"subtype\":\"short\",\"text\":\"t\",\"required\":\(value)}"
            ).decode()
            #expect(study.tasks[0].content.steps[0].isRequired == required)
            let said = study.remarks.filter { $0.path.hasSuffix(".required") }.map(\.message)
            #expect(said == (isSaid ? ["not required: only the value true makes a question required"] : []), "\(value)")
        }
    }

    @Test func requiredInstructionDoesNotBlock() throws {
        let content = try ProtocolText(
            questions: "{\"id\":\"q\",\"type\":\"instruction\",\"text\":\"t\",\"required\":true}"
        ).questionnaire()
        #expect(!content.steps[0].isRequired)
    }

    @Test func whatIsNoStudyIsSaidToBeNone() {
        for text in ["{}", "[]", "7", "", "{\"modules\":[]", "nonsense"] {
            #expect(throws: StudyFormatError.self) { try SchemaReader().decode(StudySource(Array(text.utf8))) }
        }
    }

    @Test func emptyHideIDMeansNone() throws {
        func study(_ hideID: String) throws -> StudyProtocol {
            try ProtocolText(
                questions:
                    #"{"id":"q","type":"instruction","text":"t","hide_id":"\#(hideID)","hide_value":"","hide_if":true}"#
            ).decode()
        }
        // Every question of schema's sample file and of momenTUM's has one of these: neither
        // is worth a word.
        for hideID in ["", "none"] {
            let study = try study(hideID)
            #expect(study.tasks[0].content.steps[0].visibleWhen == nil)
            #expect(!study.remarks.contains { $0.path.hasSuffix("hide_id") }, "\(study.remarks)")
        }
        #expect(try study("gone").remarks.contains { $0.kind == .warning && $0.path.hasSuffix("hide_id") })
    }

    /// Each number at the end of what is taken, and one beyond: refused at its place, or never due.
    @Test(arguments: [
        ("start_offset", "36500", "36501"), ("start_offset", "-36500", "-36501"), ("duration", "36500", "36501"),
        ("random_interval", "14400", "14401"), ("random_interval", "0", "-1"),
        ("timeout_after", "315360000000", "315360000001"), ("timeout_after", "0", "-1"),
    ])
    func numbersOfAlertsAreTakenUpToTheirLimits(_ key: String, _ last: String, _ beyond: String) throws {
        func decode(_ value: String) throws -> StudyProtocol {
            var members = [
                "start_offset": "0", "duration": "1", "random": "true", "random_interval": "5", "timeout": "true",
                "timeout_after": "3600000", "times": #"[{"hours":8,"minutes":0}]"#,
            ]
            members[key] = value
            return try ProtocolText(alerts: members.map { "\"\($0)\":\($1)" }.joined(separator: ",")).decode()
        }
        let study = try decode(last)
        #expect(!study.tasks[0].schedule.occurrences(of: study.tasks[0], in: SchemaScheduleTests.context()).isEmpty)
        let error = try #require(throws: StudyFormatError.self) { try decode(beyond) }
        #expect(error.problems.map(\.path) == ["$.modules[0].alerts.\(key)"], "\(error)")
    }

    /// 200,000 tasks are a study, one more is none; so are 1,000 modules.
    @Test func studiesAreTakenUpToTheirSize() throws {
        let times = (0..<8).map { "{\"hours\":\($0),\"minutes\":0}" }.joined(separator: ",")
        let full = "\"start_offset\":0,\"duration\":25000,\"times\":[\(times)]"
        let one =
            #",{"uuid":"one","alerts":{"start_offset":0,"duration":1,"times":[{"hours":8,"minutes":0}]},"sections":[]}"#
        let whole = ProtocolText(conditions: #""conditions":[],"#, alerts: full)
        #expect(try whole.decode().tasks.count == 1)
        var more = whole
        more.more = one
        let error = try #require(throws: StudyFormatError.self) { try more.decode() }
        #expect(error.problems.map(\.found) == ["200001"])
        let modules = (1..<1_000).map {
            ",{\"uuid\":\"\($0)\",\"alerts\":{\"duration\":0,\"times\":[]},\"sections\":[]}"
        }
        #expect(try ProtocolText(more: modules.joined()).decode().tasks.count == 1_000)
    }

    /// Arms and questions are looked up, not searched for: the time of a file is in proportion to its size.
    @Test(.timeLimit(.minutes(10))) func largeFilesAreReadInTime() throws {
        let arms = (0..<100_000).map { "\"arm \($0)\"" }.joined(separator: ",")
        let questions = (0..<16_000).map {
            #"{"id":"question-\#($0)","type":"yesno","text":"t","yes_text":"Y","no_text":"N","hide_id":"question-\#($0 - 1)","hide_value":"Y","hide_if":true}"#
        }
        let study = try ProtocolText(
            conditions: "\"conditions\":[\(arms)],", questions: questions.joined(separator: ",")
        ).decode()
        #expect(study.conditions.count == 100_000 && study.tasks[0].content.steps.last?.visibleWhen != nil)
    }

    /// `getTaskDisplayList` of the app looks at a sticky task's time only.
    @Test(arguments: [(true, "a sticky module has no time limit"), (false, "milliseconds")])
    func aTimeLimitIsToldOnlyWhereItHolds(_ isSticky: Bool, _ words: String) throws {
        let study = try ProtocolText(
            alerts: """
                "start_offset":1,"duration":1,"times":[{"hours":8,"minutes":0}],"sticky":\(isSticky),"timeout":true,"timeout_after":7200000
                """
        ).decode()
        let told = study.remarks.filter { $0.path.contains("timeout") }.map(\.message)
        #expect(told.count == 1 && told[0].contains(words), "\(told)")
        let task = study.tasks[0]
        let due = task.schedule.occurrences(of: task, in: SchemaScheduleTests.context())
        #expect(due.map { $0.expires == nil } == [isSticky])
    }
}
