// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// How the participant of a `StudySimulation` kept to the study: what became of the prompts, and what was done
/// without one. `studyd simulate` prints it.
package struct Compliance: Sendable, Hashable {
    /// Occurrences that were signalled.
    package var prompts = 0
    package var answered = 0
    /// Of `prompts`: presented, and not answered in time.
    package var expired = 0
    /// Of `prompts`: never presented, because something prevented it.
    package var missed = 0
    /// Of `prompts`: begun and not finished.
    package var interrupted = 0
    /// Of `prompts`: declined on the panel.
    package var declined = 0
    /// Of `prompts`: neither done nor over at the end.
    package var open = 0
    package var putOff = 0
    /// Tasks that were submitted from the list of what is open.
    package var unprompted = 0
    /// Tasks that were left without saving.
    package var left = 0

    package init() {}

    /// A signalled occurrence, with how it ended; nil = it has not.
    mutating func count(_ outcome: Outcome?) {
        prompts += 1
        switch outcome {
        case .completed: answered += 1
        case .declined: declined += 1
        case .interrupted: interrupted += 1
        case .expired: expired += 1
        case .missed: missed += 1
        case nil: open += 1
        }
    }

    /// Answered prompts of those that are over, 0...1; nil where none is.
    package var rate: Double? { prompts > open ? Double(answered) / Double(prompts - open) : nil }

    /// One line for people.
    package var text: String {
        let share = rate.map { " (\(Int(($0 * 100).rounded())) %)" } ?? ""
        return """
            compliance   \(prompts) prompts: \(answered) answered\(share), \(expired) expired, \(missed) missed, \(interrupted) interrupted, \(declined) declined, \(open) open; \
            \(putOff) times put off; \(unprompted) done without a prompt, \(left) left

            """
    }

    /// The same for programs; `rate` is absent where no prompt is over.
    package var json: JSONText {
        let counts: [(String, Int)] = [
            ("prompts", prompts), ("answered", answered), ("expired", expired), ("missed", missed),
            ("interrupted", interrupted), ("declined", declined), ("open", open), ("putOff", putOff),
            ("unprompted", unprompted), ("left", left),
        ]
        return .object(
            counts.map { .init($0, .integer(Int64($1))) } + (rate.map { [.init("rate", .decimal($0))] } ?? []))
    }
}
