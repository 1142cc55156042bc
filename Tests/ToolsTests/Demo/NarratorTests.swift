// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study
@testable import studyd_tools

/// What is printed of the board, line by line, with the wall clock of its zone.
@Suite struct NarratorTests {
    /// 2023-11-14 22:13:20 UTC.
    private static let now = Instant(seconds: 1_700_000_000)

    private static func narrator() throws -> Narrator {
        Narrator(
            zone: .utc,
            panel: try Panel(
                buttons: Panel.buttons(named: ["left", "right"]), leds: [Panel.LED("light", .mono)], buzzer: .fixed),
            keys: ["a", "s"], explains: true)
    }

    private static func moment(_ seconds: Double) -> Moment {
        Moment(instant: now + .seconds(seconds), monotonic: .zero + .seconds(seconds))
    }

    private static func lines(
        _ narrator: inout Narrator, _ effects: [StudyConductor.Effect], at seconds: Double = 0
    ) -> [String] {
        narrator.narrate(AgentSnapshot(conductor: nil, effects: effects, now: moment(seconds)))
    }

    private static func occurrence(_ id: String) -> Occurrence {
        Occurrence(
            id: id, task: "t", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil,
            isHidden: false, isSignalled: true)
    }

    @Test func aFaultIsPrintedWhenItComesAndWhenItGoes() throws {
        var narrator = try Self.narrator()
        let (one, two) = (Explanation(cause: "no chip"), Explanation(cause: "no disk"))
        #expect(narrator.narrate(faults: [], at: Self.now) == [])
        #expect(narrator.narrate(faults: [one], at: Self.now) == ["22:13:20  FAULT: no chip"])
        #expect(narrator.narrate(faults: [one], at: Self.now) == [])
        #expect(
            narrator.narrate(faults: [two], at: Self.now) == ["22:13:20  FAULT: no disk", "22:13:20  over: no chip"])
        #expect(narrator.narrate(faults: [], at: Self.now) == ["22:13:20  over: no disk"])
        #expect(narrator.narrate(faults: [one], at: Self.now) == ["22:13:20  FAULT: no chip"], "the second time")
    }

    /// The day is said where it is another: midnight is 6400 s away.
    @Test(arguments: [
        (0, "22:13:20"), (6_399, "23:59:59"), (6_400, "00:00:00, 2023-11-15"), (-80_001, "23:59:59, 2023-11-13"),
    ])
    func aTimeOfAnotherDayHasItsDay(seconds: Int, words: String) throws {
        #expect(try Self.narrator().moment(Self.now + .seconds(seconds), from: Self.now) == words)
    }

    @Test func aPromptIsPrintedOnceForEachOccurrence() throws {
        var narrator = try Self.narrator()
        let prompted = StudyConductor.Effect.note(.prompted(Self.occurrence("t/1")))
        #expect(Self.lines(&narrator, [prompted]) == ["22:13:20  prompt due: t/1"])
        #expect(Self.lines(&narrator, [prompted], at: 60) == [], "a reminder is no other prompt")
        #expect(
            Self.lines(&narrator, [.note(.prompted(Self.occurrence("t/2")))], at: 60) == ["22:14:20  prompt due: t/2"])
    }

    @Test func howAnOccurrenceEndedIsPrintedWithItsReason() throws {
        var narrator = try Self.narrator()
        let ends: [Outcome] = [.completed, .expired, .missed(.deviceOff)]
        let lines = Self.lines(&narrator, ends.map { .note(.concluded(Self.occurrence("t/1"), $0)) })
        #expect(lines == ["22:13:20  t/1 completed", "22:13:20  t/1 expired", "22:13:20  t/1 missed (device-off)"])
        #expect(Self.lines(&narrator, [.withdraw(deletesData: nil)]) == ["22:13:20  the participant leaves the study"])
    }

    /// A rhythm is shown until it is over; a sign of life says nothing, and lifts no complaint.
    @Test func aSignalIsShownAsLongAsItLasts() throws {
        var narrator = try Self.narrator()
        let sound = SignalStep(sounds: true, duration: .milliseconds(1_500))
        func signal(_ cue: Cue, _ steps: [SignalStep]) -> StudyConductor.Effect {
            .device(.signal(SignalPlan(cue: cue, steps: steps, speech: [])))
        }
        #expect(!Self.lines(&narrator, [signal(.required, [sound])], at: 2).isEmpty)
        #expect(narrator.complaint == narrator.caption && !narrator.complaint.isEmpty)
        #expect(narrator.rhythm.until == .zero + .milliseconds(3_500))
        #expect(Self.lines(&narrator, [signal(.alive, [SignalStep(duration: .milliseconds(20))])], at: 4).isEmpty)
        #expect(!narrator.complaint.isEmpty)
        #expect(!Self.lines(&narrator, [signal(.done, [sound])], at: 6).isEmpty)
        #expect(narrator.complaint.isEmpty)
    }

    private static func bench(explains: Bool = false) throws -> DemoBench {
        try DemoBench(
            [DemoBench.task("t", [DemoBench.choice("c", isMultiple: false), DemoBench.yesNo("y")], at: [10])],
            explains: explains)
    }

    /// What was printed since the last call, without the times.
    private static func printed(_ bench: inout DemoBench) -> [String] {
        defer { bench.lines = [] }
        return bench.lines.map { String($0.dropFirst("10:00:00  ".count)) }
    }

    @Test func aRunIsPrintedQuestionByQuestion() throws {
        var bench = try Self.bench()
        bench.wait(.seconds(600))
        #expect(bench.lines == ["10:10:00  prompt due: t/1", "10:10:00  Evening. A few questions"])
        _ = Self.printed(&bench)
        bench.press(.select)
        #expect(Self.printed(&bench) == ["card 1: Which colour?  [red | blue]"])
        bench.press(.next)
        bench.press(.next)
        #expect(Self.printed(&bench) == ["1. red", "2. blue"])
        bench.press(.select)
        #expect(Self.printed(&bench) == ["card 2: Are you well?"])
        bench.press(.next)
        let review = Self.printed(&bench)
        #expect(review.first?.hasPrefix("Yes. Is that right?") == true, "\(review)")
        let how = review.last ?? ""
        #expect(
            how.hasPrefix("         (press MIDDLE: submit; ") && how.hasSuffix(": back to the last question)"), "\(how)"
        )
        bench.press(.select)
        let end = Self.printed(&bench)
        #expect(end.contains("submitted t: c = b, y = yes") && end.contains("t/1 completed"), "\(end)")
        #expect(end.last == "Thank you. Saved")
        bench.wait(.seconds(60))
        #expect(Self.printed(&bench) == [])
    }

    /// Where no board is drawn.
    @Test func howAQuestionIsAnsweredIsPrintedWithIt() throws {
        var bench = try Self.bench(explains: true)
        bench.wait(.seconds(600))
        _ = Self.printed(&bench)
        bench.press(.select)
        let lines = Self.printed(&bench)
        #expect(lines.count == 2 && lines[0] == "card 1: Which colour?  [red | blue]")
        #expect(lines.last?.hasPrefix("         (") == true && lines.last?.hasSuffix(")") == true)
    }

    /// The prompt's words are printed once, whenever it is signalled.
    @Test func aPromptThatIsToldAgainSaysSo() throws {
        var bench = try Self.bench()
        bench.wait(.seconds(600))
        _ = Self.printed(&bench)
        bench.wait(.seconds(40))
        #expect(Self.printed(&bench) == ["the prompt is given again"])
    }

    /// The same words at another time are another prompt.
    @Test func thePromptAfterASubmissionIsPrintedInFull() throws {
        var bench = try DemoBench(
            [DemoBench.task("t", [DemoBench.choice("c", isMultiple: false), DemoBench.yesNo("y")], at: [10, 20])])
        bench.wait(.seconds(600))
        for gesture in [.select, .next, .next, .select, .next, .select] as [Gesture] { bench.press(gesture) }
        #expect(bench.submitted == ["t"])
        bench.lines = []
        bench.wait(DemoBench.start + .seconds(1_205) - bench.now.instant)
        let lines = bench.lines.filter { $0.hasPrefix("10:20:0") }
        #expect(lines == ["10:20:00  prompt due: t/2", "10:20:00  Evening. A few questions"], "\(bench.lines)")
    }

    /// To the nearest tenth of a second; the middle button's steps are at 0.8 s, 2.5 s and 6 s, and the last does
    /// nothing at rest.
    @Test(arguments: [
        (0, 120, "[a] LEFT", "[a] LEFT, 0.1 s: what you can do now"),
        (1, 49, "[s] MIDDLE", "[s] MIDDLE, 0.0 s: what you can do now"),
        (1, 50, "[s] MIDDLE", "[s] MIDDLE, 0.1 s: what you can do now"),
        (1, 799, "[s] MIDDLE", "[s] MIDDLE, 0.8 s: what you can do now"),
        (1, 2_449, "held: what you can do now", "[s] MIDDLE, 2.4 s: what you can do now"),
        (1, 2_500, "held: menu", "[s] MIDDLE, 2.5 s: menu"),
        (1, 6_000, "held: ", "[s] MIDDLE, 6.0 s"),
    ])
    func aPressIsShownWithItsLengthAndMeaning(button: Int, milliseconds: Int, held: String, words: String) throws {
        var bench = try Self.bench()
        bench.wait(.seconds(11))
        #expect(bench.narrator.lastPress.isEmpty && bench.narrator.down.isEmpty)
        bench.send(.button(ButtonEvent(button: button, isPressed: true, time: bench.now.monotonic)))
        #expect(bench.narrator.down == [button])
        bench.wait(.milliseconds(milliseconds))
        #expect(bench.narrator.lastPress == held)
        bench.send(.button(ButtonEvent(button: button, isPressed: false, time: bench.now.monotonic)))
        #expect(bench.narrator.lastPress == words && bench.narrator.down.isEmpty)
    }
}
