// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Simulation
import SystemKit
import Terminal

@testable import Agent
@testable import Study
@testable import studyd_tools

/// A study of our own on the simulated board, in virtual time from 10:00:00 on.
struct DemoBench {
    /// GNU date -u -d 2026-03-02T10:00Z +%s
    static let start = Instant(seconds: 1_772_445_600)

    let board: BoardDescription
    let panel: Panel
    var conductor: StudyConductor
    var narrator: Narrator
    var now = Moment(instant: start, monotonic: .zero)
    /// What was printed, each line with its time.
    var lines: [String] = []
    /// Keys of the tasks that were submitted.
    var submitted: [String] = []
    var hasLeft = false
    /// What is submitted is stored at once.
    var stores = true
    private let drawing: DemoPicture

    init(_ tasks: [StudyTask], explains: Bool = false, hasFiveButtons: Bool = false) throws {
        board = try Self.board(hasFiveButtons: hasFiveButtons)
        panel = try Panel(board)
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: nil, instant: Self.start,
            local: Zone.utc.local(Self.start), seed: [1])
        let study = StudyProtocol(
            platform: PlatformName(rawValue: "schema"), studyID: "S", texts: StudyTexts(), conditions: [],
            tasks: tasks, postURL: nil, writer: NoReports())
        let planner = Planner(
            study: study,
            context: ScheduleContext(
                enrolment: enrolment, zone: .utc, chance: Chance(seed: [1], digest: Digest.sha256),
                facts: StudyFacts()))
        conductor = StudyConductor(planner: planner, scheduler: Scheduler(plan: planner.plan), panel: panel, at: now)
        narrator = Narrator(zone: .utc, panel: panel, keys: board.buttons.map(\.terminalKey), explains: explains)
        drawing = DemoPicture(board, panel: panel, address: "http://x", trace: SignalTrace())
    }

    /// The simulated board, with a light of its own in the button `select`; of five buttons the last two undo and
    /// open the menu.
    static func board(hasFiveButtons: Bool = false) throws -> BoardDescription {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let lamp = "[[light]]\nname = \"lamp\"\ndevice = \"simulated\"\nbutton = \"select\"\n\n[buzzer]"
        let more = [("undo", 22), ("menu", 50)].map { name, code in
            "[[button]]\nname = \"\(name)\"\ndevice = \"simulated\"\ncode = \(code)\n\n"
        }
        return try BoardDescription(
            parsing: BoundedFile.text(path).replacing(
                "[buzzer]", with: (hasFiveButtons ? more.joined() : "") + lamp), file: path)
    }

    /// Due that many minutes after 10 o'clock, for half an hour; without minutes it stays in the list.
    static func task(
        _ key: String, _ steps: [Step], at minutes: [Int] = [], unlocked: any Condition = Always()
    ) -> StudyTask {
        let isSticky = minutes.isEmpty
        return StudyTask(
            key: key, index: 0, wireName: key, name: "Evening",
            prompt: PromptText(title: "Evening", message: "A few questions"), condition: nil,
            schedule: InMinutes(minutes: isSticky ? [0] : minutes, isSticky: isSticky), unlocked: unlocked,
            isSticky: isSticky,
            content: Questionnaire(steps))
    }

    static func yesNo(_ key: String) -> Step {
        Step(key: key, text: "Are you well?", format: .yesNo(yes: "Yes", no: "No"))
    }

    static func choice(_ key: String, isMultiple: Bool) -> Step {
        Step(
            key: key, text: "Which colour?",
            format: .choice(
                ChoiceFormat(
                    options: [.init(value: "r", text: "red"), .init(value: "b", text: "blue")],
                    isMultiple: isMultiple)))
    }

    mutating func send(_ event: StudyConductor.Event) {
        let effects = conductor.handle(event, at: now)
        lines += narrator.narrate(AgentSnapshot(conductor: conductor, effects: effects, now: now))
        var run: SubmittedRun?
        for effect in effects {
            switch effect {
            case .note(.submitted(let task, let opening, _)):
                submitted.append(task)
                run = SubmittedRun(task: task, opening: opening)
            case .withdraw: hasLeft = true
            default: break
            }
        }
        if let run, stores { send(.stored(run)) }
    }

    mutating func wait(_ duration: Duration) {
        let end = now.monotonic + duration
        while let wake = conductor.wake(at: now), wake <= end {
            pass(to: max(now.monotonic, wake))
            send(.tick)
        }
        pass(to: end)
    }

    private mutating func pass(to time: MonotonicTime) {
        now = Moment(instant: now.instant + (time - now.monotonic), monotonic: time)
    }

    mutating func press(_ gesture: Gesture) {
        follow(PressFinder(panel).edges(Press(gesture), at: now.monotonic) ?? [])
    }

    mutating func press(_ button: Int, for duration: Duration) {
        let time = now.monotonic
        follow([
            ButtonEvent(button: button, isPressed: true, time: time),
            ButtonEvent(button: button, isPressed: false, time: time + duration),
        ])
    }

    mutating func follow(_ edges: [ButtonEvent]) {
        for edge in edges {
            wait(edge.time - now.monotonic)
            send(.button(edge))
        }
        wait(PressFinder.pause)
    }

    func shown(_ states: [SimulatedPanelFolder.State] = [], at moment: Moment? = nil) -> BoardPicture {
        drawing.picture(conductor, states, narrator, tellsReleases: false, log: [], at: moment ?? now)
    }

    var card: BoardPicture.Card { shown().card ?? BoardPicture.Card(heading: "", text: "") }
}

