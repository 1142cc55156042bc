// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

@Suite struct ESMiraWireTests {
    static func input(_ kind: ESMiraInput.Kind, _ change: (inout ESMiraInput) -> Void = { _ in }) -> ESMiraInput {
        var input = ESMiraInput(name: "a", kind: kind, isRequired: false, defaultValue: "")
        input.choices = ["cough", "fever", "ache"]
        change(&input)
        return input
    }

    static let other = ESMiraOther.value
    static let noon = LocalDateTime(LocalDate(daysSinceEpoch: 20_514), LocalTime(hour: 6, minute: 45) ?? .midnight)

    /// Values of the recorded request to ESMira-web 3.5.1
    /// (fixtures/esmira/recorded/datasets.request.json) and of the app's views.
    static let values: [(ESMiraInput, Answers, [String])] = [
        (input(.whole), ["a": .number(3)], ["a=3"]), (input(.whole), [:], ["a="]),
        (input(.whole) { $0 = .init(name: "a", kind: .whole, isRequired: false, defaultValue: "4") }, [:], ["a=4"]),
        (input(.decimal), ["a": .number(1.5)], ["a=1.5"]), (input(.binary), ["a": .boolean(true)], ["a=1"]),
        (input(.binary), ["a": .boolean(false)], ["a=0"]), (input(.time), ["a": .dateTime(noon)], ["a=06:45"]),
        (input(.time) { $0.sendsNumber = true }, ["a": .dateTime(noon)], ["a=405"]),
        (input(.date), ["a": .dateTime(noon)], ["a=2026-03-02"]),
        (input(.single), ["a": .choices(["fever"])], ["a=fever", "a~other="]),
        (input(.single) { $0.sendsNumber = true }, ["a": .choices(["fever"])], ["a=2", "a~other="]),
        (
            input(.single) { ($0.sendsNumber, $0.start) = (true, 0) }, ["a": .choices([other]), "a~other": .text("x")],
            ["a=3", "a~other=x"]
        ),
        (input(.single), ["a": .choices([other]), "a~other": .text("bus")], ["a=other", "a~other=bus"]),
        (
            input(.multiple) { $0.hasOther = true },
            ["a": .choices(["ache", other, "cough"]), "a~other": .text("itch")],
            [
                "a=cough, ache, Other", "a~cough=1", "a~fever=0", "a~ache=1", "a~1=1", "a~2=0", "a~3=1", "a~other=1",
                "a~other_text=itch",
            ]
        ),
        (input(.multiple), [:], ["a="]),
        // BatteryLevelView, AmbientLightView and NoiseLevelView of the app (f750e58): whole percent
        // and ~charging, lux as Int unless numberHasDecimal, dBFS to two places by Double.toString
        // with ~min and ~max.
        (input(.battery), ["a": DeviceReading.answer([73, 1])], ["a=73", "a~charging=1"]),
        (input(.battery), [:], ["a="]),
        (input(.light), ["a": DeviceReading.answer([320.7])], ["a=320"]),
        (input(.light) { $0.hasDecimals = true }, ["a": DeviceReading.answer([320])], ["a=320.0"]),
        (
            input(.noise), ["a": DeviceReading.answer([-43.214, -50, -40.1])],
            ["a=-43.21", "a~min=-50.0", "a~max=-40.1"]
        ),
        (input(.whole), ["a": .number(0)], ["a=0"]),
    ]

    @Test(arguments: values.indices) func valuesAreThoseOfTheApp(index: Int) {
        let (input, answers, expected) = Self.values[index]
        #expect(input.fields(answers).map { "\($0.name)=\($0.value)" } == expected)
    }

