// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformMyStudies

/// What is wrong in metadata is refused at enrolment, or taken by a rule that `validate` prints:
/// the words of both.
@Suite struct MyStudiesBadInputTests {
    static func question(_ type: String, _ format: String, _ more: String = "", key: String = "q") -> String {
        #"{"type":"question","resultType":"\#(type)","key":"\#(key)","title":"?","text":"","format":{\#(format)}\#(more)}"#
    }
    static let boolean = question("boolean", "", key: "b")

    /// `study.toml` is read as `study.json`: of two files that say whose the study is, one would not
    /// be followed. That which the receiver serves (`studies/mystudies`) says nothing of that.
    @Test func settingsAreThereOnce() throws {
        func read(_ first: String) throws -> StudyProtocol {
            let files = [
                ("A.json", Self.file("A", "1", Self.boolean)), ("study.json", first),
                ("study.json", #"{"identifier":"T","response_url":"https://r.example/"}"#),
            ].map { StudySource.File(name: $0.0, bytes: Array($0.1.utf8)) }
            return try MyStudiesReader().decode(StudySource(files: files))
        }
        let study = try read(#"{"studyVersion":"1.0","status":"Active"}"#)
        #expect(study.studyID == "T" && study.postURL == "https://r.example/")
        let error = #expect(throws: StudyFormatError.self) { try read(#"{"identifier":"S"}"#) }
        #expect(
            error?.problems.map(\.expected) == ["the study's identifier in one file, study.toml or study.json"])
    }

    @Test func theFileThatIsNoJSONIsNamed() {
        let files = [("A.json", Self.file("A", "1", Self.boolean)), ("B.json", "{\n'activity'}")]
            .map { StudySource.File(name: $0.0, bytes: Array($0.1.utf8)) }
        let error = #expect(throws: StudyFormatError.self) { try MyStudiesReader().decode(StudySource(files: files)) }
        #expect(error?.problems.map(\.path) == ["B.json:$"] && error?.problems.first?.line == 2)
    }

    static func ways(_ destinations: String) -> String { #","destinations":[\#(destinations)]"# }
    static let number = question("numeric", "")
    static let hidden = question("boolean", "", #","hidden":true,"sourceQuestionKey":"q""#, key: "h")
    /// A question with that logic, and a hidden step.
    static func leading(_ logic: String, _ type: String = "numeric", _ format: String = "") -> String {
        question(type, format, #","defaultVisibility":false,"preLoadLogic":{\#(logic)}"#) + "," + hidden
    }

    private static let kickTime = "a number of seconds, or hours and minutes as \"01.30\""
    private static func kicks(_ duration: String) -> String {
        #"{"type":"task","resultType":"fetalKickCounter","key":"t","text":"","format":{"duration":"\#(duration)"}}"#
    }

    static let refusals: [(steps: String, expected: String)] = [
        (#"{"type":"video","resultType":"","key":"v"}"#, "a step type: instruction, question, form, task"),
        (
            question("mood", ""),
            "a result type: scale, continuousScale, textScale, valuePicker, imageChoice, textChoice, boolean, numeric, date, timeOfDay, text, email, timeInterval, height, location"
        ),
        (boolean + "," + boolean, "a unique key"),
        (question("boolean", "", key: "f/a"), "a key without a slash"),
        (
            #"{"type":"form","resultType":"grouped","key":"f","steps":[\#(boolean),\#(boolean)]}"#, "a unique key"
        ),
        (question("scale", #""minValue":5,"maxValue":5"#), "minValue below maxValue, and less than a million places"),
        (question("scale", #""minValue":0,"maxValue":5,"step":6"#), "a step that fits between minValue and maxValue"),
        (question("scale", #""minValue":0,"maxValue":1e9"#), "minValue below maxValue, and less than a million places"),
        (question("scale", #""default":"often""#), "a number"),
        (
            question("continuousScale", #""minValue":3,"maxValue":1"#),
            "minValue below maxValue, and less than a million places"
        ),
        (question("numeric", #""minValue":5,"maxValue":4"#), "minValue not above maxValue"),
        (question("textScale", #""textChoices":[]"#), "at least one choice in textChoices"),
        // PopMedNet's iOS/HPHC/HPHC/JsonFiles/Acivity_Question.json (f29b550), of 2016.
        (question("textChoice", #""textChoices":["Condoms"]"#), "a choice with `text` and `value`"),
        (question("date", #""minDate":"2020-02-01","maxDate":"2020-01-01""#), "minDate not after maxDate"),
        (
            question("date", #""minDate":"31.12.2020""#),
            "a date such as 2017-05-11T08:56:00.000-0400 or 2017-05-11"
        ),
        (question("date", #""dateRange":"someday""#), "a date range: untilCurrent, afterCurrent, custom"),
        (
            question("numeric", "", ways(#"{"condition":"5","operator":"~","destination":""}"#)),
            "an operator: e, ne, gt, lt, gte, lte"
        ),
        (
            question("numeric", "", ways(#"{"condition":"nan","operator":"e","destination":""}"#)),
            "a number, or two separated by a comma"
        ),
        (
            question("numeric", "", ways(#"{"condition":"1,2,3","operator":"","destination":""}"#)),
            "a number, or two separated by a comma"
        ),
        (
            question("numeric", "", ways(#"{"condition":"","operator":"","destination":"nowhere"}"#)),
            "the key of a step of this activity, or \"\""
        ),
        (question("numeric", "", #","destinations":{"default":"b"}"#), "an array of destinations"),
        (question("numeric", "", ways("5")), "a destination"),
        (kicks("soon"), kickTime), (kicks("3600"), kickTime), (kicks("25:00"), kickTime), (kicks("01:60"), kickTime),
        (kicks("-1:00"), kickTime), (kicks("1:2:3"), kickTime), (kicks("01."), kickTime),
        (
            leading(#""value":"5","operator":"==","destinationStepKey":"h""#),
            "as many operators (>, <, >=, <=, =, !=) as values, joined by && or ||"
        ),
        (
            leading(#""value":"5:6","operator":">:&&","destinationStepKey":"h""#),
            "as many operators (>, <, >=, <=, =, !=) as values, joined by && or ||"
        ),
        (
            leading(#""value":"many","operator":">","destinationStepKey":"h""#),
            "a number to compare the answer with"
        ),
    ]

    @Test(arguments: refusals.indices) func whatCannotBeRunIsRefusedInTheseWords(_ index: Int) {
        let (steps, expected) = Self.refusals[index]
        let error = #expect(throws: StudyFormatError.self) { try MyStudiesReaderTests.activity(steps) }
        #expect(error?.problems.map(\.expected) == [expected], "\(steps)")
        #expect(error?.problems.first?.path.hasPrefix("$.activity.steps[") == true)
    }

    static func choice(_ more: String) -> String {
        question("textChoice", #""textChoices":[{"text":"a","value":"1"}]"#, more)
    }

    static let assumptions: [(steps: String, message: String)] = [
        (question("scale", #""step":-1"#), "a step must be above 0; 1 is used"),
        (
            question("scale", #""minValue":0,"maxValue":10,"step":3"#),
            "maxValue is not a whole number of steps above minValue and cannot be chosen"
        ),
        (
            question("scale", #""minValue":0,"maxValue":10,"default":11"#),
            "the default is outside the scale; starting in the middle"
        ),
        (
            question("continuousScale", #""minValue":0,"maxValue":1,"maxFractionDigits":7"#),
            "0 to 4 digits are supported; 4 are used"
        ),
        (
            question("continuousScale", #""minValue":0,"maxValue":1,"maxFractionDigits":4"#),
            "the scale has more than 2000 places: a number is entered instead"
        ),
        (
            question("textScale", #""textChoices":[{"text":"a","value":"1"}],"default":0"#),
            "the default is not a position in the list (counted from 1); the first option is used"
        ),
        (
            question("textScale", #""textChoices":[{"text":"a","value":"1"}],"default":2"#),
            "the default is not a position in the list (counted from 1); the first option is used"
        ),
        (
            question("textChoice", #""selectionStyle":"Many","textChoices":[{"text":"a","value":"1"}]"#),
            "only Single and Multiple are supported; Single is used"
        ),
        (question("numeric", #""style":"Complex""#), "only Integer and Decimal are supported; Integer is used"),
        (
            question("text", "", ways(#"{"condition":"x","operator":"","destination":""}"#)),
            "answers of this kind cannot be compared; this branch is never taken"
        ),
        (question("timeInterval", #""step":90"#), "1 to 30 minutes are supported; 30 is used"),
        (
            question("date", #""dateRange":"untilCurrent","maxDate":"2099-01-01""#),
            "ignored: dateRange is untilCurrent"
        ),
        (
            question("text", #""validationRegex":"[A-Z0-""#),
            "any text is accepted: the pattern is not supported, at character 7: missing terminating ] for character class"
        ),
        (
            question("text", #""maxLength":39"#),
            "a voice memo is sent as skipped if its name, of some 30 characters, is longer than this"
        ),
        (question("text", #""maxLength":9999"#), "by letters at most 500 characters are taken"),
        (
            question("height", #""measurementSystem":"US""#),
            "asked in inches, sent in centimetres"
        ),
        (
            question("location", #""useCurrentLocation":false"#),
            "there is no map to choose from: the device's location is used"
        ),
        (
            choice(ways(#"{"condition":"9","operator":"","destination":""}"#)),
            "no choice has this value; this branch is never taken"
        ),
        (
            question("boolean", "", ways(#"{"condition":"perhaps","operator":"","destination":""}"#)),
            "the answers are true and false; this branch is never taken"
        ),
        (
            question(
                "scale", #""minValue":0,"maxValue":10"#, ways(#"{"condition":"5,2","operator":"","destination":""}"#)),
            "the first number is above the second; this branch is never taken"
        ),
        (
            boolean + "," + question("numeric", "", ways(#"{"condition":"","operator":"","destination":"b"}"#)),
            "leads back to an earlier step; a run that comes to one step 50 times ends there"
        ),
        (
            number + "," + hidden,
            "shown only through a destination: it is hidden, and no question leads to it"
        ),
        (
            leading(#""value":"","operator":"","destinationStepKey":"h""#),
            "shown only through a destination: it is hidden, and no question leads to it"
        ),
        (
            leading(#""value":"5","operator":">","destinationStepKey":"gone""#),
            "leads to no step of this activity, and is not followed"
        ),
        (
            leading(#""value":"1:2:3","operator":">:&&:<:||:>","destinationStepKey":"h""#),
            "&& and || are joined from left to right"
        ),
        (
            leading(
                #""value":"1","operator":">","destinationStepKey":"h""#, "textChoice",
                #""textChoices":[{"text":"a","value":"1"}]"#),
            "such answers can be equal but have no order: it never holds"
        ),
        (
            leading(
                #""value":"9","operator":"=","destinationStepKey":"h""#, "textChoice",
                #""textChoices":[{"text":"a","value":"1"}]"#),
            "no choice has this value"
        ),
        (
            leading(#""value":"9","operator":"=","destinationStepKey":"h""#, "timeOfDay"),
            "answers of this kind are not compared: it never holds"
        ),
        (
            leading(#""value":"5","operator":">","activityId":"Z","destinationStepKey":"z""#),
            "the activity ends there: there is no file for activity \"Z\""
        ),
        (
            question("boolean", "", #","isPiping":true,"pipingLogic":{"pipingSnippet":"","sourceQuestionKey":"q"}"#),
            "no answer is put into the text: pipingSnippet or sourceQuestionKey is empty"
        ),
        (
            question("boolean", "", #","isPiping":true,"pipingLogic":{"pipingSnippet":"$","sourceQuestionKey":"q"}"#),
            "no answer is put into the text: it does not have the pipingSnippet"
        ),
        (
            question("boolean", "", #","isPiping":true,"pipingLogic":{"pipingSnippet":"?","sourceQuestionKey":"zzz"}"#),
            "the pipingSnippet stays in the text: \"zzz\" is not a question of this activity"
        ),
        (
            question(
                "boolean", "",
                #","isPiping":true,"piping":{"pipingSnippet":"?","sourceQuestionKey":"z","activityId":"Z"}"#),
            "the pipingSnippet stays in the text: Z has no question \"z\""
        ),
    ]

    private static func remarks(_ steps: String) throws -> [Remark] {
        let text = """
            {"activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"1.0"},"steps":[\(steps)]}}
            """
        return try MyStudiesReader().decode(StudySource(Array(text.utf8))).remarks
    }

    @Test(arguments: assumptions.indices) func whatIsTakenByARuleSaysSoInTheseWords(_ index: Int) throws {
        let (steps, message) = Self.assumptions[index]
        let remarks = try Self.remarks(steps)
        #expect(remarks.contains { $0.message == message && $0.path.contains("steps[") }, "\(remarks.map(\.message))")
    }

    @Test(arguments: [0, 40, 500]) func aTextThatHasRoomForAVoiceMemosNameIsNotRemarkedOn(_ length: Int) throws {
        let remarks = try Self.remarks(Self.question("text", "\"maxLength\":\(length)"))
        #expect(!remarks.contains { $0.message.contains("voice memo") }, "\(remarks.map(\.message))")
    }

    /// The ends are as many whole steps apart as can be, up to what binary fractions leave over.
    @Test(arguments: [
        #""minValue":1,"maxValue":10,"step":3"#, #""minValue":0,"maxValue":1,"step":0.1"#,
        #""minValue":0,"maxValue":0.3,"step":0.1"#, #""minValue":-5,"maxValue":5"#,
        #""minValue":0,"maxValue":7,"step":7"#,
    ])
    func aScaleOfWholeStepsIsNotRemarkedOn(_ format: String) throws {
        let remarks = try Self.remarks(Self.question("scale", format))
        #expect(!remarks.contains { $0.message.contains("whole number of steps") }, "\(remarks.map(\.message))")
    }

    static func folder(list: String, _ activities: String...) -> StudySource {
        var files = activities.enumerated().map { StudySource.File(name: "\($0).json", bytes: Array($1.utf8)) }
        files.append(.init(name: "activityList.json", bytes: Array(#"{"activities":[\#(list)]}"#.utf8)))
        return StudySource(files: files)
    }
    static func listed(_ id: String, _ version: String, _ more: String = "") -> String {
        #"{"activityId":"\#(id)","activityVersion":"\#(version)","title":"t","type":"questionnaire","state":"active","startTime":"2026-01-01T00:00:00.000-0400","endTime":"","branching":true,"schedulingType":"Regular","frequency":{"type":"One time","runs":[]}\#(more)}"#
    }
    static func file(
        _ id: String, _ version: String, _ steps: String, type: String = "questionnaire", study: String = "S"
    )
        -> String
    {
        #"{"activity":{"type":"\#(type)","metadata":{"studyId":"\#(study)","activityId":"\#(id)","version":"\#(version)"},"steps":[\#(steps)]}}"#
    }
    static let towers =
        #"{"type":"task","resultType":"towerOfHanoi","key":"t","text":"do it","format":{"numberOfDisks":3}}"#

    /// As iOS shows them (ActivitiesViewController): `state == "active" || state == nil`.
    static func deleted(_ id: String) -> String {
        listed(id, "1.0").replacing(#""state":"active""#, with: #""state":"deleted""#)
    }

    static let folders: [(StudySource, refused: String?, remark: String?)] = [
        (
            folder(list: listed("A", "1.0") + "," + deleted("B"), file("A", "1.0", boolean)), nil,
            "B was deleted: it is neither asked nor shown"
        ),
        (folder(list: deleted("B")), nil, "B was deleted: it is neither asked nor shown"),
        (
            folder(list: deleted("A") + "," + listed("A", "2.0"), file("A", "2.0", boolean)), nil,
            "A was deleted: it is neither asked nor shown"
        ),
        (
            folder(list: listed("A", "2.0"), file("A", "1.0", boolean)),
            "the metadata of A in version 2.0 among the files", nil
        ),
        (
            folder(list: listed("A", "1.0"), file("B", "1.0", boolean)),
            "the metadata of A in version 1.0 among the files", nil
        ),
        (
            folder(list: listed("A", "1.0") + "," + listed("A", "1.0"), file("A", "1.0", boolean)),
            "a unique activityId", nil
        ),
        (
            folder(list: listed("A", "1.0"), file("A", "1.0", towers, type: "task")), nil,
            "the list says questionnaire, the activity task: its steps decide what it is"
        ),
        (
            folder(list: listed("A", "1.0", #","taskSubType":"fetalKickCounter""#), file("A", "1.0", towers)), nil,
            "the activity's step is towerOfHanoi: that is done"
        ),
        (
            folder(list: listed("A", "1.0"), file("A", "1.0", towers + "," + boolean)), nil,
            "an active task together with other steps: they are done in order, and sent as a task"
        ),
        (
            folder(
                list: listed("A", "1.0") + "," + listed("B", "1.0"), file("A", "1.0", boolean),
                file("B", "1.0", boolean, study: "T")), nil, "taken as an activity of the study S"
        ),
        (
            folder(
                list: listed("A", "1.0"),
                file("A", "1.0", leading(#""value":"5","operator":">","activityId":"Z""#))),
            "an activity of this study where the answer to q leads", nil
        ),
        (
            folder(
                list: listed("A", "1.0") + "," + listed("B", "1.0"),
                file(
                    "A", "1.0",
                    leading(#""value":"5","operator":">","activityId":"B","destinationStepKey":"x""#)),
                file("B", "1.0", boolean)), nil, "B begins with its first step: it has no step \"x\""
        ),
        (
            folder(
                list: listed("A", "1.0") + "," + deleted("B"),
                file(
                    "A", "1.0",
                    leading(#""value":"5","operator":">","activityId":"B","destinationStepKey":"x""#))), nil,
            "the activity ends there: \"B\" was deleted"
        ),
    ]

    @Test(arguments: folders.indices) func contradictionsOfListAndActivitiesAreRefusedOrRemarked(_ index: Int) throws {
        let (source, refused, remark) = Self.folders[index]
        if let refused {
            let error = #expect(throws: StudyFormatError.self) { try MyStudiesReader().decode(source) }
            let problem = error?.problems.first { $0.expected == refused }
            #expect(problem?.path.hasPrefix("activityList.json:") == true, "\(String(describing: error))")
        } else if let remark {
            let remarks = try MyStudiesReader().decode(source).remarks
            #expect(remarks.contains { $0.message == remark }, "\(remarks.map(\.message))")
        }
    }

    @Test(arguments: [
        ("20:00:00", "02:00:00", true), ("08:00:00", "08:00:00", true), ("08:00:00", "08:00:01", false),
        ("00:00:00", "23:59:59", false),
    ])
    func aRunOfADayThatDoesNotEndAfterItsStartIsWarnedOf(start: String, end: String, isWarned: Bool) throws {
        let daily = #"{"type":"Daily","runs":[{"startTime":"\#(start)","endTime":"\#(end)"}]}"#
        let list = Self.listed("A", "1.0").replacing(#"{"type":"One time","runs":[]}"#, with: daily)
        let study = try MyStudiesReader().decode(Self.folder(list: list, Self.file("A", "1.0", Self.boolean)))
        let warned = study.remarks.filter { $0.kind == .warning && $0.message.contains("never opens") }
        #expect(warned.count == (isWarned ? 1 : 0), "\(study.remarks)")
    }

    @Test(arguments: [
        (#""endDays":1,"startTime":"20:00:00","endTime":"08:00:00""#, true), (#""endDays":1,"time":"08:00:00""#, true),
        (#""endDays":1,"startTime":"08:00:00","endTime":"20:00:00""#, false), (#""endDays":1"#, false),
        (#""endDays":2,"startTime":"20:00:00","endTime":"08:00:00""#, false),
    ])
    func aRunFromAnAnchorThatDoesNotEndAfterItsStartIsWarnedOf(times: String, isWarned: Bool) throws {
        let runs = #"{"type":"Manually Schedule","runs":[],"anchorRuns":[{"startDays":1,\#(times)}]}"#
        let list = Self.listed("A", "1.0", #","anchorDate":{"sourceType":"EnrollmentDate"}"#)
            .replacing(#"{"type":"One time","runs":[]}"#, with: runs)
            .replacing(#""schedulingType":"Regular""#, with: #""schedulingType":"AnchorDate""#)
        let study = try MyStudiesReader().decode(Self.folder(list: list, Self.file("A", "1.0", Self.boolean)))
        let warned = study.remarks.filter { $0.kind == .warning && $0.message.contains("never opens") }
        #expect(warned.count == (isWarned ? 1 : 0), "\(study.remarks)")
    }

    /// The study is that of the first activity that says one; an activity that names none contradicts none.
    @Test(arguments: [("S", "T", true), ("S", "S", false), ("S", "", false), ("", "T", false), ("", "", false)])
    func anActivityOfAnotherStudyIsRemarkedOn(first: String, second: String, isRemarked: Bool) throws {
        let source = Self.folder(
            list: Self.listed("A", "1.0") + "," + Self.listed("B", "1.0"),
            Self.file("A", "1.0", Self.boolean, study: first), Self.file("B", "1.0", Self.boolean, study: second))
        let remarks = try MyStudiesReader().decode(source).remarks.filter { $0.path.hasSuffix(".metadata.studyId") }
        #expect(remarks.map(\.message) == (isRemarked ? ["taken as an activity of the study S"] : []))
    }

    /// A list that says nothing, or the same in other letters, contradicts nothing.
    @Test(arguments: [
        (#"{"type":"questionnaire"}"#, #"{"type":"task"}"#, true), (#"{"type":"Task"}"#, #"{"type":"taSK"}"#, false),
        (#"{"type":""}"#, #"{"type":"task"}"#, false), (#"{"type":"task"}"#, #"{"type":""}"#, false),
        (#"{"type":""}"#, #"{"type":""}"#, false), ("{}", #"{"type":"task"}"#, false),
        (#"{"type":"task"}"#, "{}", false), (#"{"type":"task"}"#, #"{"type":null}"#, false),
    ])
    func theListIsHeldAgainstAnActivityThatSaysWhatItIs(listed: String, activity: String, isRemarked: Bool) throws {
        var findings = Findings()
        let (list, own) = try (JSONNode(Array(listed.utf8)), JSONNode(Array(activity.utf8)))
        MyStudiesContradictions.compare(JSONPlace(root: list), with: JSONPlace(root: own), &findings)
        let words = "the list says questionnaire, the activity task: its steps decide what it is"
        #expect(findings.remarks.map(\.message) == (isRemarked ? [words] : []))
    }

    /// Without a list the files of two versions are two activities of one key.
    @Test func twoFilesOfOneActivityAreRefusedWithoutAList() throws {
        let files = ["1.0", "1.1"].map { version in
            StudySource.File(name: "A_\(version).json", bytes: Array(Self.file("A", version, Self.boolean).utf8))
        }
        let error = #expect(throws: StudyFormatError.self) { try MyStudiesReader().decode(StudySource(files: files)) }
        #expect(error?.problems.map(\.expected) == ["a unique activityId"], "\(String(describing: error))")
        #expect(try MyStudiesReader().decode(StudySource(files: [files[0]])).tasks.map(\.key) == ["A"])
    }

    /// Whatever value stands anywhere, reading ends with a study or with an explanation.
    @Test func oddValuesAnywhereAreTakenOrExplained() throws {
        let steps = Self.assumptions.enumerated().map { index, item in
            item.steps.split(separator: "\"key\":\"", omittingEmptySubsequences: false).joined(
                separator: "\"key\":\"\(index)")
        }
        let root = try JSONNode(Array(Self.file("A", "1.0", steps.joined(separator: ",")).utf8))
        var generator = SplitMix64(seed: 4)
        for _ in 0..<400 {
            var count = generator.below(900)
            let tree = OddJSON.replacing(
                root, &count, by: OddJSON.odd[generator.below(OddJSON.odd.count)])
            var decoder = MyStudiesDecoder([JSONPlace(root: tree)], options: StudyOptions())
            do { _ = try decoder.study() } catch { #expect(!error.problems.isEmpty) }
        }
    }
}
