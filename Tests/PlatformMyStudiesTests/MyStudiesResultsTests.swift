// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import PlatformFixtures
import Study
import Testing

@testable import PlatformMyStudies

/// Step results as the iOS app makes them (FDA-MyStudies iOS 9091edbe, `ActivityStepResult.swift`).
@Suite struct MyStudiesResultsTests {
    static let form = """
        {"type":"form","resultType":"grouped","key":"f","title":"","text":"","skippable":true,"repeatable":false,"destinations":[],"steps":[
        {"type":"question","resultType":"boolean","key":"a","title":"?","text":"","skippable":true,"format":{}},
        {"type":"question","resultType":"numeric","key":"b","title":"?","text":"","skippable":true,"format":{"style":"Integer"}}]}
        """

    /// Of the one form: whether it is skipped, and of each question key, whether it is
    /// skipped, and its value.
    static func form(_ answers: Answers) throws -> (skipped: Bool?, rounds: [[String]]) {
        let results = try results(form, answers)
        #expect(results.count == 1 && results[0]["resultType"] as? String == "grouped")
        let rounds = try #require(results[0]["value"] as? [[[String: Any]]])
        return (
            results[0]["skipped"] as? Bool,
            rounds.map { round in
                round.map { question in
                    let value = question["value"]
                    let text = (value as? [Any])?.isEmpty == true ? "[]" : (value as? Bool).map { "\($0)" } ?? "none"
                    return
                        "\(question["key"] ?? "") \(question["skipped"] as? Bool == true ? "skipped" : "given") \(text)"
                }
            }
        )
    }

    /// Of an activity of these steps, as another reader of JSON reads what is sent.
    static func results(_ text: String, _ answers: Answers, times: [StepTimes] = []) throws -> [[String: Any]] {
        let task = try MyStudiesReaderTests.activity(text)
        let steps = task.content.steps
        let study = StudyProtocol(
            platform: .mystudies, studyID: "S", texts: StudyTexts(), conditions: [], tasks: [task], postURL: nil,
            writer: MyStudiesWire())
        let context = WireContext(
            study: study, enrolment: Joined.context().enrolment, zone: .utc,
            postURL: "https://r.org/response-processResponse.api")
        let now = Instant(seconds: 1_800_000_000)
        let occurrence = Occurrence(
            id: "A/1", task: "A", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil)
        let own = Dictionary(uniqueKeysWithValues: steps.map { ($0.ownKey, $0.key) })
        let submission = Submission(
            task: "A", occurrence: occurrence, order: steps.map(\.key),
            answers: Dictionary(uniqueKeysWithValues: answers.map { (own[$0.key] ?? "", $0.value) }), drawn: [],
            submitted: now,
            times: Dictionary(
                uniqueKeysWithValues: steps.enumerated().map { place, step in
                    (
                        step.key,
                        times.indices.contains(place)
                            ? times[place] : StepTimes(presented: now - .seconds(9), answered: now)
                    )
                }))
        let body = MyStudiesWire().requests(for: .submitted(submission), at: now, in: context)[0].body
        let root = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let data = root?["data"] as? [String: Any]
        return try #require(data?["results"] as? [[String: Any]])
    }

    /// study-builder compares the values of choices with each other, but not with that of `other`
    /// (GoogleCloudPlatform/fda-mystudies 7f3ea838, questionStep.jsp, `validateForUniqueValue`).
    @Test func choicesOfOneValueAreToldApartAndSentAlike() throws {
        let format =
            #""selectionStyle":"Multiple","textChoices":[{"text":"a","value":"v"},{"text":"b","value":"v"},{"text":"c","value":"v","other":{"textfieldReq":true}}]"#
        let text = MyStudiesActivityTests.question("q", "textChoice", format)
        let steps = try MyStudiesActivityTests.steps(text)
        guard case .choice(let choice)? = steps.first?.format else {
            Issue.record("not a choice")
            return
        }
        let values = choice.options.map(\.value)
        #expect(values == ["v", "v/again/2", "v/again/3"])
        let file = MyStudiesBadInputTests.file("A", "1", text)
        let study = try MyStudiesReader().decode(StudySource(Array(file.utf8)))
        let remarks = study.remarks.map(\.message).filter { $0.contains("the same value") }
        #expect(remarks.count == 2 && zip(remarks, values.dropFirst()).allSatisfy { $0.contains("\"\($1)\"") })
        let words = try #require(steps.last)
        #expect(words.key == "q/other/v/again/3")
        for (value, isAsked) in zip(values, [false, false, true]) {
            #expect(words.visibleWhen?.holds(StudyFacts(answers: ["q": .choices([value])])) == isAsked)
        }
        let results = try Self.results(text, ["q": .choices(values), words.ownKey: .text("yoga")])
        let sent = try #require(results[0]["value"] as? [Any])
        #expect(sent.prefix(2).map { $0 as? String } == ["v", "v"] && sent.count == 3)
        #expect(sent.last as? [String: String] == ["other": "v", "text": "yoga"])
    }

    @Test(arguments: ["now/again/later", "v/again/1", "v/again/", "again/2", "a/b"])
    func aValueWithSlashesIsSentAsItIs(_ value: String) throws {
        let format =
            #""selectionStyle":"Single","textChoices":[{"text":"a","value":"\#(value)"},{"text":"b","value":"v"}]"#
        let text = MyStudiesActivityTests.question("q", "textChoice", format)
        let results = try Self.results(text, ["q": .choices([value])])
        #expect(results[0]["value"] as? [String] == [value])
    }

