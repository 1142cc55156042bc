// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Study

/// A log that was made by the engine is proved; each kind of lie in it is found and named.
@Suite struct RuleProofTests {
    private static let text =
        RuleSample.move + """
            [rule.clock]
            task = "a"
            every = "15m"
            available = ["worn", "prompts on", "20m since prompt", "move < 400"]
            probability = [{ when = "move < 30", p = 0.6 }, { p = 0.3 }]
            outcome = { feature = "move", window = "+3m" }
            [rule.noon]
            task = "a"
            at = ["10:50", "12:20", "13:10"]
            probability = 0.5
            [rule.still]
            task = "b"
            when = "move < 30 for 4m"
            rearm = "10m"
            probability = 0.5
            """

    private enum Step {
        case began(MonotonicTime)
        case epoch(FeatureEpoch)
        case worn(Instant?)
        case switched(Bool)
        case prompted
        case decided(DecisionRecord)
        case measured(OutcomeRecord)
    }

    /// Everything of a morning in its order: two hours, half an hour without power, an hour.
    private static func morning(_ text: String = text) throws -> [(now: Moment, step: Step)] {
        var steps: [(now: Moment, step: Step)] = []
        var bench = try RuleBench(text)
        live(120, &bench, &steps)
        var memory = RuleMemory()
        for decision in bench.decisions {
            memory.rules[decision.rule] = .init(last: decision, budget: nil)
            if decision.outcome != nil,
                !bench.outcomes.contains(where: { ($0.rule, $0.index) == (decision.rule, decision.index) })
            {
                memory.pending.append(.init(rule: decision.rule, index: decision.index, due: decision.due))
            }
        }
        memory.lastPrompt = bench.decisions.last { $0.result == .treated }?.at
        bench = try RuleBench(text, memory: memory, start: Sample.after(150))
        live(60, &bench, &steps)
        return steps
    }

    private static func live(_ minutes: Int, _ bench: inout RuleBench, _ steps: inout [(now: Moment, step: Step)]) {
        var (decisions, outcomes) = (0, 0)
        func note(_ bench: RuleBench, _ steps: inout [(now: Moment, step: Step)]) {
            for decision in bench.decisions.dropFirst(decisions) {
                steps.append((bench.now, .decided(decision)))
                if decision.result == .treated { steps.append((bench.now, .prompted)) }
            }
            for outcome in bench.outcomes.dropFirst(outcomes) { steps.append((bench.now, .measured(outcome))) }
            (decisions, outcomes) = (bench.decisions.count, bench.outcomes.count)
        }
        steps.append((bench.now, .began(bench.now.monotonic)))
        note(bench, &steps)
        for minute in 1...minutes {
            bench.pass(60)
            note(bench, &steps)
            if minute == 40 || minute == 50 {
                let since = minute == 40 ? bench.now.instant : nil
                steps.append((bench.now, .worn(since)))
                bench.send(.notWorn(since: since))
            }
            if minute == 70 || minute == 80 {
                bench.promptsAreOn = minute == 80
                steps.append((bench.now, .switched(minute == 80)))
            }
            // Twenty minutes of rest, ten of moving; some of it is not measured.
            let value: Double? = (95...99).contains(minute) ? nil : minute % 30 < 20 ? 5 : 200
            if let value {
                let epoch = FeatureEpoch(
                    source: "accelerometer", start: bench.now.instant - .seconds(60), length: .seconds(60),
                    columns: ["counts_x", "counts_vm"], values: [0, value], coverage: 1, recording: 7)
                steps.append((bench.now, .epoch(epoch)))
                bench.send(.epochs([epoch]))
            }
            note(bench, &steps)
        }
    }

    private static func prompted(at now: Moment) -> StudyEvent {
        let occurrence = Occurrence(
            id: "a/rule.x.1", task: "a", taskIndex: 0, number: 1, local: Zone.utc.local(now.instant),
            due: now.instant, expires: nil)
        return .prompted(occurrence: OccurrenceRecord(occurrence))
    }

    /// What the proof says of it; nil = it holds.
    private static func verdict(
        _ steps: [(now: Moment, step: Step)], _ text: String = text, isMeasured: (Instant) -> Bool = { _ in true }
    ) throws -> (proof: RuleProof, words: String?) {
        var proof = RuleProof(try RuleSample.read(text), context: try RuleSample.context())
        do {
            for (now, step) in steps {
                switch step {
                case .began(let time): proof.restart(at: time)
                case .epoch(let epoch): proof.add(epoch, at: now)
                case .worn(let since): proof.notWorn(since: since, at: now)
                case .switched(let on): proof.note(.promptsSwitched(on: on), at: now)
                case .prompted: proof.note(Self.prompted(at: now), at: now)
                case .decided(let one): try proof.check(one, at: now, isMeasured: isMeasured(now.instant))
                case .measured(let one): try proof.check(one, at: now, isMeasured: isMeasured(now.instant))
                }
            }
        } catch { return (proof, "\(error)") }
        return (proof, nil)
    }

