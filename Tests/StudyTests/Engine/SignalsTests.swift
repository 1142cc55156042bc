// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Study

struct SignalsTests {
    /// Every kind of cue, with numbers and values as they occur.
    static let cues: [Cue] =
        [
            .alive, .recording, .prompt(title: "Hello", message: ""), .leaveOut, .done, .clear, .accepted,
            .answer(isYes: true, ""), .answer(isYes: false, ""), .confirm,
            .undone,
            .required, .refused, .timeRunningOut, .expired, .reminder, .nothingOpen, .promptsOff, .promptsOn, .putOff,
            .leaveRun, .undoable(seconds: 4), .leaveStudy(stage: 1), .leaveStudy(stage: 2), .leaveStudy(stage: 3),
            .saved, .delivered,
            .fault(FaultPhrases.general), .runLeft,
            .recordingStarted,
            .recordingStopped, .tower(0, [3, 1]), .towers([[3], [1], []]), .watch, .yourTurn, .won, .lost,
            .reacted(312), .tooEarly, .tooLate, .paused, .pauseBegins, .pauseEnds, .marked,
        ] + DeviceCondition.allCases.map(Cue.condition)
        + (1...4).map { .held(level: $0, .select) } + (1...120).map { .card($0, text: "") }
        + (1...30).map { .listItem($0, text: "") } + (1...9).map { .menuItem($0, PanelPhrases.back) }
        + (1...30).map { .option($0, text: "", isTicked: true) } + (0...999).map { .position(String($0)) }
        + ["-3", "-30", "12.5", "1.25", "-0.5", "1000", "."].map { .position($0) }
        + ["0", "7", "42", "-3", "2026 11 21", "08:30"].map { .value($0) }