    /// Its three columns have the server's names and nothing else; what LabKey's `SurveyResult`
    /// passes over stands beside them.
    @Test func aSpanTestSaysHowManyTargetsThereWere() throws {
        let step = """
            {"type":"task","resultType":"spatialSpanMemory","key":"q","title":"","text":"?","skippable":false,"format":{"initialSpan":2,\
            "minimumSpan":2,"maximumSpan":5,"playSpeed":1,"maximumTests":5,"maximumConsecutiveFailures":3,"requireReversal":false}}
            """
        let games = [4, 9].map {
            SpanRecord.Game(sequence: [0, 1], targets: $0, touches: [], status: .success, score: 25)
        }
        let record = SpanRecord(games: games, cap: 4)
        let result = try Self.results(step, ["q": .performance(Performance(record))])[0]
        let value = try #require(result["value"] as? [[String: Any]])
        #expect(value.compactMap { $0["key"] as? String } == ["score", "numberOfGames", "numberOfFailures"])
        #expect(result["gameSizes"] as? [Int] == [4, 9] && result["spanCap"] as? Int == 4)
    }

    /// Else the Response server stores nothing of the run: the column is as long as `maxLength` says, 0 = any.
    @Test(arguments: [(29, true), (30, false), (0, false)])
    func aVoiceMemosNameThatDoesNotFitIsSkipped(_ length: Int, _ isSkipped: Bool) throws {
        let text = MyStudiesActivityTests.question("q", "text", "\"maxLength\":\(length)")
        let results = try Self.results(
            text + "," + MyStudiesBadInputTests.boolean,
            ["q": .recording("ff42512796f9-0-1-18-18-1"), "b": .boolean(true)])
        #expect(results.map { $0["skipped"] as? Bool } == [isSkipped, false])
        #expect(results[0]["value"] as? String == (isSkipped ? nil : "voice:ff42512796f9-0-1-18-18-1"))
        #expect(results[1]["value"] as? Bool == true)
    }

    /// A receiver's line, or a script, may give any number for a place. What is sent is read with
    /// `strtod` of the C library.
    @Test(arguments: [
        (47.123_456_789, -8.5, "47.1234568,-8.5"), (0, -0.0, "0.0,0.0"), (-0.000_000_04, 179.999_999_96, "0.0,180.0"),
        (1.7e308, -1.7e308, "1000000000.0,-1000000000.0"), (.nan, .infinity, "0.0,0.0"),
        (9.3e18, -Double.leastNonzeroMagnitude, "1000000000.0,0.0"),
    ])
    func noPlaceIsTooMuch(_ latitude: Double, _ longitude: Double, _ text: String) throws {
        let results = try Self.results(
            MyStudiesReaderTests.question("location", ""), ["q": .position(latitude: latitude, longitude: longitude)])
        #expect(results.count == 1 && results[0]["value"] as? String == text, "\(results)")
        let numbers = text.split(separator: ",").map { strtod(String($0), nil) }
        for (sent, wanted) in zip(numbers, [latitude, longitude]) where abs(wanted) <= 180 {
            #expect(abs(sent - wanted) <= 0.5001e-7)
        }
    }

    /// `stepResult.endDate`, also of one that was skipped: when the next one came, or at the end.
    @Test func aSkippedQuestionEndsWhenItIsLeft() throws {
        let now = Instant(seconds: 1_800_000_000)
        let spans: [(presented: Int, answered: Int?)] = [(-90, nil), (-60, -50), (-40, nil)]
        let times = spans.map { span in
            StepTimes(presented: now + .seconds(span.presented), answered: span.answered.map { now + .seconds($0) })
        }
        let questions = ["a", "b", "c"].map { MyStudiesActivityTests.question($0) }
        let results = try Self.results(questions.joined(separator: ","), ["b": .boolean(true)], times: times)
        #expect(results.map { $0["skipped"] as? Bool } == [true, false, true])
        let zulu = { (offset: Int) -> String in
            (now + .seconds(offset)).rfc3339(in: .utc, fractionDigits: 3).dropLast(6) + "+0000"
        }
        #expect(results.compactMap { $0["startTime"] as? String } == [-90, -60, -40].map(zulu))
        #expect(results.compactMap { $0["endTime"] as? String } == [-60, -50, 0].map(zulu))
    }

    @Test(arguments: ["Multiple", "Single"]) func aListWithNothingTickedIsSkipped(style: String) throws {
        let text = MyStudiesActivityTests.question(
            "q", "textChoice", #""selectionStyle":"\#(style)","textChoices":[{"text":"a","value":"v"}]"#)
        let cases: [([String], Bool)] = [([], true), (["v"], false)]
        for (values, isSkipped) in cases {
            let result = try Self.results(text, ["q": .choices(values)])[0]
            #expect(result["skipped"] as? Bool == isSkipped && (result["value"] as? [String])?.isEmpty != true)
        }
    }

    /// One page left out: `setResultValue` begins a form with
    /// `self.value = [ActivityStepResult]()`, which stays the value of each question that has no
    /// answer, and `getActivityStepResultDict` calls a question with an empty array skipped; the
    /// form itself has a value and is not skipped.
    @Test func aFormThatIsLeftOutIsItsQuestionsEachSkippedWithAnEmptyArray() throws {
        let form = try Self.form([:])
        #expect(form.skipped == false)
        #expect(form.rounds == [["a skipped []", "b skipped []"]])
    }

    @Test func aQuestionWithoutAnAnswerBesideAnAnsweredOneHasNoValue() throws {
        let form = try Self.form(["a": .boolean(true)])
        #expect(form.skipped == false)
        #expect(form.rounds == [["a given true", "b skipped none"]])
    }
}
