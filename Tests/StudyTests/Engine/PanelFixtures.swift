// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Study

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
            content: Questionnaire(steps, submitText: "Submit"))
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

/// A device in virtual time: presses go in as edges, ticks come when the session wants them,
/// effects are collected, and what the agent would answer is answered at once.
struct PanelBench {
    let panel: Panel
    var session: PanelSession
    var now = MonotonicTime.zero
    var effects: [PanelEffect] = []
    private(set) var openedRuns = 0
    let tasks: [String: StudyTask]
    var stores = true

    init(
        _ panel: Panel, tasks: [StudyTask], limits: SessionLimits = SessionLimits(),
        withdrawal: WithdrawalRule = .keepsData
    ) {
        self.panel = panel
        self.tasks = Dictionary(uniqueKeysWithValues: tasks.map { ($0.key, $0) })
        session = PanelSession(panel, cards: CardIndex(tasks), limits: limits, withdrawal: withdrawal, at: .zero)
    }

    static func run(of record: RunRecord) -> SubmittedRun {
        SubmittedRun(task: record.opened.task.key, opening: record.opened.opening)
    }

    mutating func send(_ event: PanelEvent) { handle(session.handle(event, at: now)) }

    private mutating func handle(_ wanted: [PanelEffect]) {
        effects += wanted
        for effect in wanted {
            switch effect {
            case .openTask(let id):
                guard let task = tasks[String(id.prefix { $0 != "/" })] else { return send(.notOpened) }
                openedRuns += 1
                send(
                    .opened(
                        OpenedTask(task, opening: 1, chance: PanelFixtures.chance), facts: StudyFacts(), run: "run",
                        now: PanelFixtures.now))
            case .submitted(let record) where stores: send(.stored(Self.run(of: record)))
            default: break
            }
        }
    }

    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let wake = session.wake, wake <= end {
            now = max(now, wake)
            send(.tick)
        }
        now = end
    }

    mutating func press(_ gesture: Gesture, repeats: Int = 0) {
        for edge in PressFinder(panel).edges(Press(gesture, repeats: repeats), at: now) ?? [] {
            wait(edge.time - now)
            send(.button(edge))
        }
    }

    /// Presses until the goal has nothing more to press; gives the number of presses.
    @discardableResult
    mutating func reach(_ goal: PanelGoal, limit: Int = 500) -> Int {
        var count = 0
        let questions = session.run?.questions.count
        while count < limit, let next = session.press(towards: goal) {
            press(next.gesture, repeats: next.repeats)
            wait(PressFinder.pause)
            count += 1
            if case .answer = goal, session.run?.questions.count != questions { break }
            if case .openItem = goal, session.run != nil { break }
            if case .leaveStudy = goal, session.isIdle { break }
        }
        return count
    }

    /// The first cue of every signal, in order.
    var told: [Cue] {
        effects.compactMap { if case .device(.signal(let plan)) = $0 { plan.cue } else { nil } }
    }

    /// The names of all effects that are not signals or edges.
    var notes: [String] {
        effects.compactMap { effect in
            switch effect {
            case .device(.signal), .press, .device(.stopSignals): nil
            default: String("\(effect)".prefix { $0 != "(" })
            }
        }
    }

    var submitted: RunRecord? {
        effects.compactMap { if case .submitted(let record) = $0 { record } else { nil } }.last
    }
}
