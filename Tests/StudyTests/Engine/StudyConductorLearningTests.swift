// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Due a number of days after a date that another task asks for.
private struct AfterDate: Schedule {
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard case .dateTime(let local)? = context.facts.variables["day"] else { return [] }
        let due = LocalDateTime(local.date.adding(days: 1), .midnight)
        return [
            Occurrence(
                id: "\(task.key)/1", task: task.key, taskIndex: task.index, number: 1, local: due,
                due: context.zone.resolve(due).instant, expires: nil)
        ]
    }
}

@Suite struct StudyConductorLearningTests {
    typealias Bench = StudyConductorTests.Bench

    static func study() -> StudyProtocol {
        let date = Step(key: "when", text: "When?", format: .dateTime(.date))
        let first = Sample.task(
            "first", sections: [Section(name: "", steps: [date], shufflesSteps: false)], at: [10])
        let later = StudyTask(
            key: "later", index: 1, wireName: "later", name: "later", prompt: PromptText(title: "", message: ""),
            condition: nil, schedule: AfterDate(),
            content: Questionnaire(
                sections: [
                    Section(
                        name: "", steps: [Step(key: "q", text: "?", format: .yesNo(yes: "Y", no: "N"))],
                        shufflesSteps: false)
                ], shufflesSections: false, submitText: ""))
        var study = Sample.study([first, later])
        var anchors = AnchorDates()
        anchors.questions = [AnchorRule(task: "first", question: "when", variable: "day")]
        study.anchors = anchors
        study.resources = [
            StudyResource(
                id: "leaflet", title: "Leaflet", text: "", announcement: "Read the leaflet",
                window: .anchored(
                    variable: nil, from: .init(days: 1, time: .midnight), to: .init(days: 2, time: .midnight)))
        ]
        return study
    }

    static func bench() -> Bench {
        var bench = Bench([])
        let planner = Planner(study: study(), context: Sample.context())
        bench.conductor = StudyConductor(
            planner: planner, scheduler: Scheduler(plan: planner.plan), panel: .reference, at: bench.now)
        return bench
    }

    @Test func aDateThatWasAnsweredOpensWhatCountsFromIt() {
        var bench = Self.bench()
        bench.wait(.seconds(600))
        // Now is the date that is offered; each part is taken as it stands, and read back once.
        for _ in 0..<12 where bench.outcomes.isEmpty {
            bench.press(bench.conductor.session.run == nil ? .select : .next)
        }
        for _ in 0..<12 where bench.outcomes.isEmpty { bench.press(.select) }
        #expect(bench.outcomes == ["first/1": .completed])
        let notes = bench.noted()
        #expect(notes.contains("submitted") && notes.contains("variableSet"))
        #expect(bench.conductor.scheduler.occurrence("later/1") != nil)
    }

    /// From the server, or as a command has put it into the log.
    @Test(arguments: [false, true]) func aValueIsInTheLogOnceAndChangesThePlan(isLogged: Bool) {
        var bench = Self.bench()
        let day = LocalDateTime(Zone.utc.local(Sample.start).date, .midnight)
        let values: [String: AnswerValue] = ["day": .dateTime(day)]
        bench.send(isLogged ? .loggedVariables(values) : .variables(values))
        #expect(bench.noted() == (isLogged ? [] : ["variableSet"]))
        #expect(bench.conductor.scheduler.occurrence("later/1")?.due == Sample.instant(2026, 3, 3, 0, 0))
        bench.send(.variables(values))
        #expect(bench.noted().isEmpty)
    }

    @Test func whatTheServerSaysIsNoted() {
        var bench = Self.bench()
        bench.send(.studyStatus("Paused", isPaused: true))
        #expect(bench.noted() == ["serverFact"] && bench.conductor.scheduler.isPaused)
        bench.send(.message(text: nil, record: "{}"))
        bench.send(.message(text: "Hello", record: "{}"))
        bench.send(.studyVersion("1.2"))
        #expect(bench.noted() == ["serverFact", "serverFact", "serverFact"])
        bench.send(.retired(["later"]))
        #expect(bench.noted() == ["serverFact"])
        bench.send(.retired(["later"]))
        #expect(bench.noted().isEmpty)
    }

    @Test func aLeafletIsAnnouncedWhenItOpens() {
        var bench = Self.bench()
        bench.wait(.seconds(13 * 3_600))
        #expect(!bench.noted().contains("serverFact"))
        bench.wait(.seconds(2 * 3_600))
        #expect(bench.noted().contains("serverFact"))
        bench.wait(.seconds(48 * 3_600))
        #expect(!bench.noted().contains("serverFact"))
    }
}
