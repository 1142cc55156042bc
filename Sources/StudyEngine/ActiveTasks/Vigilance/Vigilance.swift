// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// The psychomotor vigilance test, trial by trial. Pure: presses, lights and times go in, the state is looked at.
///
/// ```
///        begin            waited                      shown                press, or too late
///  idle ───────▶ waiting ───────▶ lighting (light!) ─────────▶ lit ──────────────────────────▶ result ── 2 s ──▶ idle
///                   │ press            │ press: kept until it is known                            ▲
///                   └──────────────────┴─ when the light went on; before it: too early ───────────┘
/// ```
/// Source: the page of momenTUM's app (momenTUM-app e14a806, `src/app/pages/pvt/pvt.page.ts`): too early is -2, no press in
/// time is -1, and each of them adds a trial. Judged is the time of the press itself, whenever it is told.
package struct Vigilance: Sendable {
    /// What a press, a light or the time has decided.
    package enum Verdict: Sendable, Hashable {
        /// Within the time, in whole milliseconds.
        case reacted(Int)
        case tooEarly, tooLate
    }
    /// What time brings.
    package enum Turn: Sendable, Hashable {
        /// The light is to go on, marked with that number.
        case light(Int)
        case tooLate
        /// The result was shown long enough.
        case next
        /// The light did not go on; the trial does not count.
        case dark
    }
    enum Phase: Sendable, Hashable {
        case idle
        case waiting(until: MonotonicTime)
        case lighting(since: MonotonicTime, press: MonotonicTime?)
        case lit(ShownLight)
        case result(until: MonotonicTime)
    }

    /// How long a trial's result is shown.
    private static let resultTime: Duration = .seconds(2)
    /// A light that has not gone on by then never will.
    static let patience: Duration = .seconds(1)
    /// A press may be told so much later than it was made.
    static let delivery: Duration = .milliseconds(50)

    /// Its parameters.
    private let rules: VigilanceRules
    private(set) var phase = Phase.idle
    /// Trials that count, in order.
    private(set) var trials: [VigilanceRecord.Trial] = []
    private var void = 0
    private var lights = 0
    private var began = MonotonicTime.zero
    private var generator: SplitMix64

    /// A test that has not begun; waiting times follow from `generator`.
    package init(_ rules: VigilanceRules, generator: SplitMix64) {
        self.rules = rules
        self.generator = generator
    }

    /// All reactions in time that are wanted are there.
    package var isOver: Bool { trials.count { $0.value >= 0 } >= rules.trials }

    /// When `tick` next has something to do; nil = never.
    package var wake: MonotonicTime? {
        switch phase {
        case .idle: nil
        case .waiting(let until), .result(let until): until
        case .lighting(let since, _): since + Self.patience
        case .lit(let light): light.time + rules.maximumReaction + Self.delivery
        }
    }

    /// The next trial.
    package mutating func begin(at time: MonotonicTime) {
        (began, phase) = (time, .waiting(until: time))
        wait(until: time + waiting())
    }

    /// The light of the trial that waits is to go on then.
    mutating func wait(until light: MonotonicTime) {
        if case .waiting = phase { phase = .waiting(until: light) }
    }

    /// Any button went down.
    package mutating func press(at time: MonotonicTime) -> Verdict? {
        switch phase {
        case .idle, .result: return nil
        case .waiting: return time < began ? nil : tooEarly(time)
        case .lighting(let since, let earlier):
            phase = .lighting(since: since, press: earlier ?? time)
            return nil
        case .lit(let light): return judge(time, light)
        }
    }

    /// The light was switched, or would not be: nil then, and `tick` goes on.
    package mutating func shown(_ light: ShownLight) -> Verdict? {
        guard case .lighting(_, let press) = phase, light.mark == lights else { return nil }
        guard light.isLit else {
            phase = .lighting(since: light.ended - Self.patience, press: nil)
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
            return .light(lights)
        case .lighting:
            interrupt()
            return .dark
        case .lit(let light):
            _ = tooLate(light, at: now)
            return .tooLate
        case .result:
            phase = .idle
            return .next
        }
    }

    /// Throws the trial under way away.
    package mutating func interrupt() {
        switch phase {
        case .waiting, .lighting, .lit: void += 1
        case .idle, .result: break
        }
        phase = .idle
    }

    /// What was measured so far.
    package func record(isLeft: Bool) -> VigilanceRecord {
        VigilanceRecord(trials: trials, void: void, isLeft: isLeft)
    }

    private mutating func judge(_ press: MonotonicTime, _ light: ShownLight) -> Verdict? {
        let reaction = press - light.time
        if reaction < .zero { return tooEarly(press) }
        if reaction > rules.maximumReaction { return tooLate(light, at: press) }
        let value = Int(reaction.milliseconds)
        add(value, waited: light.time - began, reaction, light.uncertainty, at: press)
        return .reacted(value)
    }

    private mutating func tooEarly(_ press: MonotonicTime) -> Verdict {
        add(VigilanceRecord.Trial.early, waited: press - began, nil, .zero, at: press)
        return .tooEarly
    }

    private mutating func tooLate(_ light: ShownLight, at now: MonotonicTime) -> Verdict {
        add(VigilanceRecord.Trial.late, waited: light.time - began, nil, light.uncertainty, at: now)
        return .tooLate
    }

    private mutating func add(
        _ value: Int, waited: Duration, _ reaction: Duration?, _ uncertainty: Duration, at time: MonotonicTime
    ) {
        trials.append(.init(value: value, waited: waited, reaction: reaction, uncertainty: uncertainty))
        phase = .result(until: time + Self.resultTime)
    }

    /// Uniform, from 53 bits of the generator.
    private mutating func waiting() -> Duration {
        let share = Double(generator.next() >> 11) / 9_007_199_254_740_992
        let spread = Double((rules.maximumWaiting - rules.minimumWaiting).nanoseconds)
        return rules.minimumWaiting + .nanoseconds(Int64(share * spread))
    }
}
