// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

/// A time server that is wrong for a while and right again, against the same study without it:
/// the kernel's clock is `ClockMachine` (Linux kernel/time/ntp.c), every minute heard from the
/// server as systemd-timesyncd does. What has to come out is not ours: the run without a jump.
/// That a far correction makes jobs run again and a small one does not is the rule of cron(8)
/// ("changes of more than 3 hours are considered to be corrections to the clock, and the new time
/// is used immediately").
@Suite struct ClockJumpTests {
    static let sizes: [Int64] = [3600, -3600, 86_400, -86_400, 315_360_000, -315_360_000]

    @Test(arguments: sizes) func aJumpOfLessThanAnHourChangesNothingAtAll(by: Int64) {
        for seed: UInt64 in 1...6 {
            var chance = SplitMix64(seed: seed)
            let jumps = (0..<4).map { day in
                Study.Jump(minute: day * 1440 + chance.below(1300), minutes: 1 + chance.below(57), by: .seconds(by))
            }
            let plan = Study.plan(seed)
            let reference = Study.run(plan, [])
            #expect(Study.run(plan, jumps) == reference && reference.prompts.count > 30, "seed \(seed)")
        }
    }

    @Test(arguments: sizes) func aJumpThatIsBelievedChangesNoPromptAfterIt(by: Int64) {
        for seed: UInt64 in 1...8 {
            var chance = SplitMix64(seed: seed)
            let jump = Study.Jump(
                minute: 60 + chance.below(3000), minutes: 70 + chance.below(2500), by: .seconds(by))
            let plan = Study.plan(seed)
            let (reference, run) = (Study.run(plan, []), Study.run(plan, [jump]))
            let end = jump.minute + jump.minutes + 1
            let due = reference.prompts.filter { $0.value.last ?? 0 > end }
            #expect(!due.isEmpty)
            for (id, minutes) in due where !run.answeredWrongly.contains(id) {
                #expect(run.prompts[id]?.last == minutes.last, "seed \(seed), \(jump), \(id)")
            }
            let more = run.prompts.filter { $0.value.last ?? 0 > end && reference.due[$0.key] ?? 0 > end }
            #expect(Set(more.keys).isSubset(of: due.keys), "nothing is asked twice or too much")
            for id in due.keys where !run.answeredWrongly.contains(id) {
                #expect(run.outcomes[id] == reference.outcomes[id], "seed \(seed), \(jump), \(id)")
            }
        }
    }

    @Test func aBelievedJumpIsLeftAtOnceWhenTheClockIsBackWhereItWas() {
        var machine = ClockMachine()
        machine.contact()
        for _ in 0..<70 {
            machine.wall = machine.utc + .seconds(86_400)
            machine.kernel.contact()
            machine.pass(60)
        }
        #expect(machine.error > .seconds(86_000))
        machine.contact()
        #expect(machine.error < .milliseconds(1))
    }

    /// A restart while the wrong clock is believed: the log's jumps are all that is left of it.
    @Test func aRestartInTheWrongTimeForgetsNothing() throws {
        let plan = Study.plan(3)
        var scheduler = Scheduler(plan: plan)
        _ = scheduler.handle(.tick, at: Study.start + .seconds(600))
        let wrong = Study.start + .seconds(315_360_000)
        var outcomes: [String: Outcome] = [:]
        for case .outcome(let occurrence, let outcome) in scheduler.handle(.tick, at: wrong) {
            outcomes[occurrence.id] = outcome
        }
        var second = Scheduler(
            plan: plan, outcomes: outcomes, clockIsTrusted: false,
            lead: ClockLead(jumps: [(by: .seconds(315_360_000 - 600), at: wrong)]))
        _ = second.handle(.wasOff(from: wrong, to: wrong + .seconds(5)), at: wrong + .seconds(5))
        _ = second.handle(.clock(trusted: true), at: wrong + .seconds(5))
        let right = Study.start + .seconds(700)
        let returned = second.handle(.clockJumped(by: right - (wrong + .seconds(5))), at: right).filter {
            if case .returned = $0 { true } else { false }
        }
        let future = plan.occurrences.filter { $0.due > right }
        #expect(returned.count == future.count && second.wake == future.first?.due)
        // The same where the clock was put right while the device was off.
        var third = Scheduler(plan: plan, outcomes: outcomes, clockIsTrusted: false)
        _ = third.handle(.wasOff(from: wrong, to: right), at: right)
        _ = third.handle(.clock(trusted: true), at: right)
        #expect(third.wake == future.first?.due)
    }

    /// A correction by minutes: who was asked is not asked again.
    @Test func aSmallCorrectionRepeatsNothing() {
        var scheduler = Scheduler(plan: Study.plan(1))
        guard let first = scheduler.wake else { return }
        #expect(scheduler.handle(.tick, at: first).count == 1)
        let back = scheduler.handle(.clockJumped(by: .seconds(-300)), at: first - .seconds(300))
        #expect(back.isEmpty && scheduler.ledger.open == 1)
    }
}