/// Due that many minutes after the enrolment.
private struct InMinutes: Schedule {
    let minutes: [Int]
    let isSticky: Bool

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        minutes.enumerated().map { index, minute in
            let due = context.enrolment.instant + .seconds(minute * 60)
            return Occurrence(
                id: "\(task.key)/\(index + 1)", task: task.key, taskIndex: task.index, number: index + 1,
                local: context.zone.local(due), due: due, expires: isSticky ? nil : due + .seconds(1_800),
                isSignalled: !isSticky)
        }
    }
}

private struct NoReports: ReportWriter {
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] { [] }
    func answers(_ submission: Submission, in context: WireContext) -> JSONText { .object([]) }
}

/// The simulated board's keys, read as the kernel's driver would be.
final class PressedKeys {
    private let simulation: SimulatedBoard
    private let codes: [Int]
    private let pipe: CInt
    let buttons: DemoButtons

    init(_ board: BoardDescription) throws {
        let simulation = try SimulatedBoard(board, clock: VirtualClock(now: .epoch), soundSeconds: 1)
        self.simulation = simulation
        buttons = DemoButtons(simulation, board: board)
        codes = board.buttons.map { Int($0.code) }
        pipe = open(simulation.keys?.path ?? "", O_RDONLY | O_NONBLOCK)
    }

    deinit {
        close(pipe)
        simulation.stop()
    }

    /// What was pressed since the last call, whenever it is due: records of linux/input.h, 24 bytes each, of
    /// which those of type 1 are keys.
    func edges() -> [ButtonEvent] {
        simulation.keys?.serve(at: MonotonicTime(nanoseconds: .max))
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(pipe, &bytes, bytes.count)
        return stride(from: 0, to: max(0, count), by: 24).compactMap { start in
            func number(_ offset: Int, _ size: Int) -> Int {
                (0..<size).reduce(0) { $0 | Int(bytes[start + offset + $1]) << (8 * $1) }
            }
            guard number(16, 2) == 1, let button = codes.firstIndex(of: number(18, 2)) else { return nil }
            let time = MonotonicTime(nanoseconds: Int64(number(0, 8) * 1_000_000 + number(8, 8)) * 1_000)
            return ButtonEvent(button: button, isPressed: number(20, 4) == 1, time: time)
        }
    }
}
