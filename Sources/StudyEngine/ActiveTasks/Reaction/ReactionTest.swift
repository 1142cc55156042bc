// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// Reaction time and go/no-go, attempt by attempt. Pure: presses, lights and times go in.
///
/// ```
///        begin            waited                      shown             press, or timeout
///  idle ───────▶ waiting ───────▶ lighting (light!) ─────────▶ lit ────────────────────────▶ result ─────▶ idle
///                   │ press            │ press: kept until it is known                          ▲
///                   └──────────────────┴─ when the light went on; before it: false start ───────┘
/// ```
/// Judged is the time of the press itself, whenever it is told. Sources: ResearchKit's `ORKReactionTimeViewController` and `ORKGoNoGoViewController`,
/// BiAffect's `GoNoGoStepView`; which attempt is a no-go is drawn as there (`calculateNextGo`).
package struct ReactionTest: Sendable {
    /// What time brings.
    package enum Turn: Sendable, Hashable {
        /// The light is to go on, marked with that number.
        case light(Int, isGo: Bool)
        case ended(ReactionAttempt.Course)
        /// The result was shown long enough.
        case next
        /// The light did not go on; the attempt does not count.
        case dark
    }
    enum Phase: Sendable, Hashable {
        case idle
        case waiting(until: MonotonicTime)
        case lighting(since: MonotonicTime, press: MonotonicTime?)
        case lit(ShownLight)
        case result(until: MonotonicTime)
    }

    /// How long an attempt's result is shown: BiAffect's 2.5 s; ResearchKit's 0.3 s of a picture and two more.
    private static func resultTime(hasNoGo: Bool) -> Duration { .milliseconds(hasNoGo ? 2_500 : 2_300) }
    /// Of the lights that are drawn so many are to be reacted to.
    private static let goShare = 0.667

    /// Its parameters.
    private let terms: ReactionTerms
    /// Some lights are not to be reacted to.
    private let hasNoGo: Bool
    private(set) var phase = Phase.idle
    /// Those that ended, in order.
    package private(set) var attempts: [ReactionAttempt] = []
    /// Thrown away.
    package private(set) var void = 0
    /// The light of the attempt is one to be reacted to.
    private(set) var isGo = true
    private var lights = 0
    private var began = MonotonicTime.zero
    private var delay = Duration.zero
    private var generator: SplitMix64

    /// A test that has not begun; waiting times and lights follow from `generator`.
    package init(_ terms: ReactionTerms, hasNoGo: Bool, generator: SplitMix64) {
        self.terms = terms
        self.hasNoGo = hasNoGo
        self.generator = generator
    }

    private var successes: Int { attempts.count { $0.succeeded } }

    /// Enough attempts succeeded, or there were too many.
    package var isOver: Bool {
        successes >= terms.numberOfAttempts || terms.maxTotalAttempts.map { attempts.count >= $0 } ?? false
    }

    /// When `tick` next has something to do; nil = never.
    package var wake: MonotonicTime? {
        switch phase {
        case .idle: nil
        case .waiting(let until), .result(let until): until
        case .lighting(let since, _): since + Vigilance.patience
        case .lit(let light): light.time + terms.timeout + Vigilance.delivery
        }
    }

    /// The next attempt.
    package mutating func begin(at time: MonotonicTime) { begin(at: time, go: drawGo(), delay: drawDelay()) }

    /// One of that light after that time.
    mutating func begin(at time: MonotonicTime, go: Bool, delay: Duration) {
        (isGo, self.delay, began) = (go, delay, time)
        phase = .waiting(until: time + delay)
    }

    /// Any button went down.
    package mutating func press(at time: MonotonicTime) -> ReactionAttempt.Course? {
        switch phase {
        case .idle, .result: return nil
        case .waiting: return time < began ? nil : end(.falseStart, nil, at: time)
        case .lighting(let since, let earlier):
            phase = .lighting(since: since, press: earlier ?? time)
            return nil
        case .lit(let light): return judge(time, light)
        }
    }

    /// The light was switched, or would not be: nil then, and `tick` goes on.
    package mutating func shown(_ light: ShownLight) -> ReactionAttempt.Course? {
        guard case .lighting(_, let press) = phase, light.mark == lights else { return nil }
        guard light.isLit else {
            phase = .lighting(since: light.ended - Vigilance.patience, press: nil)
            return nil
        }
        phase = .lit(light)
        return press.flatMap { judge($0, light) }
    }

    /// What has become due.
    package mutating func tick(at now: MonotonicTime) -> Turn? {
        guard let wake, wake <= now else { return nil }
        switch phase {
        case .idle: return nil
        case .waiting:
            lights += 1
            phase = .lighting(since: now, press: nil)
            return .light(lights, isGo: isGo)
        case .lighting:
            interrupt()
            return .dark
        case .lit(let light): return .ended(end(isGo ? .timeout : .withheld, light, at: now))
        case .result:
            phase = .idle
            return .next
        }
    }

    /// Throws the attempt under way away.
    package mutating func interrupt() {
        switch phase {
        case .waiting, .lighting, .lit: void += 1
        case .idle, .result: break
        }
        phase = .idle
    }

    private mutating func judge(_ press: MonotonicTime, _ light: ShownLight) -> ReactionAttempt.Course {
        let response = press - light.time
        if response < .zero { return end(.falseStart, nil, at: press) }
        if response > terms.timeout { return end(isGo ? .timeout : .withheld, light, at: press) }
        return end(isGo ? .reacted : .falseAlarm, light, response: response, at: press)
    }

    private mutating func end(
        _ outcome: ReactionAttempt.Course, _ light: ShownLight?, response: Duration? = nil, at time: MonotonicTime
    ) -> ReactionAttempt.Course {
        attempts.append(
            .init(
                outcome: outcome, go: isGo, reset: began - .zero, stimulus: light.map { $0.time - .zero }, delay: delay,
                response: response, uncertainty: light?.uncertainty ?? .zero))
        phase = .result(until: time + Self.resultTime(hasNoGo: hasNoGo))
        return outcome
    }

    /// Never a third no-go in a row, and one at least.
    private mutating func drawGo() -> Bool {
        guard hasNoGo else { return true }
        let last = attempts.suffix(2)
        if last.count == 2, last.allSatisfy({ !$0.go }) { return true }
        if successes == terms.numberOfAttempts - 1, attempts.allSatisfy(\.go) { return false }
        return drawShare() < Self.goShare
    }

    private mutating func drawDelay() -> Duration {
        let spread = Double((terms.maximumStimulusInterval - terms.minimumStimulusInterval).nanoseconds)
        return terms.minimumStimulusInterval + .nanoseconds(Int64(drawShare() * spread))
    }

    /// Uniform from 0 to below 1, from 53 bits of the generator.
    private mutating func drawShare() -> Double { Double(generator.next() >> 11) / 9_007_199_254_740_992 }
}
