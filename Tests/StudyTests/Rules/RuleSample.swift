// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Study

/// Rules and what they are fed with.
enum RuleSample {
    static let sensors = RuleSensors(
        kinds: [
            .init("agcounts", source: "accelerometer") { _ in
                [.init("counts_x", "1"), .init("counts_vm", "1")]
            }, .init("enmo", source: "accelerometer") { _ in [.init("enmo", "g")] },
            .init("anglez", source: "accelerometer") { _ in [.init("angle_z", "deg")] },
            .init("visits", source: "position") { _ in [.init("dwell", "s"), .init("visit", "1")] },
        ], epochs: "1m and others")

    static let move = """
        [feature.move]
        from = "accelerometer"
        is = "agcounts"
        window = "3m"
        reduce = "sum-vm"

        """

    static let study = Sample.study([Sample.task("a"), Sample.task("b", index: 1)])

    static func read(_ text: String, sensors: RuleSensors = sensors, extreme: Bool = false) throws -> StudyRules {
        try StudyRulesReader.read(
            Array(text.utf8), file: "rules.toml", digest: "digest", study: study, sensors: sensors,
            allowsExtremes: extreme)
    }

    /// Seed of `--seed 1`, with libcrypto's SHA-256.
    static func context(zone: Zone = .utc, at start: Instant = Sample.start) throws -> ScheduleContext {
        let seed = try Digest(ofText: "studyd seed 1").bytes
        let chance = Chance(seed: seed) { (try? Digest(of: $0))?.bytes ?? [] }
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: nil, instant: start,
            local: zone.local(start), zone: zone, seed: seed)
        return ScheduleContext(enrolment: enrolment, zone: zone, chance: chance, facts: StudyFacts())
    }
}

/// An engine by itself, a minute at a time.
struct RuleBench {
    var engine: RuleEngine
    var now: Moment
    var isPaused = false
    var promptsAreOn = true
    var isRunOpen = false
    var open: Set<String> = ["a", "b"]
    private(set) var decisions: [DecisionRecord] = []
    private(set) var outcomes: [OutcomeRecord] = []

    init(
        _ text: String, memory: RuleMemory = RuleMemory(), zone: Zone = .utc, start: Instant = Sample.start,
        enrolled: Instant = Sample.start, zoneBefore: Zone? = nil, isTrusted: Bool = true
    ) throws {
        now = Moment(instant: start, monotonic: MonotonicTime(nanoseconds: 0))
        engine = RuleEngine(
            try RuleSample.read(text), context: try RuleSample.context(zone: zone, at: enrolled), memory: memory,
            zoneBefore: zoneBefore, at: now.monotonic)
        if isTrusted { engine.handle(.clock(trusted: true), at: now) }
        look()
    }

    mutating func send(_ event: RuleEngine.Event) {
        engine.handle(event, at: now)
        look()
    }

    /// Goes on; the wall clock may be set meanwhile.
    mutating func pass(_ seconds: Int64, set: Duration = .zero) {
        now = Moment(instant: now.instant + .seconds(seconds) + set, monotonic: now.monotonic + .seconds(seconds))
        if set != .zero { engine.handle(.clockJumped(by: set), at: now) }
        look()
    }

    mutating func look() {
        let situation = RuleSituation(now: now, isPaused: isPaused, promptsAreOn: promptsAreOn, isRunOpen: isRunOpen)
        let open = open
        while let effect = engine.next(situation, open.contains) {
            switch effect {
            case .decided(let decision):
                decisions.append(decision)
                if decision.result == .treated { engine.handle(.prompted, at: now) }
            case .measured(let outcome): outcomes.append(outcome)
            }
        }
    }

    /// Each value is a minute's counts; nil = nothing was measured.
    mutating func measure(_ minutes: [Double?], coverage: Double = 1) {
        for value in minutes {
            pass(60)
            guard let value else { continue }
            send(
                .epochs([
                    FeatureEpoch(
                        source: "accelerometer", start: now.instant - .seconds(60), length: .seconds(60),
                        columns: ["counts_x", "counts_vm"], values: [0, value], coverage: coverage, recording: 7)
                ]))
        }
    }

    /// `10:05 control`, `10:10 unavailable(not-worn)`.
    var lines: [String] {
        decisions.map { decision in
            let reasons = decision.reasons.isEmpty ? "" : "(\(decision.reasons.joined(separator: " ")))"
            return
                "\(decision.local.time.hour):\(decision.local.time.minute.padded(2)) \(decision.result.rawValue)\(reasons)"
        }
    }
}
