// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

@testable import StudyEngine

struct NeverDue: Schedule {
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
}

/// Panels and tasks that the tests of the panel share.
enum PanelFixtures {
    static func panel(
        _ names: [String], led: Panel.LED.Kind = .mono, buzzer: Panel.Buzzer? = nil, speaks: Bool = false
    ) -> Panel {
        try! Panel(
            buttons: Panel.buttons(named: names), leds: [Panel.LED("light", led)], buzzer: buzzer,
            hasLoudspeaker: speaks,
            hasMicrophone: true)
    }
    static let one = panel(["button"])
    static let two = panel(["left", "right"], buzzer: .fixed)
    static let five = panel(["a", "b", "c", "d", "e", "f"], led: .rgb, buzzer: .pitched)
    static let panels = [one, two, .reference, five]

    static func task(_ steps: [Step], key: String = "task") -> StudyTask {
        StudyTask(
            key: key, index: 0, wireName: key, name: key, prompt: PromptText(title: key, message: ""), condition: nil,
            schedule: NeverDue(),
            content: .questionnaire(
                Questionnaire(
                    sections: [Section(name: "", steps: steps, shufflesSteps: false)], shufflesSections: false,
                    submitText: "Submit")))
    }

    static let chance = Chance(seed: [1]) { bytes in
        (0..<32).map { UInt8(truncatingIfNeeded: bytes.reduce($0) { $0 &* 31 &+ Int($1) }) }
    }

    static let now = LocalDateTime(LocalDate(year: 2026, month: 2, day: 27)!, LocalTime(hour: 9, minute: 41)!)

    static func run(_ task: StudyTask, on panel: Panel, limits: RunLimits = RunLimits()) -> TaskRun {
        TaskRun(
            OpenedTask(task, opening: 1, chance: chance), facts: StudyFacts(), id: "run", now: now, panel: panel,
            cards: CardIndex([task]), limits: limits)
    }

    static let options = ["apple", "orange", "banana"].map { ChoiceFormat.Option(value: $0, text: $0) }
}
