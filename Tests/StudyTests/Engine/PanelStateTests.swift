// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Study

/// How far two rhythms are apart for one who has nothing but their times of on and off: the share of
/// intervals that would have to be taken for others, or be overheard, to mistake one for the other.
///
/// An edit distance over the intervals. Two count as different from five times the least noticeable
/// difference on; below, in proportion. That difference is taken as 10 %: intervals are told apart to
/// about 5 % by ear (Weber fractions below 20 Hz: Frontiers in Psychology 2014, 5:1453), and half as
/// well by eye.
struct RhythmDistance {
    static let leastNoticeable = 0.10
    static let clearly = 5.0

    private let first: [Interval]
    private let second: [Interval]

    private struct Interval {
        let isOn: Bool
        let seconds: Double
    }

    init(_ first: Rhythm, _ second: Rhythm) {
        (self.first, self.second) = (Self.intervals(first), Self.intervals(second))
    }

    /// From 0, the same, to 1: nothing in common.
    var value: Double {
        var row = (0...second.count).map(Double.init)
        for (index, one) in first.enumerated() {
            var next = [Double(index + 1)]
            for (place, other) in second.enumerated() {
                next.append(min(row[place + 1] + 1, next[place] + 1, row[place] + Self.cost(one, other)))
            }
            row = next
        }
        return row[second.count] / Double(max(first.count, second.count, 1))
    }

    private static func cost(_ one: Interval, _ other: Interval) -> Double {
        guard one.isOn == other.isOn else { return 2 }
        return min(1, abs(log(one.seconds / other.seconds)) / (clearly * log(1 + leastNoticeable)))
    }

    private static func intervals(_ rhythm: Rhythm) -> [Interval] {
        let plan = Signals(.reference).plan(rhythm)
        return plan.map { Interval(isOn: $0.isOn, seconds: $0.duration.seconds) }
    }
}

extension Signals {
    /// The steps of a rhythm as every panel plays them.
    fileprivate func plan(_ rhythm: Rhythm) -> [SignalStep] {
        var steps: [SignalStep] = []
        for group in rhythm.groups {
            if !steps.isEmpty { steps.append(SignalStep(duration: Rhythm.pause)) }
            for (place, beat) in group.enumerated() {
                if place > 0 { steps.append(SignalStep(duration: Rhythm.gap)) }
                steps.append(SignalStep(light: .white, duration: beat.duration))
            }
        }
        return steps
    }
}

@Suite struct PanelStateTests {
    /// More than this share of the intervals differs between any two states.
    static let least = 0.25

    @Test func everyTwoStatesDifferInMoreThanAQuarterOfTheirIntervals() {
        let states = SignalTable.states
        for (place, one) in states.enumerated() {
            for other in states[(place + 1)...] {
                let distance = RhythmDistance(one.cue.rhythm, other.cue.rhythm).value
                #expect(distance > Self.least, "\(one.cue) and \(other.cue): \(distance)")
            }
        }
    }

