// SPDX-License-Identifier: Apache-2.0
import Base

/// The psychomotor vigilance test, trial by trial, each a `TimedStimulus`. Pure: presses, lights
/// and times go in, verdicts come out. `VigilanceStep` calls `begin` for each trial, then `press` and
/// `shown` as they come, and `tick` at `wake`, until `isOver`.
///
/// Source: the page of momenTUM's app (momenTUM-app e14a806, `src/app/pages/pvt/pvt.page.ts`): too
/// early is -2, no press in time is -1, and each of them adds a trial.
package struct Vigilance: Sendable {
    /// What a press, a light or the time has decided.
    package enum Verdict: Sendable, Hashable {
        /// Within the time, in whole milliseconds.
        case reacted(Int)
        case tooEarly, tooLate
    }
    /// How long a trial's result is shown.
    static let resultTime: Duration = .seconds(2)

    package let rules: VigilanceRules
    /// Trials that count, in order.
    private(set) var trials: [VigilanceRecord.Trial] = []
    private var stimulus: TimedStimulus
    private var generator: SplitMix64

    package init(_ rules: VigilanceRules, generator: SplitMix64) {
        self.rules = rules
        self.generator = generator
        stimulus = TimedStimulus(timeout: rules.maximumReaction, resultTime: Self.resultTime)
    }

    var phase: TimedStimulus.Phase { stimulus.phase }

    /// There are as many reactions in time as the rules ask for.
    package var isOver: Bool { trials.count { $0.value >= 0 } >= rules.trials }

    package var wake: MonotonicTime? { stimulus.wake }

    package mutating func begin(at time: MonotonicTime) {
        stimulus.begin(at: time, light: time + generator.duration(from: rules.minimumWaiting, to: rules.maximumWaiting))
    }

    package mutating func press(at time: MonotonicTime) -> Verdict? {
        stimulus.press(at: time).map { judge($0) }
    }

    /// The light went on, or failed to: nil then, and the next `tick` gives `dark`.
    package mutating func shown(_ light: ShownLight) -> Verdict? {
        stimulus.shown(light).map { judge($0) }
    }

    package mutating func tick(at now: MonotonicTime) -> TimedStimulus.Turn? {
        let turn = stimulus.tick(at: now)
        // The caller knows the verdict from the turn: too late.
        if case .late(let light) = turn { _ = judge(.late(light)) }
        return turn
    }

    /// Discards the trial under way, and all but the first `count` trials.
    package mutating func interrupt(keeping count: Int = .max) {
        stimulus.interrupt(takingBack: max(trials.count - count, 0))
        trials = Array(trials.prefix(count))
    }

    /// What was measured so far.
    package func record(isLeft: Bool) -> VigilanceRecord {
        VigilanceRecord(trials: trials, void: stimulus.void, isLeft: isLeft)
    }

    private mutating func judge(_ verdict: TimedStimulus.Verdict) -> Verdict {
        switch verdict {
        case .early(let press):
            add(VigilanceRecord.Trial.early, until: press)
            return .tooEarly
        case .pressed(let reaction, let light):
            let value = Int(reaction.milliseconds)
            add(value, until: light.time, reaction, light.uncertainty)
            return .reacted(value)
        case .late(let light):
            add(VigilanceRecord.Trial.late, until: light.time, nil, light.uncertainty)
            return .tooLate
        }
    }

    private mutating func add(
        _ value: Int, until end: MonotonicTime, _ reaction: Duration? = nil, _ uncertainty: Duration = .zero
    ) {
        trials.append(.init(value: value, waited: end - stimulus.began, reaction: reaction, uncertainty: uncertainty))
    }
}
