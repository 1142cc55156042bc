// SPDX-License-Identifier: Apache-2.0
import Base

/// Reaction time and go/no-go, attempt by attempt, each a `TimedStimulus`. Pure: presses, lights
/// and times go in. `ReactionStep` calls `begin` for each attempt, then `press` and `shown` as they
/// come, and `tick` at `wake`, until `isOver`.
///
/// Sources: ResearchKit's `ORKReactionTimeViewController` and `ORKGoNoGoViewController`, BiAffect's
/// `GoNoGoStepView`; which attempt is a no-go is drawn as there (`calculateNextGo`).
package struct ReactionTest: Sendable {
    /// How long an attempt's result is shown: BiAffect's 2.5 s; ResearchKit's 0.3 s of a
    /// picture and two more.
    static func resultTime(hasNoGo: Bool) -> Duration { .milliseconds(hasNoGo ? 2_500 : 2_300) }
    /// The share of the drawn lights that call for a reaction.
    static let goShare = 0.667

    package let terms: ReactionTerms
    /// Some lights are not to be reacted to.
    package let hasNoGo: Bool
    /// The attempts that ended, in order.
    package private(set) var attempts: [ReactionAttempt] = []
    /// The light of the attempt is one to be reacted to.
    private(set) var isGo = true
    private var stimulus: TimedStimulus
    private var delay = Duration.zero
    private var generator: SplitMix64

    package init(_ terms: ReactionTerms, hasNoGo: Bool, generator: SplitMix64) {
        self.terms = terms
        self.hasNoGo = hasNoGo
        self.generator = generator
        stimulus = TimedStimulus(timeout: terms.timeout, resultTime: Self.resultTime(hasNoGo: hasNoGo))
    }

    var phase: TimedStimulus.Phase { stimulus.phase }

    /// Attempts thrown away: the light did not go on, or the menu was opened.
    package var void: Int { stimulus.void }

    private var successes: Int { attempts.count { $0.succeeded } }

    /// Enough attempts succeeded, or there were too many.
    package var isOver: Bool {
        successes >= terms.numberOfAttempts || terms.maxTotalAttempts.map { attempts.count >= $0 } ?? false
    }

    package var wake: MonotonicTime? { stimulus.wake }

    package mutating func begin(at time: MonotonicTime) {
        let go = drawGo()
        begin(
            at: time, go: go,
            delay: generator.duration(from: terms.minimumStimulusInterval, to: terms.maximumStimulusInterval))
    }

    /// Begins an attempt with that kind of light, which goes on after `delay`.
    mutating func begin(at time: MonotonicTime, go: Bool, delay: Duration) {
        (isGo, self.delay) = (go, delay)
        stimulus.begin(at: time, light: time + delay)
    }

    package mutating func press(at time: MonotonicTime) -> ReactionAttempt.Outcome? {
        stimulus.press(at: time).map { judge($0) }
    }

    /// The light went on, or failed to: nil then, and the next `tick` gives `dark`.
    package mutating func shown(_ light: ShownLight) -> ReactionAttempt.Outcome? {
        stimulus.shown(light).map { judge($0) }
    }

    package mutating func tick(at now: MonotonicTime) -> TimedStimulus.Turn? {
        let turn = stimulus.tick(at: now)
        // The caller reads the outcome from `attempts`.
        if case .late(let light) = turn { _ = judge(.late(light)) }
        return turn
    }

    /// Discards the attempt under way, and all but the first `count` attempts.
    package mutating func interrupt(keeping count: Int = .max) {
        stimulus.interrupt(takingBack: max(attempts.count - count, 0))
        attempts = Array(attempts.prefix(count))
    }

    private mutating func judge(_ verdict: TimedStimulus.Verdict) -> ReactionAttempt.Outcome {
        switch verdict {
        case .early: end(.falseStart, nil)
        case .pressed(let response, let light): end(isGo ? .reacted : .falseAlarm, light, response: response)
        case .late(let light): end(isGo ? .timeout : .withheld, light)
        }
    }

    private mutating func end(
        _ outcome: ReactionAttempt.Outcome, _ light: ShownLight?, response: Duration? = nil
    ) -> ReactionAttempt.Outcome {
        attempts.append(
            .init(
                outcome: outcome, go: isGo, reset: stimulus.began - .zero, stimulus: light.map { $0.time - .zero },
                delay: delay, response: response, uncertainty: light?.uncertainty ?? .zero))
        return outcome
    }

    /// Never a third no-go in a row, and one at least.
    private mutating func drawGo() -> Bool {
        guard hasNoGo else { return true }
        let last = attempts.suffix(2)
        if last.count == 2, last.allSatisfy({ !$0.go }) { return true }
        if successes == terms.numberOfAttempts - 1, attempts.allSatisfy(\.go) { return false }
        return generator.unit() < Self.goShare
    }
}
