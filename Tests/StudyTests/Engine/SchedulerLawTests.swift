// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Laws that hold whatever happens, in whatever order.
@Suite struct SchedulerLawTests {
    /// What the effects so far say about each occurrence.
    struct Witness {
        var signalling: Set<String> = []
        var outcomes: [String: Outcome] = [:]

        mutating func see(_ effects: [Scheduler.Effect]) {
            for effect in effects {
                switch effect {
                case .prompt(let occurrence):
                    #expect(outcomes[occurrence.id] == nil && signalling.insert(occurrence.id).inserted)
                case .withdraw(let occurrence): #expect(signalling.remove(occurrence.id) != nil)
                case .outcome(let occurrence, let outcome):
                    #expect(outcomes.updateValue(outcome, forKey: occurrence.id) == nil)
                    #expect(!signalling.contains(occurrence.id))
                case .remind(let occurrence), .unanswered(let occurrence):
                    Issue.record("\(occurrence.id) has no call")
                case .returned(let occurrence):
                    outcomes[occurrence.id] = nil
                    #expect(!signalling.contains(occurrence.id))
                }
            }
        }
    }

    static func tasks(_ generator: inout SplitMix64) -> [StudyTask] {
        (0..<(1 + generator.below(4))).map { index in
            let times = (0..<generator.below(12)).map { _ in generator.below(600) - 60 }.sorted()
            return Sample.task(
                "t\(index)", sticky: generator.below(3) == 0,
                unlocked: generator.below(3) == 0 ? Completed(["t\(generator.below(4))"]) : Completed([]), at: times,
                timeout: generator.below(2) == 0 ? nil : generator.below(90), index: index)
        }
    }

    static func event(_ generator: inout SplitMix64, _ plan: Plan, _ now: Instant) -> Scheduler.Event {
        let id = plan.occurrences.isEmpty ? "none" : plan.occurrences[generator.below(plan.occurrences.count)].id
        switch generator.below(15) {
        case 0, 1: return .opened(id)
        case 2: return .left(id)
        case 3, 4: return .completed(id)
        case 5: return .declined(id)
        case 6: return .delayed(id)
        case 7: return .prompts(generator.below(2) == 0)
        case 8: return .clock(trusted: generator.below(3) > 0)
        case 9: return .wasOff(from: now - .seconds(600), to: now)
        case 10: return .replanned(plan)
        case 12: return .clockJumped(by: .seconds(generator.below(40_000)))
        case 13: return .clockJumped(by: .seconds(-generator.below(40_000)))
        case 11: return .completedAgain(task: "t0")
        default: return .tick
        }
    }

    @Test func everyOccurrenceEndsOnceAndNothingSpins() {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<150 {
            let plan = Sample.plan(Self.tasks(&generator))
            var scheduler = Scheduler(plan: plan)
            var witness = Witness()
            var minute = 0
            while minute < 2400 {
                let now = Sample.after(minute)
                witness.see(scheduler.handle(Self.event(&generator, plan, now), at: now))
                if let wake = scheduler.wake { #expect(wake > now) }
                #expect(scheduler.ledger.isBalanced)
                for entry in scheduler.list(at: now).entries {
                    #expect(entry.occurrence.due <= now)
                    if let answers = entry.answers { #expect(witness.outcomes[answers.id] == nil) }
                }
                minute += generator.below(40)
            }
            _ = scheduler.handle(.clock(trusted: true), at: Sample.after(5000))
            #expect(scheduler.ledger.due == plan.occurrences.count)
        }
    }

    @Test func restartAnywhereLosesNothing() {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<100 {
            let plan = Sample.plan(Self.tasks(&generator))
            var witness = Witness()
            var presented: Set<String> = []
            var scheduler = Scheduler(plan: plan)
            for minute in stride(from: 0, to: 900, by: 30) {
                let now = Sample.after(minute)
                if generator.below(4) == 0 {
                    scheduler = Scheduler(plan: plan, outcomes: witness.outcomes, presented: presented)
                    witness.signalling = []
                }
                let effects = scheduler.handle(.tick, at: now)
                witness.see(effects)
                for case .prompt(let occurrence) in effects { presented.insert(occurrence.id) }
                let ended = scheduler.ledger
                #expect(ended.due - ended.open == witness.outcomes.count && ended.isBalanced)
            }
        }
    }
}