    /// `AmbientLightView` and `CompassView` of the app (f750e58).
    @Test(arguments: ["ambient_light", "compass"])
    func aMeasuredNumberHasDecimalsWhereTheStudySaysSo(_ type: String) throws {
        for (flag, sent) in [
            ("", "320"), (#","numberHasDecimal":false"#, "320"), (#","numberHasDecimal":true"#, "320.7"),
        ] {
            let input = #"{"name":"q","responseType":"\#(type)"\#(flag)}"#
            let study = try ESMiraSample.study(#""pages":[{"inputs":[\#(input)]}]"#)
            let fields = try ESMiraSample.questionnaire(of: study).fields(["q": DeviceReading.answer([320.7])])
            #expect(fields.first { $0.name == "q" }?.value == sent)
        }
    }

    /// `Study.kt` of the app (f750e58): -1 where the study names none.
    @Test(arguments: [("", -1, -1), (#""version":2,"#, 2, -1), (#""version":2,"subVersion":7,"#, 2, 7)])
    func theStudysVersionsAreSentBack(_ fields: String, _ version: Int, _ subVersion: Int) throws {
        let text = #"{"id":4711,\#(fields)"questionnaires":[{"internalId":50001,\#(ESMiraSample.pages)}]}"#
        let study = try ESMiraReader().decode(StudySource(Array(text.utf8)))
        #expect(study.version == "\(version)")
        let context = WireContext(
            study: study, enrolment: Joined.context().enrolment, zone: .utc, postURL: "https://s.example/x")
        let requests = study.writer.requests(for: .enrolled, at: Instant(milliseconds: 1), in: context)
        let body = String(decoding: try #require(requests.first).body, as: UTF8.self)
        #expect(body.contains(#""studyVersion":\#(version),"studySubVersion":\#(subVersion),"#), "\(body)")
    }

    /// `Study.finishJSON` of the app (f750e58): a participant keeps an arm when a new version has no groups.
    @Test(
        arguments: [
            (0, nil, 0), (0, "2", 0), (1, nil, 1), (1, "2", 1), (2, nil, 0), (2, "1", 1), (2, "2", 2),
        ] as [(Int, String?, Int)])
    func theGroupIsThatOfTheArmWhereThereAreSeveral(_ groups: Int, _ arm: String?, _ sent: Int) throws {
        let study = try ESMiraSample.study(ESMiraSample.pages, #","randomGroups":\#(groups)"#)
        #expect(try #require(study.writer as? ESMiraWriter).study.group(arm) == sent)
    }

    /// Answers of ESMira-web 3.5.1 as they were recorded, and bodies that are none.
    @Test(arguments: [
        (
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":1,"success":true}],"tokens":{}}}"#,
            "delivered"
        ),
        (
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":1,"success":false,"error":"Too many requests in succession"}],"tokens":{}}}"#,
            "retry"
        ),
        (
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":1,"success":false,"error":"Study is locked"}],"tokens":{}}}"#,
            "retry"
        ),
        (
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":11,"success":false,"error":"Wrong accessKey: bad"}],"tokens":{}}}"#,
            "refused"
        ),
        (
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":12,"success":false,"error":"Questionnaire 'EMA' (id=99) does not exist"}],"tokens":{}}}"#,
            "refused"
        ),
        // What `UserDataStoreFS.php` and `CreateDataSet.php` of ESMira-web 0750ca3 say of files that they cannot open.
        (
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":1,"success":false,"error":"Internal token error"}],"tokens":{}}}"#,
            "retry"
        ),
        (
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":1,"success":false,"error":"Study 4711 seems to be broken"}],"tokens":{}}}"#,
            "retry"
        ),
        (#"{"success":false,"serverVersion":11,"error":"This app is outdated. Aborting","errorCode":0}"#, "refused"),
        (#"{"success":false,"serverVersion":11,"error":"Server is not ready.","errorCode":0}"#, "retry"),
        ("<html>Fatal error</html>", "retry"), ("", "retry"), ("{}", "retry"), ("[]", "retry"),
        (#"{"success":true,"dataset":{}}"#, "retry"),
    ])
    func anAnswerMeansWhatItsBodySays(body: String, meaning: String) {
        let verdict = ESMiraWire().verdict(status: 200, body: Array(body.utf8))
        #expect("\(verdict)".hasPrefix(meaning), "\(verdict)")
    }

    /// `dataset_server_timeout` of `configs.default.php` (ESMira-web 0750ca3) is 1000 ms between
    /// two requests of a participant.
    @Test func requestsAreFurtherApartThanTheServerWants() {
        #expect(ESMiraWire().minimumInterval > .milliseconds(1_000) && ESMiraWire().storesTwice)
    }

    @Test func everyEventOfTheAppIsSentAsTheStudyWantsIt() throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"sumScores":[{"name":"sum","addList":["mood","missing"]}]"#,
            #","randomGroups":2,"accessKeys":["studyd"],"eventUploadSettings":{"reminder":true,"quit":false}"#)
        let context = WireContext(
            study: study, enrolment: Joined.context("2").enrolment, zone: .utc, postURL: "https://s.example/x")
        let now = Instant(milliseconds: 1_795_245_120_000)
        let occurrence = Occurrence(
            id: "50001/1", task: "50001", taskIndex: 0, number: 1, local: Self.noon, due: now, expires: nil)
        func sent(_ report: Report) -> String? {
            study.writer.requests(for: report, at: now, in: context).first.map {
                String(decoding: $0.body, as: UTF8.self)
            }
        }
        let joined = try #require(sent(.enrolled))
        #expect(joined.contains(#""group":2"#) && joined.contains(#""accessKey":"studyd""#))
        #expect(
            joined.contains(
                #""eventType":"joined","timezone":"UTC","timezoneOffset":0,"responseTime":1795245120000,"localDateTime":"11/21/26 7:12 AM""#
            ))
        #expect(sent(.withdrawn(deletesData: false)) == nil)
        #expect(sent(.unanswered(occurrence)) == nil)
        #expect(try #require(sent(.reminded(occurrence))).contains(#""actionScheduledTo":"1795245120000""#))
        let submission = Submission(
            task: "50001", occurrence: occurrence, order: ["mood"], answers: ["mood": .number(3)], drawn: [],
            submitted: now)
        let answers = try #require(sent(.submitted(submission)))
        #expect(
            answers.contains(#""questionnaireName":"EMA","questionnaireInternalId":50001,"eventType":"questionnaire""#))
        #expect(
            answers.contains(
                #""responses":{"mood":"3","sum":"3","formDuration":"0","pageDurations":"0","lastInvitation":"1795245120000""#
            ))
    }

    /// Answered until twelve minutes after the prompt; reminders after five and ten are given only until it is opened,
    /// perhaps in a run that was left. The clock may have been put back since.
    @Test(
        arguments: [
            (nil, 2, 0), (nil, 301, 300), (nil, 700, 600), (2, 700, 0), (301, 700, 300), (700, 301, 300),
        ] as [(Int?, Int, Int)])
    func theLastInvitationIsTheLastSignalBeforeItWasOpened(first: Int?, begun: Int, invited: Int) throws {
        let study = try ESMiraSample.study(ESMiraSample.pages)
        let context = WireContext(
            study: study, enrolment: Joined.context().enrolment, zone: .utc, postURL: "https://s.example/x")
        let due = Instant(milliseconds: 1_795_245_120_000)
        var occurrence = Occurrence(
            id: "50001/1", task: "50001", taskIndex: 0, number: 1, local: Self.noon, due: due, expires: nil)
        occurrence.calls.reminders = [due + .seconds(300), due + .seconds(600)]
        let end = due + .seconds(720)
        var submission = Submission(
            task: "50001", occurrence: occurrence, order: ["mood"], answers: ["mood": .number(3)], drawn: [],
            submitted: end,
            course: RunCourse(id: "e-1", began: due + .seconds(begun), ended: end, visits: [], recorded: []))
        submission.firstOpened = first.map { due + .seconds($0) }
        let sent = study.writer.requests(for: .submitted(submission), at: end, in: context).map {
            String(decoding: $0.body, as: UTF8.self)
        }
        let told = #""lastInvitation":"\#(1_795_245_120_000 + invited * 1_000)""#
        #expect(sent.first?.contains(told) == true, "\(sent)")
    }

    /// The editor offers both for a sum (`StudyDataValues.ts`, ESMira-web 0750ca3), and the app has them in
    /// the dataset when it adds (`Questionnaire.kt:332`, `DataSet.kt:189`, ESMira-apps f750e58).
    @Test(arguments: [("5", "8", "13"), ("2.5", "3", "8"), ("", "3", "8")])
    func aSumAddsWhatAScriptGaveAndTheSumsBeforeIt(made: String, first: String, second: String) throws {
        let sums =
            #"{"name":"first","addList":["mood","made"]},{"name":"second","addList":["first","late","five"],"subtractList":["none"]},{"name":"late","addList":["mood"]}"#
        let study = try ESMiraSample.study(
            #""pages":[{"inputs":[{"name":"mood","responseType":"likert"},{"name":"five","responseType":"number"}]}],"virtualInputs":["made"],"sumScores":[\#(sums)]"#
        )
        let fields = try ESMiraSample.questionnaire(of: study).fields([
            "mood": .number(3), "five": .number(5), ESMiraQuestionnaire.virtualKey("made"): .text(made),
        ])
        let values = Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
        #expect(values["made"] == made && values["late"] == "3")
        #expect(values["first"] == first && values["second"] == second)
    }

    /// The editor leaves out the name that is its default, and the app has the same (`SumScore.ts:4`, ESMira-web
    /// 0750ca3; `SumScore.kt:10`, ESMira-apps f750e58).
    @Test(arguments: [("", "unknown"), (#""name":"sum","#, "sum")])
    func aSumWithoutANameIsUnknown(_ name: String, _ sent: String) throws {
        let study = try ESMiraSample.study(#"\#(ESMiraSample.pages),"sumScores":[{\#(name)"addList":["mood"]}]"#)
        let fields = try ESMiraSample.questionnaire(of: study).fields(["mood": .number(3)])
        #expect(fields.last?.name == sent && fields.last?.value == "3")
    }

    /// Leaving page n for a later one is `savePage(n + 1)` (`MainActivity.kt:490`), which fills the list up to
    /// it or overwrites its time; `saveQuestionnaire` adds the rest (`QuestionnaireCache.kt:98`,
    /// `DataSet.kt:172`, ESMira-apps f750e58). A step is presented every second.
    @Test(arguments: [
        ("", "0"), ("a", "1000"), ("a a2 a", "3000"), ("a b c", "1000,1000,1000"), ("a a2 b", "2000,1000"),
        // Back to a page: its time goes on.
        ("a b a b", "3000,1000"), ("a b c b c", "1000,3000,1000"), ("a b c b a b c", "5000,1000,1000"),
        ("a b a", "1000,2000"),
        // Past a page.
        ("a c", "1000,1000"), ("a c d", "1000,1000,0,1000"), ("c d", "1000,0,0,1000"), ("a d", "1000,1000"),
    ])
    func aPageHasOneDurationHoweverOftenItWasShown(_ steps: String, _ durations: String) throws {
        let pages = ["a", "b", "c", "d"].map { #"{"inputs":[{"name":"\#($0)"},{"name":"\#($0)2"}]}"# }
        let study = try ESMiraSample.study(#""pages":[\#(pages.joined(separator: ","))]"#)
        let began = Instant(milliseconds: 1_795_245_120_000)
        let visits = steps.split(separator: " ").enumerated().map { second, step in
            RunCourse.Visit(
                step: String(step), times: StepTimes(presented: began + .seconds(second), answered: nil))
        }
        let course = RunCourse(
            id: "e-1", began: began, ended: began + .seconds(visits.count), visits: visits, recorded: [])
        let sent = try ESMiraSample.questionnaire(of: study).pageDurations(course)
        #expect(sent.map(String.init).joined(separator: ",") == durations)
    }

    /// `file_uploads.php` and `ResponsesStoreFS::uploadFile` of ESMira-web 3.5.1 say these.
    @Test(arguments: [
        (#"{"success":true,"serverVersion":11,"dataset":[]}"#, "delivered"),
        (#"{"success":false,"serverVersion":11,"error":"Not allowed","errorCode":0}"#, "refused"),
        (#"{"success":false,"serverVersion":11,"error":"Wrong format","errorCode":0}"#, "refused"),
        (#"{"success":false,"serverVersion":11,"error":"File is too big for server","errorCode":0}"#, "refused"),
        (#"{"success":false,"serverVersion":11,"error":"Server is not ready.","errorCode":0}"#, "retry"),
        (#"{"success":false,"serverVersion":11,"error":"Uploading failed","errorCode":0}"#, "retry"),
        ("<html>", "retry"),
    ])
    func anAnswerToAFileMeansWhatItsBodySays(body: String, meaning: String) {
        let request = WireRequest(method: "POST", url: "https://s/api/file_uploads.php", headers: [], body: [])
        let verdict = ESMiraWire().verdict(status: 200, body: Array(body.utf8), to: request)
        #expect("\(verdict)".hasPrefix(meaning), "\(verdict)")
    }

    /// Parts, their order and their names as `Web.postFile` of the app (f750e58) has them.
    @Test func theRecordingOfAnInputForSoundFollowsItsDatasetUnderTheNumberThatIsTheAnswer() throws {
        let study = try ESMiraSample.study(
            #""pages":[{"inputs":[{"name":"say","responseType":"record_audio"},{"name":"tell"},{"name":"turn","responseType":"dynamic_input","subInputs":[{"responseType":"record_audio"}]}]}]"#
        )
        let (writer, wire) = (study.writer, ESMiraWire())
        let context = WireContext(
            study: study, enrolment: Joined.context().enrolment, zone: .utc, postURL: "https://s.example/x")
        func file(_ step: String?) -> RunFile {
            RunFile(task: "50001", step: step, name: "u-50001-1-1-1-1")
        }
        #expect(
            writer.fields(for: file("tell"), in: context) == nil && writer.fields(for: file(nil), in: context) == nil)
        #expect(writer.fields(for: file("turn~part0"), in: context) != nil)
        let fields = try #require(writer.fields(for: file("say"), in: context))
        let questionnaire = try ESMiraSample.questionnaire(of: study)
        let value = questionnaire.fields(["say": .recording("u-50001-1-1-1-1")]).first { $0.name == "say" }?.value
        #expect(value == fields["identifier"] && Int32(value ?? "") ?? 0 > 0)
        let request = try wire.request(carrying: FLACTone.bytes, with: fields)
        #expect(request == (try wire.request(carrying: FLACTone.bytes, with: fields)))
        #expect(request.url == "https://s.example/x/api/file_uploads.php")
        let body = String(decoding: request.body, as: UTF8.self)
        let names = ["userId", "studyId", "dataType", "appVersion", "appType", "serverVersion", "upload"]
        #expect(
            body.split(separator: "name=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
                == names.flatMap { $0 == "upload" ? [$0, value ?? ""] : [$0] })
        #expect(body.contains("Content-Type: video/mp4\r\n\r\n") && body.contains("\r\n\r\nAudio\r\n"))
        #expect(throws: RunFileError.self) { try wire.request(carrying: [1, 2], with: fields) }
    }
}
