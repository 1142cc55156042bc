// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Which question of a `dynamic_input` a run asks: one after the other, or in an order drawn for each round;
/// the next after each completion. `ESMiraEnding` moves it on.
struct ESMiraTurn: Sendable, Hashable {
    /// The name of the `dynamic_input`.
    let input: String
    /// The study variable that keeps the counter.
    let variable: String
    /// At least one.
    let choices: Int
    let isRandom: Bool

    static func indexKey(_ input: String) -> String { input + "~index" }

    /// The stored counter (`Input.getDynamicInput`, ESMira-apps f750e58). Random: how many questions were asked.
    /// In order: the index of the next one, past the end after the last, or after the study lost questions.
    private func count(_ facts: StudyFacts) -> Int {
        if case .number(let count)? = facts.variables[variable] { Int(count) } else { 0 }
    }

    /// The counter to store once this run has asked its question.
    func count(after facts: StudyFacts) -> Int { (isRandom ? count(facts) : index(facts)) + 1 }

    /// The question of this run. Random: each round of `choices` runs has an order drawn from the enrolment's seed.
    func index(_ facts: StudyFacts) -> Int {
        let count = count(facts)
        guard isRandom else { return count < choices ? count : 0 }
        let seed = (facts.setting?.enrolment.seed ?? []).prefix(8).reduce(UInt64(count / choices)) {
            $0 &* 257 &+ UInt64($1)
        }
        var generator = SplitMix64(seed: variable.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
        return generator.shuffled(Array(0..<choices))[count % choices]
    }
}

/// Holds in a run that asks the question of that index.
struct IsItsTurn: Condition, Hashable {
    let turn: ESMiraTurn
    let index: Int

    func holds(_ facts: StudyFacts) -> Bool { turn.index(facts) == index }
}
