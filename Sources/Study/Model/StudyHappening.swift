// SPDX-License-Identifier: Apache-2.0
import Base

/// Something that happened and that may make tasks due: an answered questionnaire, an unanswered prompt, what a
/// sensor noticed. `StudyConductor` raises it, and `Schedule.raised` answers.
///
/// Kept among the facts as a variable, so that a plan made later, or after a restart, still has the
/// tasks that it made due. One that made none due is not kept.
package struct StudyHappening: Sendable, Hashable {
    /// What happened. A new kind of event gets a new name.
    package struct Name: RawRepresentable, Sendable, Hashable {
        /// As the event log has it: never changed; holds no `/`.
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let submitted = Name(rawValue: "submitted")
        /// An occurrence was signalled for the first time.
        package static let prompted = Name(rawValue: "prompted")
        package static let reminded = Name(rawValue: "reminded")
        /// Its signals ended without a reaction.
        package static let unanswered = Name(rawValue: "unanswered")
        /// The study is another version now.
        package static let updated = Name(rawValue: "updated")
        /// The participant moved the times of its prompts.
        package static let timesMoved = Name(rawValue: "times-moved")
        /// A notice of that kind was announced, which needed no answer.
        package static func noticed(_ kind: String) -> Name { Name(rawValue: "noticed." + kind) }
        /// The draw at a rule's decision point of that number was `treated`: its task is prompted.
        static func treated(_ rule: String, _ index: Int) -> Name { Name(rawValue: "\(ruled)\(rule).\(index)") }
        private static let ruled = "rule."
        /// The rule and the number of its decision point; nil for what no rule raised.
        var decision: (rule: String, index: Int)? {
            guard rawValue.hasPrefix(Self.ruled), let dot = rawValue.lastIndex(of: "."),
                let index = Int(rawValue[dot...].dropFirst())
            else { return nil }
            return (String(rawValue[..<dot].dropFirst(Self.ruled.count)), index)
        }
        /// Those who run the study sent a message.
        package static let message = Name(rawValue: "message")
    }

    package let name: Name
    /// The key of the task it happened to; nil = none.
    package let task: String?
    /// When, by the wall clock, in whole milliseconds.
    package let moment: Instant

    package init(_ name: Name, task: String? = nil, at moment: Instant) {
        self.name = name
        self.task = task
        self.moment = Instant(milliseconds: moment.milliseconds)
    }

    private static let head = "happened/"

    /// The fact in which it is kept, with its `moment`: `happened/submitted/1795245120000/50001`.
    package var variable: String { "\(Self.head)\(name.rawValue)/\(moment.milliseconds)/\(task ?? "")" }

    /// Whether a variable keeps something that happened.
    static func isKept(in variable: String) -> Bool { variable.hasPrefix(head) }

    init?(variable: String) {
        guard Self.isKept(in: variable) else { return nil }
        let parts = variable.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let milliseconds = Int64(parts[2]) else { return nil }
        self.init(
            Name(rawValue: String(parts[1])), task: parts[3].isEmpty ? nil : String(parts[3]),
            at: Instant(milliseconds: milliseconds))
    }
}

extension StudyFacts {
    /// What happened and made tasks due, in time order.
    package var happenings: [StudyHappening] {
        variables.keys.compactMap(StudyHappening.init).sorted {
            ($0.moment, $0.variable) < ($1.moment, $1.variable)
        }
    }
}
