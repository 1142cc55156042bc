// SPDX-License-Identifier: Apache-2.0
import Base

/// The decisions of a study's rules (`RuleEngine`), a bounded number in each call of `StudyConductor`, which
/// takes them by `next`. A study without rules has none. Pure.
struct RuleDecisions: Sendable {
    /// The most points that one call decides, so that a clock that was years off does not make one
    /// huge transaction.
    private static let mostAtOnce = 1000

    // Boxed, to be changed in place.
    private var engine: Boxed<RuleEngine>?
    /// How many points this call has decided.
    private var decided = 0

    init(_ engine: RuleEngine?) { self.engine = engine.map(Boxed.init) }

    /// The last call decided as many points as it may; more may be due.
    var isBehind: Bool { decided == Self.mostAtOnce }

    var wake: Instant? { engine?.value.wake }

    mutating func handle(_ event: RuleEngine.Event, at now: Moment) { engine?.value.handle(event, at: now) }

    /// A call begins, which may again decide the most points.
    mutating func beginCall() { decided = 0 }

    /// As `RuleEngine.next`; nil too once the call has decided the most points.
    mutating func next(_ situation: RuleSituation, _ isOpen: (String) -> Bool) -> RuleEngine.Effect? {
        guard !isBehind, let effect = engine?.value.next(situation, isOpen) else { return nil }
        if case .decided = effect { decided += 1 }
        return effect
    }

    /// Takes over when the last prompt came, by the clock as it is now.
    mutating func keepPrompt(of old: RuleDecisions) {
        if let old = old.engine { engine?.value.keepPrompt(of: old.value) }
    }

    /// Takes over whether the device is worn and, where the rules are the same and `hasSameStart`,
    /// the date of the enrolment too, the epochs of their features.
    mutating func keepMeasured(by old: RuleDecisions, hasSameStart: Bool) {
        guard let old = old.engine else { return }
        engine?.value.keepWear(of: old.value)
        if hasSameStart, old.value.rules.digest == engine?.value.rules.digest { engine = old }
    }
}