/// A study of six days in true minutes, with somebody who answers a third of its prompts.
private enum Study {
    struct Jump: Equatable { let minute: Int, minutes: Int, by: Duration }

    struct Course: Equatable {
        /// When each was signalled, in true minutes.
        var prompts: [String: [Int]] = [:]
        var outcomes: [String: Outcome] = [:]
        var due: [String: Int] = [:]
        var answeredWrongly: Set<String> = []
    }

    static let start = ClockMachine().start
    static let minutes = 6 * 1440

    static func plan(_ seed: UInt64) -> Plan {
        var chance = SplitMix64(seed: seed &* 77)
        let times = (0..<6).flatMap { day in (0..<5).map { _ in day * 1440 + 2 + chance.below(1430) } }.sorted()
        let tasks = [
            task("mood", times, timeout: 30, index: 0),
            task("diary", (0..<6).map { $0 * 1440 + 1200 }, timeout: nil, index: 1),
            task("sleep", (0..<6).map { $0 * 1440 + 500 }, timeout: 300, index: 2),
        ]
        let made = tasks.flatMap { occurrences($0.0, $0.1, $0.2) }.sorted { ($0.due, $0.id) < ($1.due, $1.id) }
        return Plan(tasks: tasks.map(\.0), occurrences: made)
    }

    private static func task(_ key: String, _ times: [Int], timeout: Int?, index: Int) -> (StudyTask, [Int], Int?) {
        let task = StudyTask(
            key: key, index: index, wireName: key, name: key, prompt: PromptText(title: "", message: ""),
            condition: nil, schedule: None(), unlocked: Always(), isSticky: false, listLabel: "",
            content: Questionnaire(sections: [], shufflesSections: false, submitText: ""))
        return (task, times, timeout)
    }

    private struct None: Schedule {
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
    }

    private static func occurrences(_ task: StudyTask, _ times: [Int], _ timeout: Int?) -> [Occurrence] {
        times.enumerated().map { number, minute in
            let due = start + .seconds(minute * 60)
            return Occurrence(
                id: "\(task.key)/\(number)", task: task.key, taskIndex: task.index, number: number,
                local: Zone.utc.local(due), due: due, expires: timeout.map { due + .seconds($0 * 60) })
        }
    }

    /// As `StudyLoop.checkClock` does it: a look at the clock, the step told, time passed.
    static func run(_ plan: Plan, _ jumps: [Jump]) -> Course {
        var machine = ClockMachine()
        machine.contact()
        var scheduler = Scheduler(plan: plan)
        var course = Course()
        for occurrence in plan.occurrences {
            course.due[occurrence.id] = Int((occurrence.due - start).seconds / 60)
        }
        var last = (monotonic: machine.monotonic, instant: machine.utc)
        for minute in 1...minutes {
            machine.pass(60)
            let jump = jumps.first { $0.minute <= minute && minute < $0.minute + $0.minutes }
            machine.wall = machine.utc + (jump?.by ?? .zero)
            machine.kernel.contact()
            machine.observe()
            let now = machine.custody.instant(at: machine.monotonic, wall: machine.wall)
            let step = (now - last.instant) - (machine.monotonic - last.monotonic)
            last = (machine.monotonic, now)
            let isStep = step.magnitude > .milliseconds(500)
            record(scheduler.handle(isStep ? .clockJumped(by: step) : .tick, at: now), minute, &course)
            answer(&scheduler, now, minute, machine.error > .seconds(60), &course)
        }
        return course
    }

    private static func answer(
        _ scheduler: inout Scheduler, _ now: Instant, _ minute: Int, _ isWrong: Bool, _ course: inout Course
    ) {
        for (id, minutes) in course.prompts where minutes.last.map({ minute - $0 <= 5 }) ?? false {
            if minutes.last == minute { record(scheduler.handle(.presented(id), at: now), minute, &course) }
            guard minutes.last == minute - 5, id.utf8.reduce(0, { $0 &* 31 &+ Int($1) }) % 3 == 0,
                scheduler.list(at: now).entries.contains(where: { $0.occurrence.id == id })
            else { continue }
            if isWrong { course.answeredWrongly.insert(id) }
            record(scheduler.handle(.opened(id), at: now), minute, &course)
            record(scheduler.handle(.completed(id), at: now), minute, &course)
        }
    }

    private static func record(_ effects: [Scheduler.Effect], _ minute: Int, _ course: inout Course) {
        for effect in effects {
            switch effect {
            case .prompt(let occurrence): course.prompts[occurrence.id, default: []].append(minute)
            case .outcome(let occurrence, let outcome): course.outcomes[occurrence.id] = outcome
            case .returned(let occurrence): course.outcomes[occurrence.id] = nil
            case .withdraw, .remind, .unanswered: break
            }
        }
    }
}