    /// Else the measure would let everything pass: what cannot be heard is no distance.
    @Test func theDistanceIgnoresDifferencesThatCannotBeHeard() {
        #expect(RhythmDistance("-.-.", "-.-.").value == 0)
        #expect(RhythmDistance("-.-.", "-.-").value < Self.least + 0.05)
        #expect(RhythmDistance("-.-.-.-.-.-.", "-.-.-.-.-.-").value < Self.least)
        // All beats and both pauses differ clearly.
        let beats: [Rhythm] = ["'", ".", "-", "="]
        for (place, one) in beats.enumerated() {
            for other in beats[(place + 1)...] { #expect(RhythmDistance(one, other).value == 1) }
        }
        #expect(RhythmDistance("..", ". .").value > 0.3)
    }

    /// What can only be seen is no state to somebody who cannot see: light, sound and motor have the
    /// same times on every panel.
    @Test(arguments: PanelFixtures.panels) func everySenseGetsTheSameRhythm(_ panel: Panel) {
        for state in SignalTable.states where !state.cue.isSilent {
            let steps = Signals(panel).plan(state.cue).steps
            #expect(steps.enumerated().allSatisfy { $1.isOn == ($0 % 2 == 0) }, "\(state.cue)")
            for step in steps where step.isOn {
                #expect((step.light != nil) == !panel.leds.isEmpty && step.sounds == panel.hasSound, "\(state.cue)")
                #expect(step.vibrates == panel.hasVibration, "\(state.cue)")
            }
        }
    }

    @Test func theCardSheetAndTheDocumentationHaveEveryState() {
        let page = PhraseSources.text("docs/panel.md")
        for state in SignalTable.states {
            let line = "| \(state.meaning.text(in: .english)) | `\(state.cue.rhythm)` |"
            let isThere = page.contains(line)
            #expect(isThere, "docs/panel.md lacks \(line)")
        }
        for (meaning, isYes) in [("accepted: yes", true), ("accepted: no", false)] {
            let entry = SignalTable.entries.first { $0.meaning.text(in: .english) == meaning }
            #expect(entry?.cue == .answer(isYes: isYes, ""))
        }
    }

    /// What may begin at night and pass by itself is shown by light alone.
    @Test func faultsAreSignalledByTheirStateAndQuietOnesByLightAlone() {
        let loud: [DeviceCondition] = [.sensorFault, .underVoltage, .lowDisk]
        for condition in DeviceCondition.allCases {
            let english = condition.phrase.text(in: .english)
            #expect(Cue.fault(named: english) == .condition(condition))
            var bench = PanelBench(.reference, tasks: [])
            bench.wait(.seconds(1))
            bench.effects = []
            bench.send(.fault(english))
            #expect(bench.told == (loud.contains(condition) ? [.condition(condition)] : []))
            bench.wait(.seconds(21))
            #expect(bench.told.contains(.condition(condition)))
        }
        #expect(Cue.fault(named: "the disk makes noises") == .fault(FaultPhrases.general))
    }

    /// What can only be seen is told by sound where nothing can be seen, and no oftener than it has to be: a
    /// recording may be delivered at any hour.
    @Test(arguments: [[Panel.LED("light", .mono)], []]) func withoutALightADeliveryIsHeardOnceAfterAnAnswer(
        lights: [Panel.LED]
    ) throws {
        let panel = try Panel(
            buttons: Panel.buttons(named: ["a", "b", "c"]), leds: lights, buzzer: .pitched, hasLoudspeaker: false,
            hasMicrophone: false)
        let yes = AnswerFormat.yesNo(yes: "Yes", no: "No")
        let task = PanelFixtures.task([Step(key: "x", text: "X", format: yes)], key: "first")
        func heard(_ bench: inout PanelBench) -> Int {
            defer { bench.effects = [] }
            bench.effects = []
            bench.send(.delivered)
            return bench.effects.count {
                if case .device(.signal(let plan)) = $0 { plan.cue == .delivered && !plan.isLightOnly } else { false }
            }
        }
        func answer(_ bench: inout PanelBench) {
            bench.send(.listItems([ListItem(id: "first", name: "first")]))
            bench.reach(.openItem("first"))
            bench.reach(.answer(.answer(.boolean(true))))
            bench.reach(.submit)
            bench.wait(.seconds(5))
        }
        var bench = PanelBench(panel, tasks: [task])
        bench.wait(.seconds(1))
        #expect(heard(&bench) == 0)
        answer(&bench)
        #expect(bench.submitted != nil)
        #expect(heard(&bench) == (lights.isEmpty ? 1 : 0) && heard(&bench) == 0)
        answer(&bench)
        bench.wait(.seconds(600))
        #expect(heard(&bench) == 0)
    }

    /// Aloud once, and after a task where one is open; then by light, every other sign of life, until it is
    /// pulled out.
    @Test func aFullStickIsToldAloudOnceAndThenByLight() {
        func heard(_ bench: PanelBench) -> [Bool] {
            bench.effects.compactMap {
                if case .device(.signal(let plan)) = $0, plan.cue == .removable { !plan.isLightOnly } else { nil }
            }
        }
        var bench = PanelBench(.reference, tasks: [])
        bench.wait(.seconds(1))
        bench.send(.removable(true, isNews: true))
        bench.wait(.seconds(65))
        #expect(heard(bench).first == true && heard(bench).count { $0 } == 1 && heard(bench).count >= 3)
        #expect(bench.told.contains(.alive), "it hides no sign of life")
        bench.effects = []
        bench.send(.removable(false, isNews: false))
        bench.wait(.seconds(65))
        #expect(heard(bench).isEmpty)
        // While the menu is open it is kept for later.
        bench.press(.menu)
        bench.effects = []
        bench.send(.removable(true, isNews: true))
        #expect(heard(bench).isEmpty)
        bench.wait(.seconds(400))
        #expect(heard(bench).count { $0 } == 1)
    }

    /// A device that is offline for weeks records all the same, and says so.
    @Test func whatPassesByItselfDoesNotHideTheSignOfLife() {
        var bench = PanelBench(.reference, tasks: [])
        bench.send(.recording(true))
        bench.send(.clock(isKnown: false))
        bench.wait(.seconds(65))
        let told = Set(bench.told)
        #expect(told == [.recording, .condition(.clockUnknown)])
        bench.send(.clock(isKnown: true))
        bench.effects = []
        bench.wait(.seconds(65))
        #expect(Set(bench.told) == [.recording])
    }

    /// Without sight signs of life are asked for: the menu, and its first entry.
    @Test(arguments: PanelFixtures.panels) func theMenuTellsTheStateAloud(_ panel: Panel) throws {
        var bench = PanelBench(panel, tasks: [])
        bench.send(.recording(true))
        bench.press(.menu)
        bench.wait(PressFinder.pause)
        bench.effects = []
        bench.press(.select)
        let plan = try #require(
            bench.effects.compactMap { if case .device(.signal(let plan)) = $0 { plan } else { nil } }.last)
        #expect(plan.cues == [.recording])
        #expect(plan.steps.contains(where: \.sounds) == panel.hasSound)
    }
}
