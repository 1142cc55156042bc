// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Questions that the device answers: by waiting, by measuring, by listening.
@Suite struct DeviceQuestionTests {
    private func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private func edge(_ seconds: Int64) -> QuestionEvent {
        .edge(ButtonEvent(button: 0, isPressed: true, time: time(seconds)))
    }

    /// CountdownView of ESMira's app (f750e58): "0" is saved when it begins and "1"
    /// when it is over.
    @Test func aCountdownIsOneWhenItIsOverAndZeroWhenItIsLeft() {
        var question = CountdownQuestion(time: .seconds(30), now: time(0))
        #expect(question.handle(.gesture(.undo, repeats: 0)) == [.back] && question.wake == nil)
        _ = question.handle(edge(10))
        _ = question.handle(.gesture(.next, repeats: 0))
        #expect(question.wake == time(40) && question.isUnderWay)
        #expect(question.handle(.tick(time(39))) == [])
        #expect(question.handle(.tick(time(40))).last == .answered(.number(1)))
        #expect(!question.isUnderWay)
        _ = question.handle(edge(50))
        _ = question.handle(.gesture(.next, repeats: 0))
        #expect(question.handle(.gesture(.undo, repeats: 0)) == [.say(.undone)] && question.wake == nil)
        _ = question.handle(.gesture(.next, repeats: 0))
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.answered(.number(0))] && !question.isUnderWay)
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.leftOut])
    }

    @Test func aReadingIsTakenAtThePressAndAskedAgainWhereNothingIsKnown() {
        var question = ReadingQuestion(.battery, id: "r")
        #expect(question.handle(.device(.reading([1]))) == [])
        #expect(question.handle(.gesture(.next, repeats: 0)) == [.device(.takeReading(.battery, id: "r"))])
        #expect(question.handle(.gesture(.select, repeats: 0)) == [])
        // A scripted participant waits for it.
        #expect(question.awaitsDevice)
        #expect(question.handle(.device(.noPosition)) == [], "that was not asked for")
        #expect(question.handle(.device(.reading(nil))) == [.say(.fault(ReadingPhrases.unknown))])
        _ = question.handle(.gesture(.next, repeats: 0))
        #expect(question.handle(.device(.reading([73, 1]))) == [.answered(DeviceReading.answer([73, 1]))])
        #expect(DeviceReading.figures(DeviceReading.answer([-43.25, 1e-9])) == [-43.25, 1e-9])
    }

    @Test func aSoundIsPlayedAgainByNextAndStopsWhereItIsLeft() {
        let sound = MediaReference(kind: .audio, source: "a.mp3", path: "$")
        var step = InstructionStep(sound, plays: true)
        #expect(step.begin() == [.device(.play(sound))])
        #expect(step.handle(.gesture(.next, repeats: 0)) == [.device(.play(sound))])
        #expect(step.handle(.device(.soundFailed)) == [.say(.fault(MediaPhrases.unplayable))])
        #expect(step.handle(.gesture(.undo, repeats: 0)) == [.device(.stopPlaying), .back])
        #expect(step.handle(.gesture(.select, repeats: 0)) == [.device(.stopPlaying), .leftOut])
    }

    @Test func whatHasNoSoundToPlaySaysItsTextAgain() {
        for media in [nil, MediaReference(kind: .audio, source: "a.mp3", path: "$")] {
            var step = InstructionStep(media)
            #expect(step.begin() == [])
            #expect(step.handle(.gesture(.previous, repeats: 0)) == [.repeatText])
            #expect(step.handle(.gesture(.undo, repeats: 0)) == [.back])
            #expect(step.handle(.gesture(.select, repeats: 0)) == [.leftOut])
        }
    }

    /// ResearchKit's rule leads on where there is no file to be judged
    /// (`identifierForDestinationStepWithTaskResult`, daba8c9f).
    @Test func anAmbientLevelThatCannotBeMeasuredIsLeftOut() {
        let reading = DeviceReading.ambient(seconds: 5)
        var question = ReadingQuestion(reading, id: "r")
        _ = question.handle(.gesture(.next, repeats: 0))
        #expect(question.handle(.device(.reading([0.5]))) == [.answered(.number(0.5))])
        question = ReadingQuestion(reading, id: "r")
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.device(.takeReading(reading, id: "r"))])
        #expect(question.handle(.device(.reading(nil))) == [.leftOut])
        #expect(AnswerFormat.reading(reading).kind.refusal(on: .reference) == nil)
    }

    @Test(arguments: [
        AnswerFormat.recording, .countdown(.seconds(5)), .reading(.battery), .reading(.light),
        .reading(.noise(seconds: 3)), .reading(.compass),
    ])
    func everyOneIsAskedWhereTheBoardCanAndRefusedByNameElsewhere(format: AnswerFormat) throws {
        var panel = try Panel(
            buttons: Panel.buttons(named: ["a"]), leds: [Panel.LED("light", .mono)], buzzer: nil, hasMicrophone: true)
        panel.readings = ["battery", "light", "compass"]
        #expect(format.kind.refusal(on: panel) == nil && !format.kind.howTo(on: panel, in: Words(for: "de")).isEmpty)
        let poor = Panel.reference
        let isRefused = if case .countdown = format { false } else { true }
        #expect((format.kind.refusal(on: poor) != nil) == isRefused)
        // A scripted participant's answer is reached by presses.
        let step = Step(key: "q", text: "?", format: format, isRequired: true)
        let task = StudyTask(
            key: "t", index: 0, wireName: "t", name: "t", prompt: PromptText(title: "", message: ""), condition: nil,
            schedule: NoSchedule(),
            content: Questionnaire([step]))
        for panel in [panel, Panel.reference] {
            let opened = OpenedTask(task, opening: 1, chance: Sample.chance())
            var run = TaskRun(
                opened, facts: StudyFacts(), id: "u-1-1", now: LocalDateTime(LocalDate(daysSinceEpoch: 0), .midnight),
                panel: panel, cards: CardIndex([task]))
            _ = run.start(at: time(0))
            let wanted = Wanted.first(step, now: LocalDateTime(LocalDate(daysSinceEpoch: 0), .midnight))
            #expect(PressFinder(panel).presses(for: wanted, in: run, from: time(1))?.isEmpty == false)
        }
    }

    /// It begins and goes on, whatever it wants; to leave it out it is not begun, or taken back.
    @Test(
        arguments: [
            (.answer(.number(1)), .next, .select), (.answer(.number(0)), .next, .select), (.leaveOut, .select, .undo),
            (.answer(.text("x")), nil, nil),
        ] as [(Wanted, Gesture?, Gesture?)])
    func aScriptedParticipantDoesNotWaitForACountdown(_ wanted: Wanted, _ ready: Gesture?, _ running: Gesture?) {
        var question = CountdownQuestion(time: .seconds(30), now: time(0))
        #expect(question.press(towards: wanted)?.gesture == ready)
        _ = question.handle(.gesture(.previous, repeats: 0))
        #expect(question.wake == time(30) && question.press(towards: wanted)?.gesture == running)
    }

    /// Behind the menu nothing is measured, and nothing is under way.
    @Test func onlyAnOpenQuestionWaitsForTheDevice() {
        var run = PanelFixtures.run(PanelFixtures.task([Step(key: "p", text: "?", format: .position)]), on: .reference)
        _ = run.start(at: .zero)
        #expect(!run.awaitsDevice)
        _ = run.handle(.gesture(.next, repeats: 0), at: time(1))
        #expect(run.awaitsDevice)
        _ = run.handle(.gesture(.menu, repeats: 0), at: time(2))
        #expect(!run.awaitsDevice && !run.isUnderWay && run.takesMenu)
    }
}

private struct NoSchedule: Schedule {
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
}