    @Test func everySignalHasARhythmOfItsOwn() {
        var seen: [Rhythm: Cue] = [:]
        for cue in Self.cues {
            #expect(
                seen[cue.rhythm] == nil, "\(cue) sounds like \(String(describing: seen[cue.rhythm])): \(cue.rhythm)")
            #expect(!cue.rhythm.groups.isEmpty)
            seen[cue.rhythm] = cue
        }
    }

    /// A fixed buzzer and a mono LED leave only on and off, and those must do.
    @Test(arguments: PanelFixtures.panels) func timesOfOnAndOffTellAllSignalsApart(_ panel: Panel) {
        var seen: Set<[Duration]> = []
        for cue in Self.cues {
            let plan = Signals(panel).plan(cue)
            #expect(plan.steps.enumerated().allSatisfy { $1.isOn == ($0 % 2 == 0) })
            seen.insert(plan.steps.map(\.duration))
        }
        #expect(seen.count == Self.cues.count)
    }

    @Test func numbersAreCountedInTensAndOnes() {
        let cases: [(Int, String)] = [
            (1, "."), (9, "........."), (10, "-"), (23, "-- ..."), (105, "= ....."), (0, "'-'"),
        ]
        for (number, rhythm) in cases { #expect(Rhythm.number(number).description == rhythm) }
        #expect(Rhythm.value("-3").description == "'= ...")
        #expect(Rhythm.value("999") == Rhythm.number(999) && Rhythm.value("1000").description == ". '-' '-' '-'")
        #expect(Rhythm.value("1.2").description == ". '-- ..")
    }

    /// C, D, E, G, A, C in equal temperament: 440 Hz times the twelfth root of two to the number of
    /// half tones above A4. What is longer stays at its end.
    @Test(arguments: [1, 3, 6, 8]) func aMelodyRunsOverFiveTones(count: Int) {
        let tones = [3, 5, 7, 10, 12, 15].map { halfTones in
            var pitch = 440.0
            for _ in 0..<halfTones { pitch *= 1.059_463_094_359_295_3 }
            return Int(pitch.rounded())
        }
        let up = (0..<count).map { Melody.rising.pitch(.short, $0, of: count) }
        #expect(up == (0..<count).map { tones[min($0, 5)] })
        let down = (0..<count).map { Melody.falling.pitch(.short, $0, of: count) }
        #expect(down == (0..<count).map { tones[max(min(count, 6) - 1 - $0, 0)] })
        #expect(down.last == 523 && up.first == 523)
    }

    /// Equal temperament (ISO 16: A4 is 440 Hz): a semitone is the twelfth root of two.
    @Test func allTonesAreNotesToTheNearestHertz() {
        let beats: [Beat] = [.blip, .short, .long, .extra]
        let pitches =
            (0..<6).map { Melody.rising.pitch(.short, $0, of: 6) } + [Melody.low.pitch(.short, 0, of: 1)]
            + beats.map { Melody.counted.pitch($0, 0, of: 1) }
        for pitch in pitches {
            let semitones = (12 * log2(Double(pitch) / 440)).rounded()
            #expect(Int((440 * exp2(semitones / 12)).rounded()) == pitch)
        }
    }

    @Test func aFixedBuzzerHasNoPitchAndAMonoLightNoColour() {
        for cue in Self.cues {
            let plan = Signals(PanelFixtures.two).plan(cue)
            #expect(plan.steps.allSatisfy { $0.pitch == nil && ($0.light == nil || $0.light == .white) })
        }
    }

    @Test(arguments: [(Panel.LED.Kind.mono, SignalColour.white), (.rgb, .yellow)])
    func aTargetHasAColourWhereTheLightHasColours(_ kind: Panel.LED.Kind, _ colour: SignalColour) {
        let sign = TargetSign(pulses: 2, cycle: .milliseconds(300), pitch: nil, ownLight: nil)
        let plan = Signals(PanelFixtures.panel(["a", "b", "c"], led: kind)).plan(.target(button: 0, sign))
        #expect(plan.steps.map(\.light) == [colour, nil, colour])
    }

    @Test func aLoudspeakerSpeaksNumbersInsteadOfCountingThemAloud() {
        let panel = PanelFixtures.panel(["a", "b", "c"], buzzer: .pitched, speaks: true)
        let plan = Signals(panel).plan(.card(7, text: "How are you?"))
        #expect(plan.speech.map(\.text) == ["Question 7", "How are you?"])
        #expect(plan.steps.allSatisfy { !$0.sounds })
        #expect(plan.steps.contains { $0.light != nil })
    }

    @Test func signsOfLifeThatComeUnaskedAreSilent() {
        #expect(Signals(.reference).plan(.delivered).steps.allSatisfy { !$0.sounds && !$0.vibrates })
        for cue in [Cue.alive, .recording, .paused] { #expect(Signals(.reference).plan(cue).lightOnly.isLightOnly) }
    }

    /// Blue and green as in ResearchKit where the light has colours; else go shines and no-go flickers.
    @Test(arguments: [
        (Panel.LED.Kind.mono, StimulusSign.plain, SignalColour.white, true), (.mono, .go, .white, true),
        (.mono, .noGo, .white, false), (.rgb, .plain, .white, true), (.rgb, .go, .blue, true),
        (.rgb, .noGo, .green, true),
    ])
    func aStimulusHasItsColourOrItsFlicker(
        _ kind: Panel.LED.Kind, _ sign: StimulusSign, _ colour: SignalColour, _ shines: Bool
    ) {
        let panel = PanelFixtures.panel(["a", "b", "c"], led: kind)
        let steps = Signals(panel).plan(.stimulus(7, lasting: .seconds(1), sign)).steps
        #expect(Set(steps.compactMap(\.light)) == [colour] && (steps.count == 1) == shines)
        #expect(steps.first?.mark == 7 && steps.allSatisfy { !$0.sounds && !$0.vibrates })
    }

    /// Pulses are felt where they are heard; a light at the button shines on between them.
    @Test(
        arguments: [
            (nil, [true, false, true], [true, false, true]),
            (.milliseconds(500), [true, false, true, false], [true, true, true, true]),
        ] as [(Duration?, [Bool], [Bool])])
    func aTargetIsFeltInPulses(ownLight: Duration?, pulses: [Bool], light: [Bool]) throws {
        let panel = try Panel(
            buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [Panel.LED("light", .mono)], buzzer: .pitched,
            hasVibration: true)
        let sign = TargetSign(pulses: 2, cycle: .milliseconds(300), pitch: 440, ownLight: ownLight)
        let steps = Signals(panel).plan(.target(button: 1, sign)).steps
        #expect(steps.map(\.vibrates) == pulses && steps.map(\.sounds) == pulses)
        #expect(steps.map { $0.pitch == 440 } == pulses && steps.map { $0.light != nil } == light)
        #expect(steps.map { $0.button == 1 } == (ownLight == nil ? light.map { _ in false } : light))
    }

    /// The answer to a right press: as long as a short beat, light and sound as one.
    @Test(arguments: [nil, Duration.milliseconds(500)]) func theBriefSignIsOnePulse(ownLight: Duration?) {
        let sign = TargetSign(pulses: 4, cycle: .milliseconds(300), pitch: nil, ownLight: ownLight)
        let steps = Signals(.reference).plan(.target(button: 0, sign.brief)).steps
        #expect(steps.map(\.duration) == [Beat.short.duration] && steps.allSatisfy { $0.light != nil && $0.sounds })
    }

    @Test(
        arguments: [
            (.fixed, false, false), (.pitched, false, true), (.fixed, true, true), (.pitched, true, true),
            (nil, true, true),
        ] as [(Panel.Buzzer?, Bool, Bool)])
    func aMelodyIsPlayedByWhatHasAPitch(buzzer: Panel.Buzzer?, speaks: Bool, isTuned: Bool) {
        let panel = PanelFixtures.panel(["a", "b", "c"], buzzer: buzzer, speaks: speaks)
        let steps = Signals(panel).plan(.refused).steps.filter(\.isOn)
        #expect(!steps.isEmpty && steps.allSatisfy { $0.sounds && ($0.pitch != nil) == isTuned })
    }

    /// 60 ms on and 60 ms off until the time is over, at least once.
    @Test(arguments: [(50, 1), (119, 1), (120, 1), (239, 1), (240, 2), (1_000, 8)]) func aFlickerFillsItsTime(
        milliseconds: Int, flashes: Int
    ) {
        let panel = PanelFixtures.panel(["a", "b", "c"])
        let steps = Signals(panel).plan(.stimulus(7, lasting: .milliseconds(milliseconds), .noGo)).steps
        #expect(steps.map { $0.light != nil } == (0..<2 * flashes).map { $0.isMultiple(of: 2) })
        #expect(steps.allSatisfy { $0.duration == .milliseconds(60) })
        #expect(steps.map(\.mark) == [7] + Array(repeating: Int?.none, count: 2 * flashes - 1))
    }
}
