// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Recorders in the background of a run, started and stopped through edges as a finger makes them.
struct RunRecordersTests {
    static let whole = TaskRecorder(identifier: "whole", kinds: [.accelerometer])
    static let second = TaskRecorder(identifier: "second", kinds: [.sound], startStep: "b", stopStep: "b")
    static let short = TaskRecorder(
        identifier: "short", kinds: [.position], startStep: "a", duration: .milliseconds(700))

    /// `b` is a question like the others unless it is another format.
    static func bench(
        _ recorders: [TaskRecorder], b: AnswerFormat = .yesNo(yes: "Yes", no: "No")
    ) -> PanelBench {
        let plain = PanelFixtures.task(
            ["a", "b", "c"].map {
                Step(key: $0, text: $0, format: $0 == "b" ? b : .yesNo(yes: "Yes", no: "No"), isRequired: false)
            })
        let task = StudyTask(
            key: plain.key, index: 0, wireName: plain.wireName, name: plain.name, prompt: plain.prompt, condition: nil,
            schedule: NeverDue(), content: plain.content, recorders: recorders)
        var bench = PanelBench(.reference, tasks: [task])
        bench.send(.listItems([ListItem(id: "task", name: "task")]))
        bench.reach(.openItem("task"))
        return bench
    }

    /// Starts, stops and the end of the run, in order.
    static func story(_ bench: PanelBench) -> [String] {
        bench.effects.flatMap { effect -> [String] in
            switch effect {
            case .device(.startRecorders(let recordings)):
                recordings.map { "start \($0.recorder.identifier) at \($0.step)" }
            case .device(.stopRecorders(let ids)): ids.map { "stop \($0)" }
            case .submitted: ["submitted"]
            case .runLeft: ["left"]
            default: []
            }
        }
    }

    @Test func aRecorderWithoutStepsRunsFromTheFirstTellingToTheEndOfTheRun() {
        var bench = Self.bench([Self.whole])
        #expect(Self.story(bench) == ["start whole at a"])
        for _ in 0..<3 { bench.reach(.answer(.answer(.boolean(true)))) }
        bench.reach(.submit)
        bench.wait(.seconds(3))
        #expect(Self.story(bench) == ["start whole at a", "stop run/whole/1", "submitted"])
        let spans = bench.submitted?.recorders ?? []
        #expect(spans.count == 1 && spans.first?.began == bench.submitted?.began)
        #expect(spans.first?.ended == bench.submitted?.ended && bench.submitted?.id == "run")
    }

    @Test func aRecorderStartsWithItsStepAndStopsWhenThatIsLeft() {
        var bench = Self.bench([Self.second])
        #expect(Self.story(bench) == [])
        bench.reach(.answer(.answer(.boolean(true))))
        #expect(Self.story(bench) == ["start second at b"])
        bench.reach(.answer(.answer(.boolean(true))))
        #expect(Self.story(bench) == ["start second at b", "stop run/second/1"])
    }

    /// `RSDActiveStepViewController.timerFinished` (SageResearch ddc72f18): a step that then waits for a press stops its
    /// recorders, one that goes on by itself leaves that to the way on.
    @Test(arguments: [false, true]) func aRecorderStopsWhenTheTimeOfItsStepIsOver(goesOn: Bool) throws {
        var rules = TimedStepRules(name: "active", duration: .seconds(30))
        (rules.beginsByItself, rules.goesOnByItself) = (true, goesOn)
        var bench = Self.bench([Self.second], b: .active(ActiveTask(rules)))
        bench.reach(.answer(.answer(.boolean(true))))
        bench.wait(.seconds(60))
        #expect(Self.story(bench) == ["start second at b", "stop run/second/1"])
        let run = try #require(bench.session.run)
        #expect(run.current?.key == (goesOn ? "c" : "b"))
        #expect(run.recorders.spans.first.flatMap { span in span.ended.map { $0 - span.began } } == .seconds(30))
        // The press that goes on stops nothing more.
        if !goesOn { bench.press(.select) }
        #expect(Self.story(bench) == ["start second at b", "stop run/second/1"])
    }

    @Test func goingBackToItsStepStartsARecorderAgain() {
        var bench = Self.bench([Self.second])
        for _ in 0..<2 { bench.reach(.answer(.answer(.boolean(true)))) }
        bench.press(.undo)
        bench.wait(.seconds(2))
        #expect(Self.story(bench) == ["start second at b", "stop run/second/1", "start second at b"])
    }

    @Test func aRecorderStopsWhenItsOwnTimeIsOverWithoutAPress() throws {
        var bench = Self.bench([Self.short])
        bench.wait(.seconds(2))
        #expect(Self.story(bench) == ["start short at a", "stop run/short/1"])
        let spans = try #require(bench.session.run).recorders.spans
        #expect(spans.first.flatMap { span in span.ended.map { $0 - span.began } } == .milliseconds(700))
    }

    @Test func recordersOfOneStepStartTogether() {
        let both = ["x", "y"].map { TaskRecorder(identifier: $0, kinds: [.accelerometer], startStep: "a") }
        let bench = Self.bench(both)
        let starts = bench.effects.compactMap {
            if case .device(.startRecorders(let list)) = $0 { list.count } else { nil }
        }
        #expect(starts == [2])
    }

    @Test func anAbandonedRunStopsItsRecordersBeforeItIsLeft() {
        var bench = Self.bench([Self.whole])
        bench.wait(.seconds(3600))
        #expect(Self.story(bench) == ["start whole at a", "stop run/whole/1", "left"])
    }

    @Test func aTaskWithoutRecordersStartsNone() {
        let bench = Self.bench([])
        #expect(Self.story(bench) == [])
    }

    @Test func aRecorderDoesNotChangeWhenTheParticipantIsReminded() {
        var (plain, recorded) = (Self.bench([]), Self.bench([Self.short]))
        plain.wait(.seconds(3600))
        recorded.wait(.seconds(3600))
        #expect(plain.told == recorded.told && plain.now == recorded.now)
    }
}
