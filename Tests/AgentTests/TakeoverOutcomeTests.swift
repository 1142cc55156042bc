// SPDX-License-Identifier: Apache-2.0
import Base
import Patience
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct TakeoverOutcomeTests {
    private static let outcomes: [TakeoverOutcome] =
        TakeoverMistake.Kind.allCases.map { .refused([TakeoverMistake($0, "")]) } + [
            .taken(participant: "", study: "", remarks: []), .waiting(participant: "", server: "", remarks: []),
            .taken(participant: "", study: "", remarks: [TakeoverMistake(.oldClock, "")]),
            .waiting(participant: "", server: "", remarks: [TakeoverMistake(.oldClock, "")]),
        ]

    @Test func everyOutcomeIsToldApartByItsRhythmAlone() throws {
        let rhythms = Self.outcomes.map(\.rhythm)
        #expect(Set(rhythms).count == rhythms.count)
        for rhythm in rhythms { #expect(rhythm.groups.first == [.extra, .blip, .blip], "\(rhythm)") }
    }

    /// What is counted is at most six in a row, and light, buzzer and motor say the same.
    @Test func aSignalCanBeCountedWithoutSightOrHearing() {
        for outcome in Self.outcomes {
            #expect(outcome.rhythm.groups.allSatisfy { $0.count <= 6 }, "\(outcome.rhythm)")
            for step in outcome.steps { #expect(step.sounds == (step.light != nil) && step.vibrates == step.sounds) }
        }
    }

    /// As docs/panel.md has "being set up", and by light alone: somebody may sleep.
    @Test func whileItWorksOnlyTheLightSaysSo() {
        let steps = TakeoverPanel.workSteps()
        #expect(steps.allSatisfy { !$0.sounds && !$0.vibrates })
        let first = steps.prefix { $0.duration != .seconds(3) }.filter { $0.light != nil }.map(\.duration)
        #expect(first == Cue.condition(.takingOver).rhythm.groups.joined().map(\.duration))
        let length = steps.reduce(Duration.zero) { $0 + $1.duration }
        #expect((.seconds(890)...(.seconds(900))).contains(length), "TimeoutStartSec=15min")
    }

    /// A Raspberry Pi's own light, where no board is known: it begins at once, and is dark afterwards. A thread
    /// that a busy machine holds up ends by itself.
    @Test(.timeLimit(.minutes(10))) func theMachinesOwnLightSaysThatItWorks() async throws {
        let tree = try SysfsTree()
        tree["sys/class/leds/ACT/max_brightness"] = "255\n"
        tree["sys/class/leds/ACT/brightness"] = "0\n"
        let places = TakeoverPlaces(
            root: tree.path, configuration: tree.path + "/studyd.toml", state: tree.path + "/state")
        func isLit() throws -> Bool {
            let text = try BoundedFile.text(tree.path + "/sys/class/leds/ACT/brightness")
            return Int(text.prefix { $0.isNumber }) ?? 0 > 0
        }
        let panel = TakeoverPanel(places: places, clock: SystemClock())
        panel.showWork(on: nil)
        try await eventually("it is lit") { try isLit() }
        panel.stop()
        try await eventually("it is dark") { try !isLit() }
    }

    /// Without a light the board's buzzer says it.
    @Test(.timeLimit(.minutes(10))) func aBoardWithoutALightSoundsWhileItWorks() async throws {
        let tree = try SysfsTree()
        for name in ["period", "duty_cycle", "enable"] { tree["pwm0/\(name)"] = "0\n" }
        let button = "[[button]]\nname = \"a\"\ndevice = \"/dev/input/event0\"\ncode = 1\n"
        let board = try BoardDescription(
            parsing: "name = \"x\"\n[buzzer]\ndevice = \"\(tree.path)/pwm0\"\n" + button, file: "x.toml")
        let panel = TakeoverPanel(
            places: TakeoverPlaces(
                root: tree.path, configuration: tree.path + "/studyd.toml", state: tree.path + "/state"),
            clock: SystemClock())
        func sounds() throws -> Bool { try BoundedFile.text(tree.path + "/pwm0/enable") == "1\n" }
        panel.showWork(on: board)
        try await eventually("it sounds") { try sounds() }
        panel.stop()
        try await eventually("it is silent") { try !sounds() }
    }

    /// RESULT.txt is read on a terminal, too, and every fact in it has one line.
    @Test(arguments: [
        TakeoverOutcome.taken(participant: "P\u{1B}[2J\nforged", study: "S\r\nforged", remarks: []),
        .waiting(participant: "P\u{1B}[2J\nforged", server: "S\r\nforged", remarks: []),
    ]) func whatAFolderNamesIsShownOnOneLine(_ outcome: TakeoverOutcome) {
        let text = outcome.text(date: "")
        #expect(text.contains(#": P\u001B[2J\u000Aforged"#) && text.contains(#": S\u000D\u000Aforged"#), "\(text)")
    }

    @Test func theTableOfThePageIsThatOfTheProgram() throws {
        let page = try BoundedFile.text(AgentFixture.package + "/docs/first-use.md")
        for kind in TakeoverMistake.Kind.allCases {
            let (longs, shorts) = kind.rawValue.quotientAndRemainder(dividingBy: 10)
            let row = "| \(kind.rawValue) | \(longs) long, \(shorts) short | \(kind.meaning.english) |"
            #expect(page.replacing("`", with: "").contains(row), "\(kind)")
        }
    }
}
