// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

/// Studies of FDA MyStudies in virtual time, with schedules that count from what the
/// participant answers.
@Suite struct MyStudiesSimulationTests {
    static let list = """
        {"message":"SUCCESS","activities":[
        {"activityId":"Intake","activityVersion":"1.0","title":"Intake","type":"questionnaire","startTime":"2026-01-01T08:00:00.000-0500",
        "endTime":"","branching":false,"schedulingType":"Regular","frequency":{"type":"One time","runs":[]}},
        {"activityId":"After","activityVersion":"1.0","title":"After","type":"questionnaire","startTime":null,"endTime":null,
        "branching":false,"schedulingType":"AnchorDate","frequency":{"type":"Daily","runs":[{"startTime":"09:00:00","endTime":"20:59:59"}]},
        "anchorDate":{"sourceType":"ActivityResponse","sourceActivityId":"Intake","sourceKey":"day",
        "start":{"anchorDays":2,"time":"09:00:00"},"end":{"anchorDays":0,"repeatInterval":3,"time":"23:59:59"}}}]}
        """

    static func activity(_ id: String, _ step: String) -> String {
        """
        {"activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"\(id)","version":"1.0"},
        "steps":[{"type":"question","title":"?","text":"","skippable":false,\(step)}]}}
        """
    }

    static func study() throws -> LoadedStudy {
        let files = [
            "activityList.json": list,
            "Intake_1.0.json": activity("Intake", #""resultType":"date","key":"day","format":{"style":"Date"}"#),
            "After_1.0.json": activity("After", #""resultType":"boolean","key":"fine","format":{}"#),
        ]
        let all = files.sorted { $0.key < $1.key }.map { StudySource.File(name: $0.key, bytes: Array($0.value.utf8)) }
        return try LoadedStudy(StudyBundle.bytes(all, options: StudyOptions()), origin: "folder")
    }

    /// ResearchKit counts a height in whole centimetres or inches (daba8c9f, `ORKHeightPicker`,
    /// rows of an integer each): 1.86, meant as metres, would be looked for for ever.
    @Test(arguments: [("height", "Metric", 1.86), ("height", "US", 70.123), ("numeric", "", 3.5)])
    func aValueThatCannotBeEnteredIsToldBeforeAnythingBegins(_ type: String, _ system: String, _ value: Double) throws {
        let format =
            type == "height"
            ? #"{"measurementSystem":"\#(system)"}"# : #"{"style":"Integer","minValue":0,"maxValue":9}"#
        let step = #""resultType":"\#(type)","key":"tall","format":\#(format)"#
        let list = Self.list.replacing("After", with: "Intake2")
        let files = [
            "Intake_1.0.json": Self.activity("Intake", step),
            "Intake2_1.0.json": Self.activity("Intake2", #""resultType":"boolean","key":"fine","format":{}"#),
            "activityList.json": list.replacing(#""sourceKey":"day""#, with: #""sourceKey":"tall""#),
        ]
        let all = files.sorted { $0.key < $1.key }.map { StudySource.File(name: $0.key, bytes: Array($0.value.utf8)) }
        let loaded = try LoadedStudy(StudyBundle.bytes(all, options: StudyOptions()), origin: "folder")
        let error = #expect(throws: (any Error).self) {
            _ = try StudySimulation(
                loaded, context: AgentFixture.context(loaded.study),
                panel: AgentFixture.panel(["a", "b", "c"]), participant: Participant(answers: ["tall": .number(value)]),
                postURL: "http://127.0.0.1:1/x.api", days: 3)
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("tall") && text.contains("does not fit"), "\(text)")
    }

    @Test func anActivityWaitsForTheDateOfAnotherAndThenRunsToItsEnd() async throws {
        let loaded = try Self.study()
        let context = try AgentFixture.context(loaded.study)
        #expect(Planner(study: loaded.study, context: context).plan.occurrences.map(\.task) == ["Intake"])
        var simulation = try StudySimulation(
            loaded, context: context,
            panel: AgentFixture.panel(["a", "b", "c"]),
            participant: Participant(answers: ["day": .string("2026-03-25")]),
            postURL: "http://127.0.0.1:1/x.api", days: 30)
        var bodies: [String] = []
        let (lines, ledger, _) = try simulation.run { bodies.append(String(decoding: $0.body, as: UTF8.self)) }
        #expect(lines.map(\.occurrence.id) == ["Intake/1", "After/1", "After/2", "After/3", "After/4"])
        #expect(lines.allSatisfy { $0.outcome == .completed })
        let days = lines.dropFirst().map { "\(context.zone.local($0.occurrence.due).date)" }
        // Two days after the date, then daily to the day three days later, as the app counts.
        #expect(days == ["2026-03-27", "2026-03-28", "2026-03-29", "2026-03-30"])
        #expect(bodies.count == 5 && ledger.isBalanced)
        #expect(bodies[0].firstRange(of: "2026-03-25") != nil, "\(bodies[0])")
    }
}