    /// The record with other members.
    private static func altered<Record: Codable>(_ record: Record, _ members: [String: Any?]) throws -> Record {
        let data = try JSONEncoder().encode(record)
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        for (path, value) in members {
            let parts = path.split(separator: ".").map(String.init)
            guard parts.count == 3, var state = object[parts[0]] as? [String: Any],
                var reading = state[parts[1]] as? [String: Any]
            else {
                object[path] = value
                continue
            }
            reading[parts[2]] = value
            state[parts[1]] = reading
            object[parts[0]] = state
        }
        return try JSONDecoder().decode(Record.self, from: JSONSerialization.data(withJSONObject: object))
    }

    @Test func whatTheEngineDecidedIsProved() throws {
        let steps = try Self.morning()
        let (proof, words) = try Self.verdict(steps)
        #expect(words == nil)
        let decided = steps.compactMap { if case .decided(let one) = $0.step { one } else { nil } }
        #expect(proof.decisions == decided.count && decided.count > 20)
        #expect(proof.outcomes > 8 && proof.values > 20)
        // Every kind of end is among them, so that each can be lied about.
        let reasons = Set(decided.flatMap(\.reasons))
        #expect(
            reasons.isSuperset(of: ["not-worn", "prompts-off", "recent-prompt", "condition", "coverage", "device-off"]),
            "\(reasons)")
        #expect(Set(decided.map(\.result)) == Set(DecisionRecord.Result.allCases))
        #expect(Set(decided.map(\.rule)) == ["clock", "noon", "still"])
    }

    /// docs/rules.md: `rearm` counts from the last decision, whatever was between.
    @Test func aRestartWithinTheRearmOfARuleLeavesItsLastDecision() throws {
        let text = Self.text.replacing("rearm = \"10m\"", with: "rearm = \"165m\"")
        let steps = try Self.morning(text)
        let restart = try #require(steps.lastIndex { if case .began = $0.step { true } else { false } })
        func decisions(_ steps: some Sequence<(now: Moment, step: Step)>) -> Int {
            steps.filter { if case .decided(let one) = $0.step { one.rule == "still" } else { false } }.count
        }
        #expect(decisions(steps[..<restart]) == 1 && decisions(steps[restart...]) == 1)
        #expect(try Self.verdict(steps, text).words == nil)
    }

    /// What was delivered is removed in time; the budget was spent by it all the same.
    @Test func aBudgetGoesOnFromTheLogWhereRecordingsAreGone() throws {
        let text =
            RuleSample.move + """
                [rule.clock]
                task = "a"
                every = "15m"
                available = ["move < 400"]
                budget = { per_day = 20 }
                """
        var steps: [(now: Moment, step: Step)] = []
        var bench = try RuleBench(text)
        Self.live(120, &bench, &steps)
        let available = bench.decisions.filter(\.available).map(\.due)
        let gone = Sample.after(60)
        #expect(available.contains { $0 <= gone } && available.contains { $0 > gone })
        let kept = steps.filter { if case .epoch = $0.step { $0.now.instant > gone } else { true } }
        let (proof, words) = try Self.verdict(kept, text) { $0 > gone }
        #expect(words == nil)
        #expect(proof.decisions == 8 && proof.taken == ["recordings that are not here": 4])
    }

    /// A step moves what the agent knows; its next run reads what the log has.
    @Test(arguments: [(false, true), (true, false)]) func aPromptBeforeAStepIsTheLogsAfterARestart(
        restarts: Bool, isRecent: Bool
    ) throws {
        let text =
            "[rule.r]\ntask = \"a\"\nat = [\"10:10\", \"12:00\"]\navailable = [\"60m since prompt\"]\nprobability = 0.5\n"
        var bench = try RuleBench(text)
        var proof = RuleProof(try RuleSample.read(text), context: try RuleSample.context())
        proof.restart(at: bench.now.monotonic)
        bench.pass(600)
        let first = try #require(bench.decisions.first)
        try proof.check(first, at: bench.now, isMeasured: true)
        bench.pass(600)
        bench.send(.prompted)
        proof.note(Self.prompted(at: bench.now), at: bench.now)
        var memory = RuleMemory()
        memory.rules["r"] = .init(last: first, budget: nil)
        memory.lastPrompt = bench.now.instant
        bench.pass(60, set: .seconds(3600))
        proof.note(.clockStepped(nanoseconds: 3_600_000_000_000), at: bench.now)
        if restarts {
            bench = try RuleBench(text, memory: memory, start: bench.now.instant)
            proof.restart(at: bench.now.monotonic)
        }
        bench.pass(39 * 60)
        let last = try #require(bench.decisions.last)
        #expect(last.local.time.hour == 12 && last.reasons == (isRecent ? ["recent-prompt"] : []))
        try proof.check(last, at: bench.now, isMeasured: true)
    }

    /// Berlin's noon is quiet, and was looked at there; London's eleven is not. Without that moment, as in a log of an
    /// older version, 11:10 in London would have been a point.
    @Test(arguments: [true, false]) func whatWasLookedAtBeforeAChangeOfZoneIsNoPoint(isDated: Bool) throws {
        let text = "[rule.r]\ntask = \"a\"\nevery = \"5m\"\nquiet = [\"12:00-12:59\"]\nprobability = 0.5\n"
        let (berlin, london) = (try Zone.load("Europe/Berlin"), try Zone.load("Europe/London"))
        let (enrolled, off) = (Sample.after(69), Sample.after(80) + .seconds(30))
        var bench = try RuleBench(
            text, zone: london, start: off + .seconds(5), enrolled: enrolled, zoneBefore: berlin, isTrusted: false)
        bench.send(.wasOff(from: off))
        bench.send(.clock(trusted: true))
        var proof = RuleProof(
            try RuleSample.read(text), context: try RuleSample.context(zone: berlin, at: enrolled)
        ) { try? Zone.load($0) }
        proof.restart(at: bench.now.monotonic)
        let change = StudyEvent.zoneChanged(from: "Europe/Berlin", to: "Europe/London", until: isDated ? off : nil)
        proof.note(change, at: bench.now)
        bench.pass(265)
        let first = try #require(bench.decisions.first)
        #expect(first.due == Sample.after(85))
        var member: String?
        do throws(RuleProof.Difference) {
            try proof.check(first, at: bench.now, isMeasured: true)
        } catch { member = error.member }
        #expect(member == (isDated ? nil : "the point before it"))
    }

    /// By a clock that was a day ahead the device was on in Berlin until tomorrow. Of the start after that of the change
    /// the first decision in London says otherwise.
    @Test func aZoneThatAWrongClockDatedIsOverAtTheNextDecision() throws {
        let text = "[rule.r]\ntask = \"a\"\nevery = \"5m\"\nquiet = [\"12:00-12:59\"]\nprobability = 0.5\n"
        let (berlin, london) = (try Zone.load("Europe/Berlin"), try Zone.load("Europe/London"))
        let (enrolled, off) = (Sample.after(69), Sample.after(80 + 1440))
        var bench = try RuleBench(
            text, zone: london, start: Sample.after(80) + .seconds(30), enrolled: enrolled, zoneBefore: berlin,
            isTrusted: false)
        bench.send(.wasOff(from: off))
        bench.send(.clock(trusted: true))
        var proof = RuleProof(
            try RuleSample.read(text), context: try RuleSample.context(zone: berlin, at: enrolled)
        ) { try? Zone.load($0) }
        proof.restart(at: bench.now.monotonic)
        proof.note(.zoneChanged(from: "Europe/Berlin", to: "Europe/London", until: off), at: bench.now)
        bench.pass(270)
        let first = try #require(bench.decisions.first)
        try proof.check(first, at: bench.now, isMeasured: true)
        var memory = RuleMemory()
        memory.rules["r"] = .init(last: first, budget: nil)
        memory.stays = [.init(zone: berlin, until: first.at)]
        bench = try RuleBench(text, memory: memory, zone: london, start: Sample.after(99), enrolled: enrolled)
        proof.restart(at: bench.now.monotonic)
        #expect(bench.lines == ["11:30 missed(device-off)", "11:35 missed(device-off)"])
        for decision in bench.decisions { try proof.check(decision, at: bench.now, isMeasured: true) }
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The first decision of this rule and result is altered.
        let rule: String
        let result: DecisionRecord.Result
        let members: @Sendable () -> [String: Any?]
        /// What the proof has to call it.
        let named: String

        init(
            _ what: String, _ rule: String, _ result: DecisionRecord.Result, named: String,
            _ members: @escaping @Sendable () -> [String: Any?]
        ) { (testDescription, self.rule, self.result, self.named, self.members) = (what, rule, result, named, members) }
    }

    static let lies = [
        Lie("a feature's value", "clock", .treated, named: "move is") { ["state.move.value": 700] },
        Lie("a feature's coverage", "clock", .treated, named: "move's coverage is") { ["state.move.coverage": 0.5] },
        Lie("an unknown feature", "clock", .treated, named: "move is") { ["state.move.value": nil] },
        Lie("a feature left out", "clock", .treated, named: "features is") { ["state": [String: Any]()] },
        Lie("another reason", "clock", .unavailable, named: "reasons is") { ["reasons": ["study-off"]] },
        Lie("no reason", "clock", .unavailable, named: "is") { ["reasons": [String]()] },
        Lie("available in spite of a reason", "clock", .unavailable, named: "result is") {
            ["result": "control", "available": true, "reasons": [String](), "probability": 0.6, "draw": 0.9]
        },
        Lie("unavailable without a reason that holds", "clock", .control, named: "result is") {
            ["result": "unavailable", "available": false, "reasons": ["not-worn"], "probability": nil, "draw": nil]
        },
        Lie("another probability", "clock", .control, named: "probability is") { ["probability": 0.5] },
        Lie("no probability", "clock", .control, named: "probability is") { ["probability": nil] },
        Lie("a probability of 0", "clock", .control, named: "probability is") { ["probability": 0] },
        Lie("another draw", "clock", .control, named: "draw is") { ["draw": 0.99] },
        Lie("no draw", "clock", .control, named: "draw is") { ["draw": nil] },
        Lie("another label", "clock", .control, named: "label is") { ["label": "rule clock/99"] },
        Lie("treated instead of control", "clock", .control, named: "result is") { ["result": "treated"] },
        Lie("control instead of treated", "noon", .treated, named: "result is") { ["result": "control"] },
        Lie("missed instead of decided", "clock", .control, named: "result is") {
            [
                "result": "missed", "available": false, "reasons": ["device-off"], "probability": nil, "draw": nil,
                "state": nil,
            ]
        },
        Lie("decided instead of missed", "clock", .missed, named: "result is") {
            ["result": "control", "available": true, "reasons": [String](), "probability": 0.6, "draw": 0.7]
        },
        Lie("other rules", "noon", .treated, named: "rules is") { ["rules": "other"] },
        Lie("a task of another rule", "noon", .treated, named: "task is") { ["task": "b"] },
        Lie("a rule that the file has not", "noon", .treated, named: "none of the file") { ["rule": "night"] },
        Lie("an outcome that no rule has", "noon", .treated, named: "outcome is") { ["outcome": "move"] },
        Lie("a number left out", "still", .treated, named: "index is") { ["index": 77] },
    ]

    @Test(arguments: lies) func aLieIsFoundAndNamed(lie: Lie) throws {
        var steps = try Self.morning()
        let place = try #require(
            steps.firstIndex {
                if case .decided(let one) = $0.step { one.rule == lie.rule && one.result == lie.result } else { false }
            }, "no such decision")
        guard case .decided(let decision) = steps[place].step else { return }
        steps[place].step = .decided(try Self.altered(decision, lie.members()))
        let words = try #require(try Self.verdict(steps).words)
        #expect(words.contains(lie.named) && words.contains("decision"), "\(words)")
    }

    /// Where recordings are gone the seed alone says what was drawn, and what came of it.
    @Test(arguments: [("draw", "draw is"), ("result", "result is")]) func withoutRecordingsTheSeedProvesADraw(
        member: String, named: String
    ) throws {
        var steps = try Self.morning()
        let truth = try Self.verdict(steps, isMeasured: { _ in false })
        #expect(truth.words == nil)
        let place = try #require(
            steps.firstIndex { if case .decided(let one) = $0.step { one.result == .control } else { false } })
        guard case .decided(let decision) = steps[place].step else { return }
        let lie: [String: Any?] = member == "draw" ? ["draw": 0.99] : ["result": "treated"]
        steps[place].step = .decided(try Self.altered(decision, lie))
        let words = try #require(try Self.verdict(steps, isMeasured: { _ in false }).words)
        #expect(words.contains(named), "\(words)")
    }

    @Test(arguments: [("value", 900.0), ("coverage", 0.2)]) func anotherOutcomeIsFound(member: String, value: Double)
        throws
    {
        var steps = try Self.morning()
        let place = try #require(
            steps.firstIndex { if case .measured(let one) = $0.step { one.value != nil } else { false } })
        guard case .measured(let outcome) = steps[place].step else { return }
        steps[place].step = .measured(try Self.altered(outcome, [member: value]))
        let words = try #require(try Self.verdict(steps).words)
        #expect(words.contains("the outcome move"), "\(words)")
    }

    /// Later ones are numbered as if it had never been.
    @Test(arguments: ["clock", "noon", "still"]) func aPointThatIsLeftOutIsFound(rule: String) throws {
        var steps = try Self.morning()
        let own = steps.indices.filter {
            if case .decided(let one) = steps[$0].step { one.rule == rule } else { false }
        }
        let gone = own[1]
        for place in own.dropFirst(2) {
            guard case .decided(let one) = steps[place].step, one.result == .missed || one.result == .unavailable else {
                // A draw's label would tell it as well.
                continue
            }
            steps[place].step = .decided(try Self.altered(one, ["index": one.index - 1]))
        }
        guard case .decided(let lost) = steps[gone].step else { return }
        steps.remove(at: gone)
        let words = try #require(try Self.verdict(steps).words)
        let time = lost.due.rfc3339Zulu(fractionDigits: 3)
        #expect(words.contains("the point before it is \(time)"), "\(words)")
    }

    @Test(arguments: ["clock", "noon", "still"]) func aPointThatIsMadeUpIsFound(rule: String) throws {
        var steps = try Self.morning()
        let place = try #require(
            steps.lastIndex {
                if case .decided(let one) = $0.step { one.rule == rule && one.result != .missed } else { false }
            })
        guard case .decided(let real) = steps[place].step else { return }
        // Eight minutes later it moves, and nothing was due.
        let (due, now) = (real.due + .seconds(480), steps[place].now)
        let later = Moment(instant: now.instant + .seconds(481), monotonic: now.monotonic + .seconds(481))
        let made = try Self.altered(
            real,
            [
                "index": real.index + 1, "due": due.nanoseconds, "at": (due + .seconds(1)).nanoseconds,
                "result": "unavailable", "available": false, "reasons": ["condition"], "probability": nil, "draw": nil,
            ])
        let behind = steps.firstIndex { $0.now.instant > later.instant } ?? steps.endIndex
        steps.insert((later, .decided(made)), at: behind)
        let words = try #require(try Self.verdict(steps).words)
        #expect(words.contains("the point itself is absent"), "\(words)")
    }

    /// The same on a device that had been on before the agent began: `CLOCK_MONOTONIC` counts from the boot.
    private static func morning(uptime: Duration) throws -> [(now: Moment, step: Step)] {
        try morning().map { now, step in
            let moment = Moment(instant: now.instant, monotonic: now.monotonic + uptime)
            if case .began(let time) = step { return (moment, .began(time + uptime)) }
            return (moment, step)
        }
    }

    @Test func whatTheEngineDecidedIsProvedHoweverLongTheDeviceWasOn() throws {
        #expect(try Self.verdict(Self.morning(uptime: .seconds(86_400))).words == nil)
    }

    /// The power was off from 12:00 to 12:30.
    @Test(arguments: [Duration.zero, .seconds(86_400)]) func aDecisionWhileTheDeviceWasOffIsFound(
        uptime: Duration
    ) throws {
        var steps = try Self.morning(uptime: uptime)
        let place = try #require(
            steps.firstIndex {
                if case .decided(let one) = $0.step { one.rule == "clock" && one.result == .missed } else { false }
            })
        guard case .decided(let missed) = steps[place].step else { return }
        #expect(missed.reasons == ["device-off"])
        steps[place].step = .decided(
            try Self.altered(
                missed,
                [
                    "at": (missed.due + .seconds(1)).nanoseconds, "result": "control", "available": true,
                    "reasons": [String](), "probability": 0.3, "draw": 0.9,
                ]))
        let words = try #require(try Self.verdict(steps).words)
        #expect(words.contains("when the agent began to run"), "\(words)")
    }

    /// A second is allowed for what lies between a decision and its row.
    @Test(arguments: [(true, 1_000_000_000, false), (true, 1_000_000_001, true), (false, 0, false), (false, -1, true)])
    func aDecisionIsMadeOnceItIsDueAndBeforeItIsWritten(isByRow: Bool, nanoseconds: Int, isFound: Bool) throws {
        var steps = try Self.morning()
        let place = try #require(
            steps.firstIndex { if case .decided(let one) = $0.step { one.result == .control } else { false } })
        guard case .decided(let decision) = steps[place].step else { return }
        let at = (isByRow ? steps[place].now.instant : decision.due) + .nanoseconds(nanoseconds)
        steps[place].step = .decided(try Self.altered(decision, ["at": at.nanoseconds]))
        let words = try Self.verdict(steps).words ?? ""
        #expect(words.contains(isByRow ? "when it was written" : "not before it is due") == isFound, "\(words)")
    }
}
