// SPDX-License-Identifier: Apache-2.0

/// How a psychomotor vigilance test is played: a light after a while, a press as soon as it goes on.
///
/// Source: the parameters of a `pvt` module of momenTUM (momenTUM-app e14a806, `src/app/interfaces/study.ts`).
public struct VigilanceRules: Sendable, Hashable {
    /// Reactions in time that end the test; what came too early or too late is repeated.
    public let trials: Int
    /// The light goes on so long after a trial's beginning at the earliest.
    public let minimumWaiting: Duration
    /// And so long at the latest; every moment between is as likely as any other.
    public let maximumWaiting: Duration
    /// A press later than this is too late.
    public let maximumReaction: Duration
    /// The reaction times are told at the end.
    public let showsResults: Bool
    /// The participant may stop before the end; what was measured is sent.
    public let allowsLeaving: Bool

    /// A test of these parameters; whether it can be played is said by `problems`.
    public init(
        trials: Int, minimumWaiting: Duration, maximumWaiting: Duration, maximumReaction: Duration,
        showsResults: Bool, allowsLeaving: Bool
    ) {
        self.trials = trials
        self.minimumWaiting = minimumWaiting
        self.maximumWaiting = maximumWaiting
        self.maximumReaction = maximumReaction
        self.showsResults = showsResults
        self.allowsLeaving = allowsLeaving
    }

    /// Nobody presses sooner after a light: what is quicker was not seen but guessed.
    public static let quickestReaction: Duration = .milliseconds(100)

    /// No press can be in time, so that the test never ends by itself.
    public var isEndless: Bool { maximumReaction < Self.quickestReaction }

    var problems: [String] {
        var problems: [String] = []
        if !(1...1_000).contains(trials) { problems.append("the number of trials is not from 1 to 1000") }
        if minimumWaiting < .zero || minimumWaiting > maximumWaiting {
            problems.append("the shortest waiting time is not from 0 to the longest one")
        }
        if maximumWaiting > .seconds(600) { problems.append("the longest waiting time is above ten minutes") }
        if maximumReaction <= .zero || maximumReaction > .seconds(120) {
            problems.append("the longest reaction time is not within two minutes")
        }
        if isEndless, !allowsLeaving {
            problems.append(
                "nobody reacts within \(maximumReaction.components.attoseconds / 1_000_000_000_000_000) ms, and the test may not be left: it would never end; its times are milliseconds"
            )
        }
        return problems
    }
}

/// What came out of a vigilance test. Light and press are stamped by one clock, CLOCK_MONOTONIC.
public struct VigilanceRecord: Sendable, Hashable, Codable {
    /// One trial as it ended.
    public struct Trial: Sendable, Hashable, Codable {
        /// Whole milliseconds that had passed; -2 for a press before the light, -1 for none in time.
        public let value: Int
        /// From the trial's beginning to its light, or to the press that came before it.
        public let waited: Duration
        /// From the light to the press, as measured; nil where there was none after a light.
        public let reaction: Duration?
        /// Half the time that switching the light on took: so much earlier or later it may have been.
        public let uncertainty: Duration
        /// A trial of these parts.
        public init(value: Int, waited: Duration, reaction: Duration?, uncertainty: Duration) {
            self.value = value
            self.waited = waited
            self.reaction = reaction
            self.uncertainty = uncertainty
        }

        /// The press came before the light.
        public static let early = -2
        /// No press came in time.
        public static let late = -1
    }
    /// In order, repeated ones too.
    public let trials: [Trial]
    /// Trials thrown away because the light did not go on, or because the menu was opened.
    public let void: Int
    /// Stopped by the participant before its end.
    public let isLeft: Bool

    /// A record of these trials.
    public init(trials: [Trial], void: Int, isLeft: Bool) {
        self.trials = trials
        self.void = void
        self.isLeft = isLeft
    }

    /// momenTUM's spelling: `312,-2,289`.
    public var text: String { trials.map { String($0.value) }.joined(separator: ",") }
    /// Reactions in time.
    public var reactions: [Int] { trials.map(\.value).filter { $0 >= 0 } }
}

extension VigilanceRecord {
    /// Mean of the reactions in time, in milliseconds; nil where there are none.
    var mean: Double? {
        let reactions = reactions
        return reactions.isEmpty ? nil : Double(reactions.reduce(0, +)) / Double(reactions.count)
    }
}
