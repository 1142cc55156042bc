// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Study

@Suite struct PipingTests {
    private struct Never: Schedule {
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
    }

    private static func task(_ key: String, _ steps: [Step]) -> StudyTask {
        StudyTask(
            key: key, index: 0, wireName: key, name: key, prompt: PromptText(title: "", message: ""), condition: nil,
            schedule: Never(),
            content: Questionnaire(steps))
    }

    private static let study = StudyProtocol(
        platform: PlatformName(rawValue: "mystudies"), studyID: "S", texts: StudyTexts(), conditions: [],
        tasks: [
            task("A", [Step(key: "name", text: "?", format: .text(multiline: false))]),
            task(
                "B",
                [
                    Step(
                        key: "x", text: "Hello $", format: .instruction,
                        variation: .piped(Piping(snippet: "$", question: "name", task: "A"))),
                    Step(
                        key: "y", text: "And $", format: .instruction,
                        variation: .piped(Piping(snippet: "$", question: "x"))),
                ]),
        ], postURL: nil, writer: NoReports())

    private static func submission(_ task: String, _ answers: Answers) -> Submission {
        let local = LocalDateTime(LocalDate(daysSinceEpoch: 0), .midnight)
        let occurrence = Occurrence(
            id: "\(task)/1", task: task, taskIndex: 0, number: 1, local: local, due: Instant(nanoseconds: 0),
            expires: nil)
        return Submission(
            task: task, occurrence: occurrence, order: [], answers: answers, drawn: [],
            submitted: Instant(nanoseconds: 0))
    }

    @Test func onlyAnswersThatOtherTasksTakeInAreKeptAndTheLastCounts() {
        let kept = Self.study.pipedAnswers(of: Self.submission("A", ["name": .text("Ada"), "age": .number(3)]))
        #expect(kept.map(\.variable) == ["answer/A/name"] && kept.map(\.value) == [.text("Ada")])
        let cleared = Self.study.pipedAnswers(of: Self.submission("A", [:]))
        #expect(cleared.map(\.variable) == ["answer/A/name"] && cleared.map(\.value) == [.cleared])
        #expect(Self.study.pipedAnswers(of: Self.submission("B", ["x": .boolean(true)])).isEmpty)
    }

    @Test func theAnswerIsThatOfTheRunOrOfTheFact() {
        let facts = StudyFacts(variables: ["answer/A/name": .text("Ada")], answers: ["name": .text("Bo")])
        #expect(Piping(snippet: "$", question: "name", task: "A").answer(in: facts) == .text("Ada"))
        #expect(Piping(snippet: "$", question: "name").answer(in: facts) == .text("Bo"))
        #expect(Piping(snippet: "$", question: "none").answer(in: facts) == nil)
    }
}
