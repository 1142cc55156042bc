// SPDX-License-Identifier: Apache-2.0
import Base

/// One attempt of a reaction test as it ended, recorded by `ReactionTest`. Light and press are stamped by
/// CLOCK_MONOTONIC, as ResearchKit stamps with the uptime of its phone. The event log keeps it by the names of
/// its properties.
package struct ReactionAttempt: LoggedRecord {
    package enum Outcome: String, LoggedRecord {
        /// Pressed in time, and rightly so.
        case reacted
        /// Not pressed, and rightly so.
        case withheld
        /// Pressed before the light.
        case falseStart
        /// Not pressed in time.
        case timeout
        /// Pressed, though the light said not to.
        case falseAlarm
    }
    package let outcome: Outcome
    /// The light was, or would have been, one to be reacted to.
    package let go: Bool
    /// CLOCK_MONOTONIC at the attempt's beginning.
    package let reset: Duration
    /// When the light went on; nil = it never did.
    private let stimulus: Duration?
    /// From the attempt's beginning to its light, as drawn.
    private let delay: Duration
    /// From the light to the press, whatever the press was; nil where there was none
    /// after the light.
    package let response: Duration?
    /// Half the time that switching the light on took: the light may be earlier or later by this.
    package let uncertainty: Duration

    package init(
        outcome: Outcome, go: Bool, reset: Duration, stimulus: Duration?, delay: Duration, response: Duration?,
        uncertainty: Duration
    ) {
        self.outcome = outcome
        self.go = go
        self.reset = reset
        self.stimulus = stimulus
        self.delay = delay
        self.response = response
        self.uncertainty = uncertainty
    }

    /// It counts towards `ReactionTerms.numberOfAttempts`.
    package var succeeded: Bool { outcome == .reacted || outcome == .withheld }
}

extension ReactionAttempt {
    /// An attempt in the form of BiAffect's `GoNoGoResultObject.json`: 0 where no light came on, and 0 for a
    /// response that is not `reacted`.
    package var published: [JSONText.Member] {
        [
            .init("timestamp", .seconds(stimulus ?? .zero)), .init("resetTimestamp", .seconds(reset)),
            .init("timeToThreshold", .seconds(outcome == .reacted ? response ?? .zero : .zero)),
            .init("stimulusDelay", .seconds(stimulus.map { $0 - reset } ?? delay)), .init("go", .boolean(go)),
            .init("incorrect", .boolean(!succeeded)),
        ]
    }

    /// The same, and what was measured beyond it.
    var fields: [JSONText.Member] {
        published + [.init("outcome", .string(outcome.rawValue))]
            + (response.map { [.init("response", .seconds($0))] } ?? [])
            + (stimulus == nil ? [] : [.init("uncertainty", .seconds(uncertainty))])
    }
}

extension [ReactionAttempt] {
    /// Mean time of those that were reacted to in time and rightly, in seconds; nil
    /// where there are none.
    var meanReaction: Double? {
        let times = filter { $0.outcome == .reacted }.compactMap { $0.response?.inSeconds }
        return times.isEmpty ? nil : times.reduce(0, +) / Double(times.count)
    }

    func count(_ outcome: ReactionAttempt.Outcome) -> Int { self.count { $0.outcome == outcome } }
}

extension Duration {
    /// With nanoseconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
