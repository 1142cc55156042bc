// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformSchema

/// momenTUM, as its app (momenTUM-app e14a806), its designer's files and its server
/// (momenTUM-json-maker db3f215) have it.
@Suite struct SchemaMomentumTests {
    static let pvt = #"""
        "type":"pvt","trials":5,"min_waiting":200,"max_waiting":300,"max_reaction":350,"exit":false,"show":true
        """#

    private static let head = #"""
        "_type":"module","id":"m1","name":"N","condition":"*","unlock_after":[],
        "alerts":{"start_offset":0,"duration":1,"times":[{"hours":8,"minutes":30}]},"graph":{"display":false},
        """#

    static func text(_ module: String) -> String {
        """
        {"_type":"study","properties":{"_type":"properties","study_id":"S","conditions":[],
        "post_url":"https://e.org/api/v1"},"modules":[{\(head)\(module)}]}
        """
    }

    static func study(_ module: String, logs: Bool = false) throws -> StudyProtocol {
        var source = StudySource(Array(text(module).utf8))
        source.options.sendsMomentumLogs = logs
        return try SchemaReader().decode(source)
    }

    /// The values are those of a real study (momenTUM-json-maker db3f215, `studies/angle.json`).
    @Test(arguments: ["\"params\":{\"_type\":\"params\",\"id\":\"p\",\(pvt)}", pvt])
    func aReactionTestIsReadWithAndWithoutParams(_ module: String) throws {
        let study = try Self.study(module)
        let content = study.tasks[0].content
        guard case .active(let task) = content.steps[0].format, let rules = task.rules as? VigilanceRules
        else { throw Missing() }
        #expect(
            rules
                == VigilanceRules(
                    trials: 5, minimumWaiting: .milliseconds(200), maximumWaiting: .milliseconds(300),
                    maximumReaction: .milliseconds(350), showsResults: true, allowsLeaving: false))
        #expect(content.steps.map(\.key) == ["reaction_times"] && content.steps[0].isRequired)
        #expect(study.writer as? SchemaWriter == SchemaWriter(isMomentum: true, sendsLogs: false))
    }

    struct Missing: Error {}

    /// Its servers keep the fields that they name (`struct Response`;
    /// `save_response(… = Form(...))`, momenTUM-designer 513e871).
    @Test func nothingIsSentThatItsServersDoNotKeep() throws {
        let study = try Self.study(Self.pvt)
        let context = WireContext(
            study: study, enrolment: try SchemaWireTests.context().enrolment, zone: .utc, postURL: nil)
        var submission = Submission(
            task: study.tasks[0].key, occurrence: try SchemaWireTests.occurrence(), order: [], answers: [:], drawn: [],
            submitted: SchemaWireTests.now)
        let before = study.writer.requests(for: .submitted(submission), at: SchemaWireTests.now, in: context)
        submission.clockError = 0.25
        #expect(study.writer.requests(for: .submitted(submission), at: SchemaWireTests.now, in: context) == before)
    }

    /// `studies/study.json` has 5, 5 and 5, which were seconds in its author's mind.
    @Test func timesThatCannotBeKeptAreWarnedOfOrRefused() throws {
        let module = #"""
            "params":{"type":"pvt","trials":3,"min_waiting":5,"max_waiting":5,"max_reaction":5,"show":true,"exit":
            """#
        let remarks = try Self.study(module + "true}").remarks
        #expect(remarks.contains { $0.path.hasSuffix("max_reaction") && $0.message.contains("multiply by 1000") })
        #expect(throws: StudyFormatError.self) { try Self.study(module + "false}") }
    }

    private static func photo(required: Bool, isLeftOut: Bool = false) throws -> StudyProtocol {
        let module = """
            "params":{"type":"survey","submit_text":"Go","shuffle":false,"sections":[{"name":"S","shuffle":false,"questions":[
            {"id":"q","type":"photo","text":"Take one","required":\(required),"hide_id":"none"}]}]}
            """
        var source = StudySource(Array(text(module).utf8))
        source.options.leavesOutPhotos = isLeftOut
        return try SchemaReader().decode(source)
    }

    @Test func aPhotographIsRefusedOnlyWhereItIsRequiredAndNotLeftOut() throws {
        for study in [try Self.photo(required: false), try Self.photo(required: true, isLeftOut: true)] {
            #expect(study.remarks.filter { $0.path.hasSuffix("type") }.map(\.kind) == [.unsupported])
            #expect(study.tasks[0].content.steps.map(\.isRequired) == [false])
        }
        let error = try #require(throws: StudyFormatError.self) { try Self.photo(required: true) }
        #expect("\(error)".contains("photograph that is required") && "\(error)".contains("--without-photos"))
    }

    /// The app sends a photograph as a `data:` address, and "" where none was taken.
    @Test func theDataSayThatThereIsNoCamera() throws {
        let study = try Self.photo(required: true, isLeftOut: true)
        let step = try #require(study.tasks[0].content.steps.first)
        let answer = SchemaAnswer(nil, to: step.format, in: .utc).json
        #expect(answer == .string("no photo: the device has no camera"))
        #expect(SchemaAnswer(nil, to: .instruction, in: .utc).json == .string(""))
    }

    /// Limits of the designer of 2025 (`frontend/schema/question.ts`); its server refuses a maximum
    /// that is not above the minimum.
    @Test func numbersHaveTheLimitsThatTheDesignerGivesThem() throws {
        func format(_ limits: String) throws -> AnswerFormat? {
            try ProtocolText(questions: #"{"id":"q","type":"text","subtype":"numeric","text":"t"\#(limits)}"#)
                .questionnaire().steps.first?.format
        }
        #expect(try format("") == .number(NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 2)))
        #expect(
            try format(#","min_value":0,"max_value":24"#)
                == .number(NumberFormat(minimum: 0, maximum: 24, maximumFractionDigits: 2)))
        #expect(throws: StudyFormatError.self) { try format(#","min_value":24,"max_value":24"#) }
    }

    // MARK: - Surveys

    private static func survey(_ questions: String, hasParams: Bool = true) throws -> StudyProtocol {
        try study(module(questions, hasParams: hasParams))
    }

    private static func module(_ questions: String, hasParams: Bool = true) -> String {
        let survey =
            #""type":"survey","submit_text":"Go","shuffle":false,"sections":[{"name":"S","questions":[\#(questions)]}]"#
        return hasParams ? #""params":{\#(survey)}"# : survey
    }

    private static let chain = #"""
        {"id":"a","type":"yesno","text":"t","yes_text":"Y","no_text":"N"},
        {"id":"b","type":"text","subtype":"short","text":"t","hide_id":"a","hide_value":"Y","hide_if":false},
        {"id":"c","type":"text","subtype":"short","text":"t","hide_id":"b","hide_value":"x","hide_if":true}
        """#

    private static func shown(_ study: StudyProtocol, _ answers: Answers) -> [Bool] {
        study.tasks[0].content.steps.map { $0.visibleWhen?.holds(StudyFacts(answers: answers)) ?? true }
    }

    /// What `toggleDynamicQuestions` and `hideQuestion` (momenTUM-app e14a806,
    /// `src/app/pages/survey/survey.page.ts`:366 and 496) leave hidden; before 0a079cc a question
    /// was looked at alone, as in schema's app.
    @Test(
        arguments: [
            ([:], [true, false, true], [true, false, true]),
            (["a": .boolean(true)], [true, true, true], [true, true, true]),
            (["a": .boolean(true), "b": .text("x")], [true, true, false], [true, true, false]),
            (["a": .boolean(false)], [true, false, false], [true, false, true]),
            (["a": .boolean(false), "b": .text("y")], [true, false, false], [true, false, true]),
        ] as [(Answers, [Bool], [Bool])])
    func whatHidesAQuestionHidesThoseThatDependOnIt(
        _ answers: Answers, _ cascading: [Bool], _ alone: [Bool]
    ) throws {
        #expect(try Self.shown(Self.survey(Self.chain), answers) == cascading)
        #expect(try Self.shown(Self.survey(Self.chain, hasParams: false), answers) == alone)
    }

    /// Any type decides, by `===`; a slider's `>` and `<` are gone.
    @Test(
        arguments: [
            (#""type":"slider","min":0,"max":10"#, "5", true, .number(5), false),
            (#""type":"slider","min":0,"max":10"#, "5", true, nil, true),
            (#""type":"slider","min":0,"max":10"#, "\">5\"", true, .number(9), true),
            (#""type":"slider","min":0,"max":10"#, "\">5\"", false, .number(9), false),
            (#""type":"instruction""#, "\"\"", true, nil, false),
            (#""type":"text","subtype":"numeric""#, "\"7\"", true, .number(7), false),
            (#""type":"text","subtype":"numeric""#, "7", true, .number(7), true),
            (#""type":"multi","radio":false,"options":["A","B"]"#, "\"\"", true, nil, true),
            (#""type":"multi","radio":true,"options":["A","B"]"#, "\"A\"", true, .choices(["A"]), false),
        ] as [(String, String, Bool, AnswerValue?, Bool)])
    func aQuestionOfAnyTypeDecides(
        _ driver: String, _ value: String, _ hides: Bool, _ answer: AnswerValue?, _ isShown: Bool
    ) throws {
        let study = try Self.survey(
            """
            {"id":"d","text":"t",\(driver)},
            {"id":"q","type":"instruction","text":"t","hide_id":"d","hide_value":\(value),"hide_if":\(hides)}
            """)
        #expect(Self.shown(study, answer.map { ["d": $0] } ?? [:]) == [true, isShown])
        #expect(
            study.remarks.contains { $0.kind == .warning && $0.path.hasSuffix("hide_value") } == (value == "\">5\""))
    }

    /// `noToggle` is not looked at any more: a question that was not drawn decides by `""`, one that
    /// was by 1.
    @Test func questionsOfAGroupDecideDrawnOrNot() throws {
        let study = try Self.survey(
            #"""
            {"id":"d","type":"yesno","text":"t","yes_text":"Y","no_text":"N","rand_group":"g"},
            {"id":"q","type":"instruction","text":"t","hide_id":"d","hide_value":1,"hide_if":false}
            """#)
        #expect(Self.shown(study, [:]) == [true, false])
        #expect(Self.shown(study, ["d": .number(1)]) == [true, true])
        #expect(study.tasks[0].content.steps[1].visibleWhen?.questionKeys == [])
    }

    /// `question.response = 1` where it is drawn (e14a806, `survey.page.ts`:157), and the text of its input once one
    /// is typed.
    @Test(
        arguments: [
            ("1", nil, true), (#""1""#, nil, false), ("1", .number(1), false), (#""1""#, .number(1), true),
        ] as [(String, AnswerValue?, Bool)])
    func aDrawnNumberDecidesByANumberUntilItIsAnswered(
        _ value: String, _ answer: AnswerValue?, _ isShown: Bool
    ) throws {
        let study = try Self.survey(
            #"""
            {"id":"d","type":"text","subtype":"numeric","text":"t","rand_group":"g"},
            {"id":"q","type":"instruction","text":"t","hide_id":"d","hide_value":\#(value),"hide_if":false}
            """#)
        let opened = OpenedTask(study.tasks[0], opening: 1, chance: SchemaScheduleTests.context().chance)
        var navigator = Navigator(opened, facts: StudyFacts())
        _ = navigator.start()
        _ = navigator.answer(answer)
        #expect(navigator.current?.key == (isShown ? "q" : nil))
    }

    /// When the task is opened the app goes through the questions, and the last one stays: the rule of `b` alone,
    /// though `a` was drawn.
    @Test(arguments: [(["a", "b", "q"], true), (["b", "a", "q"], false)])
    func aDrawnQuestionIsNoAnswerThatHidesOthers(_ order: [String], _ isShown: Bool) throws {
        let study = try Self.survey(
            #"""
            {"id":"a","type":"text","subtype":"numeric","text":"t","rand_group":"g"},
            {"id":"b","type":"text","subtype":"short","text":"t","hide_id":"a","hide_value":1,"hide_if":true},
            {"id":"q","type":"instruction","text":"t","hide_id":"b","hide_value":"x","hide_if":true}
            """#)
        let step = try #require(study.tasks[0].content.steps.last)
        let branch = try #require(step.visibleWhen?.opened(places: Self.places(order), undrawn: []))
        var facts = StudyFacts(answers: ["a": .number(1)])
        facts.presets = ["a"]
        #expect(branch.holds(facts) == isShown)
    }

    /// `if (question.rand_group)` there (e14a806, `survey.page.ts`:123); schema's app asks
    /// `!== undefined` (45fd178, `survey.page.ts`:155). The designer's `initialQuestion` has `""`.
    @Test func anEmptyGroupIsNoneInItsApp() throws {
        let question = #"{"id":"q","type":"instruction","text":"t","rand_group":""}"#
        for (study, isSaid) in [
            (try Self.survey(question), false), (try ProtocolText(questions: question).decode(), true),
        ] {
            #expect(study.tasks[0].content.steps.map(\.drawGroup) == [nil])
            #expect(study.remarks.contains { $0.path.hasSuffix("rand_group") } == isSaid)
        }
    }

    /// At opening `ngOnInit` goes through the questions as shuffled, and the last one stays: the rule of
    /// `c` alone where that is `b`, also that of `b` where it is `a` (momenTUM-app e14a806,
    /// `survey.page.ts`:97 to 175). A question that was not drawn has lost its `hide_id`, so that
    /// nothing hides `c` with it.
    @Test(
        arguments: [
            (["a", "b", "c"], [], [:], true), (["b", "c", "a"], [], [:], false), (["c", "b", "a"], [], [:], false),
            (["b", "c", "a"], ["b"], [:], true), (["a", "b", "c"], [], ["a": .boolean(false)], false),
            (["a", "b", "c"], ["b"], ["a": .boolean(false)], true),
        ] as [([String], Set<String>, Answers, Bool)])
    func eachOpeningHasItsOrderAndItsDraw(
        _ order: [String], _ undrawn: Set<String>, _ answers: Answers, _ isShown: Bool
    ) throws {
        let step = try #require(try Self.survey(Self.chain).tasks[0].content.steps.last)
        let branch = try #require(step.visibleWhen?.opened(places: Self.places(order), undrawn: undrawn))
        #expect(branch.holds(StudyFacts(answers: answers)) == isShown)
    }

    private static func places(_ order: [String]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    }

    /// Each question of a row has the rules of all those before it: 1,000 in a row have 499,500 in all, 700 and 720
    /// in two modules 503,490.
    @Test(arguments: [([102], false), ([1_000], false), ([1_001], true), ([600, 700], false), ([700, 720], true)])
    func rowsOfQuestionsThatDependOnEachOtherAreLimitedInAll(rows: [Int], isRefused: Bool) throws {
        let modules = rows.enumerated().map { index, count in
            let questions = (0..<count).map {
                #"{"id":"q\#($0)","type":"instruction","text":"t","hide_id":"q\#($0 - 1)","hide_value":"x","hide_if":true}"#
            }
            let head = index == 0 ? "" : "},{" + Self.head.replacing("m1", with: "m\(index + 1)")
            return head + Self.module(questions.joined(separator: ","))
        }
        do {
            let study = try Self.study(modules.joined())
            #expect(!isRefused && study.tasks.map(\.content.steps.count) == rows)
        } catch {
            #expect(isRefused && "\(error)".contains("at most 500000 links in the study"), "\(error)")
        }
    }

    @Test func rulesInACircleEnd() throws {
        let study = try Self.survey(
            #"""
            {"id":"d","type":"instruction","text":"t","hide_id":"q","hide_value":"","hide_if":false},
            {"id":"q","type":"instruction","text":"t","hide_id":"d","hide_value":"","hide_if":false}
            """#)
        #expect(Self.shown(study, [:]) == [true, true])
    }

    /// `setupQuestionVariables` begins it with `[]`, which `checkErrors` takes for an answer (e14a806,
    /// `survey.page.ts`:262 and 447).
    @Test(arguments: [("false", "[]", false), ("true", "\"\"", true)])
    func aListWithoutATickIsAnAnswer(_ radio: String, _ sent: String, _ isRequired: Bool) throws {
        let study = try Self.survey(
            #"{"id":"q","type":"multi","radio":\#(radio),"options":["A","B"],"text":"t","required":true}"#)
        #expect(study.tasks[0].content.steps.map(\.isRequired) == [isRequired])
        #expect(try Self.sent(study, nil) == #"{"q":\#(sent)}"#)
    }

    /// What is sent for an answer to the question `q`.
    private static func sent(_ study: StudyProtocol, _ answer: AnswerValue?, drawn: Set<String> = []) throws -> String {
        let context = WireContext(
            study: study, enrolment: try SchemaWireTests.context().enrolment, zone: SchemaWireTests.zone, postURL: nil)
        let submission = Submission(
            task: study.tasks[0].key, occurrence: try SchemaWireTests.occurrence(), order: ["q"],
            answers: answer.map { ["q": $0] } ?? [:], drawn: drawn, submitted: SchemaWireTests.now)
        return study.writer.answers(submission, in: context).text
    }

    /// `type="{{…}}"` (momenTUM-app e14a806, `src/app/pages/survey/survey.page.html`:58) is not
    /// `ion-input[type=number]`, whose accessor alone makes a number of what is typed
    /// (@ionic/angular 7.3.2, `numeric-value-accessor.ts`; angular/angular#13243). momenTUM's server of
    /// 2023 takes no number with a fraction and no null (momenTUM-json-maker db3f215,
    /// `api/src/redcap.rs`, `enum Entry`).
    @Test(
        arguments: [
            (.number(7), [], "\"7\""), (.number(-7.5), [], "\"-7.5\""), (.cleared, [], "\"\""), (nil, [], "\"\""),
            (nil, ["q"], "1"), (.number(2), ["q"], "\"2\""),
        ] as [(AnswerValue?, Set<String>, String)])
    func aNumberIsSentAsTheTextThatWasTyped(_ answer: AnswerValue?, _ drawn: Set<String>, _ sent: String) throws {
        let study = try Self.survey(#"{"id":"q","type":"text","subtype":"numeric","text":"t"}"#)
        #expect(try Self.sent(study, answer, drawn: drawn) == #"{"q":\#(sent)}"#)
    }

    /// `convertDataToISO` of @ionic/core 7.3.2, which momenTUM-app e14a806 locks, writes
    /// `T${hour}:${minute}:00` and no offset: since Ionic 7 "Datetime no longer incorrectly reports the
    /// time zone" (its BREAKING.md).
    @Test(arguments: [
        ("date", 18_024, LocalTime(hour: 23, minute: 16, second: 21), "2019-05-08T23:16:00"),
        ("datetime", 18_024, LocalTime(hour: 0, minute: 0), "2019-05-08T00:00:00"),
        ("time", 17_984, LocalTime(hour: 2, minute: 30), "2019-03-29T02:30:00"),
    ])
    func aMomentIsSentWithoutAnOffset(_ subtype: String, _ day: Int, _ time: LocalTime?, _ sent: String) throws {
        let study = try Self.survey(#"{"id":"q","type":"datetime","subtype":"\#(subtype)","text":"t"}"#)
        let local = LocalDateTime(LocalDate(daysSinceEpoch: day), try #require(time))
        #expect(try Self.sent(study, .dateTime(local)) == #"{"q":"\#(sent)"}"#)
    }

    // MARK: - The wire

    static func requests(_ study: StudyProtocol, postURL: String? = nil) throws -> [WireRequest] {
        let zone = SchemaWireTests.zone
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("2345ABDE"), condition: nil, instant: SchemaWireTests.now,
            local: zone.local(SchemaWireTests.now), seed: [1])
        let due = SchemaWireTests.now - .seconds(61) - .milliseconds(250)
        let occurrence = Occurrence(
            id: "m1/101", task: "m1", taskIndex: 0, number: 101, local: zone.local(due), due: due, expires: nil)
        let trials = [312, -2, 289].map {
            VigilanceRecord.Trial(value: $0, waited: .seconds(1), reaction: nil, uncertainty: .zero)
        }
        let record = VigilanceRecord(trials: trials, void: 0, isLeft: false)
        let submission = Submission(
            task: "m1", occurrence: occurrence, order: ["reaction_times"],
            answers: ["reaction_times": .performance(Performance(record))], drawn: [], submitted: SchemaWireTests.now)
        let context = WireContext(study: study, enrolment: enrolment, zone: zone, postURL: postURL)
        return study.writer.requests(for: .submitted(submission), at: SchemaWireTests.now, in: context)
    }

    /// Names and order as `DataService.sendResponse` appends them.
    @Test func theResultIsPostedAsTheAppPostsIt() throws {
        let requests = try Self.requests(try Self.study(Self.pvt))
        #expect(requests.map(\.url) == ["https://e.org/api/v1/response"])
        #expect(
            try SchemaWireTests.fields(requests[0]) == [
                ["data_type", "pvt_response"], ["user_id", "2345ABDE"], ["study_id", "S"], ["module_index", "0"],
                ["module_id", "m1"], ["module_name", "N"], ["responses", #"{"reaction_times":"312,-2,289"}"#],
                ["response_time", "2019-05-08T23:16:21+10:00"], ["response_time_in_ms", "1557321381250"],
                ["alert_time", "2019-05-08T23:15:20+10:00"], ["platform", "studyd"],
            ])
    }

    /// `struct Response` and `struct Log` of the server (`api/src/redcap.rs`): a form that lacks
    /// one of these is refused there.
    static let response = [
        "data_type", "user_id", "study_id", "module_index", "platform", "module_id", "module_name", "response_time",
        "response_time_in_ms", "alert_time",
    ]
    static let log = [
        "data_type", "user_id", "study_id", "module_index", "platform", "page", "event", "timestamp", "timestamp_in_ms",
    ]

    @Test func theServersOwnFormsAreFilled() throws {
        let requests = try Self.requests(try Self.study(Self.pvt, logs: true))
        let addresses = requests.map { String($0.url.prefix { $0 != "?" }) }
        #expect(addresses == ["https://e.org/api/v1/response", "https://e.org/api/v1/log"])
        for (request, names) in zip(requests, [Self.response, Self.log]) {
            let fields = try SchemaWireTests.fields(request)
            for name in names { #expect(fields.contains { $0[0] == name }, "\(name)") }
            for field in fields where ["module_index", "response_time_in_ms", "timestamp_in_ms"].contains(field[0]) {
                #expect(Int64(field[1]) != nil, "\(field)")
            }
        }
    }

    /// `class LogEntry` of the server of 2025, which reads it in the address (momenTUM-designer
    /// 513e871, `backend/routers/redcap.py`).
    @Test func theLaterServerFindsALogInItsAddress() throws {
        let requests = try Self.requests(try Self.study(Self.pvt, logs: true))
        let query = requests[1].url.split(separator: "?").last?.split(separator: "&") ?? []
        let pairs = query.map { $0.split(separator: "=", omittingEmptySubsequences: false) }
        #expect(Set(pairs.map { String($0[0]) }) == Set(Self.log))
        let values = Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
        #expect(values["timestamp"] == "2019-05-08T23%3A16%3A21%2B10%3A00" && values["event"] == "submit", "\(values)")
        for name in ["module_index", "timestamp_in_ms"] { #expect(values[name].flatMap { Int64($0) } != nil) }
        let verdicts = requests.map { SchemaWire().verdict(status: 204, body: [], to: $0) }
        #expect(verdicts[1] == .delivered(receipt: "204") && verdicts[0] != .delivered(receipt: "204"))
        for (status, body) in [(203, ""), (205, ""), (500, ""), (204, "x")] {
            let verdict = SchemaWire().verdict(status: status, body: Array(body.utf8), to: requests[1])
            #expect(verdict != .delivered(receipt: "204"), "\(status) \(body)")
        }
    }

    /// Under `/api/v2` that server has `/response` and `/redcap/log`; its `/log` is not
    /// included (`main.py`).
    @Test func theLaterServersLogLiesBesideRedcap() throws {
        let requests = try Self.requests(try Self.study(Self.pvt, logs: true), postURL: "https://e.org/api/v2")
        let addresses = requests.map { String($0.url.prefix { $0 != "?" }) }
        #expect(addresses == ["https://e.org/api/v2/response", "https://e.org/api/v2/redcap/log"])
        #expect(SchemaWire().verdict(status: 204, body: [], to: requests[1]) == .delivered(receipt: "204"))
    }

    /// `Error::Redcap` and `Error::ResponseDeserialization` are 400, what a person can mend is 401 or 500
    /// (momenTUM-json-maker db3f215, `api/src/error.rs`); FastAPI's `RequestValidationError` is 422.
    @Test(arguments: [
        (400, true), (422, true), (401, false), (403, false), (404, false), (423, false), (500, false), (503, false),
    ])
    func anAnswerThatItsServersNeverTakeIsNotSentAgain(_ status: Int, _ isRefused: Bool) throws {
        let body = Array("data did not match any variant of untagged enum Entry".utf8)
        func ends(_ request: WireRequest) -> Bool {
            if case .refused(let reason) = SchemaWire().verdict(status: status, body: body, to: request) {
                reason.contains("\(status)") && reason.contains("untagged enum Entry")
            } else {
                false
            }
        }
        let requests = try Self.requests(try Self.study(Self.pvt, logs: true))
        #expect(requests.map(ends) == [isRefused, false])
        let schema = try ProtocolText(module: #""uuid":"m1","#).decode()
        for address in ["https://example.org/p", "https://example.org/response"] {
            #expect(try !Self.requests(schema, postURL: address).contains(where: ends), "\(address)")
        }
    }

    /// REDCap's own words, which may have several lines, as that server hands them on.
    @Test(arguments: [
        ("{\n \"error\": \"no such field\"\n}", #": {  "error": "no such field" }"#), ("", ""), ("<p>Error</p>", ""),
    ])
    func aRefusalIsOneLine(_ body: String, _ words: String) throws {
        let request = try Self.requests(try Self.study(Self.pvt, logs: true))[0]
        #expect(
            SchemaWire().verdict(status: 400, body: Array(body.utf8), to: request)
                == .refused(reason: "the server answered with status 400" + words))
    }

    @Test func schemasOwnStudiesArePostedAsBefore() throws {
        let study = try ProtocolText(module: #""uuid":"m1","#).decode()
        #expect(study.writer as? SchemaWriter == SchemaWriter(isMomentum: false, sendsLogs: true))
        let requests = try Self.requests(study)
        #expect(requests.map(\.url) == ["https://example.org/p", "https://example.org/p"])
        #expect(try !SchemaWireTests.fields(requests[0]).contains { $0[0] == "module_id" })
    }
}
