// SPDX-License-Identifier: Apache-2.0
import Times

/// Something that happened and that may make tasks due: an answered questionnaire, a prompt nobody answered, what a sensor noticed.
///
/// Kept among the facts as a variable, so that a plan made later has what it raised; only what raised something is kept.
public struct StudyHappening: Sendable, Hashable {
    /// What happened. Whoever watches something else gives it a name of its own.
    public struct Name: RawRepresentable, Sendable, Hashable {
        /// As it stands in the event log: never changed; holds no `/`.
        public let rawValue: String
        /// A name of that spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A run was submitted.
        public static let submitted = Name(rawValue: "submitted")
        /// An occurrence was signalled for the first time.
        public static let prompted = Name(rawValue: "prompted")
        /// It was signalled again.
        public static let reminded = Name(rawValue: "reminded")
        /// Its signals ended, and nobody had come.
        public static let unanswered = Name(rawValue: "unanswered")
        /// The study is another version now.
        public static let updated = Name(rawValue: "updated")
        /// Those who run the study sent a message.
        public static let message = Name(rawValue: "message")
    }

    /// What.
    public let name: Name
    /// The key of the task it happened to; nil = none.
    public let task: String?
    /// When, by the wall clock, in whole milliseconds.
    public let moment: Instant

    /// A happening of that task.
    public init(_ name: Name, task: String? = nil, at moment: Instant) {
        self.name = name
        self.task = task
        self.moment = Instant(milliseconds: moment.milliseconds)
    }

    private static let head = "happened/"

    /// The fact in which it is kept: `happened/submitted/1795245120000/50001`.
    public var variable: String { "\(Self.head)\(name.rawValue)/\(moment.milliseconds)/\(task ?? "")" }

    init?(variable: String) {
        guard variable.hasPrefix(Self.head) else { return nil }
        let parts = variable.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let milliseconds = Int64(parts[2]) else { return nil }
        self.init(
            Name(rawValue: String(parts[1])), task: parts[3].isEmpty ? nil : String(parts[3]),
            at: Instant(milliseconds: milliseconds))
    }
}

extension StudyFacts {
    /// What happened and raised something, in time order.
    public var happenings: [StudyHappening] {
        variables.keys.compactMap(StudyHappening.init).sorted {
            ($0.moment, $0.variable) < ($1.moment, $1.variable)
        }
    }

    /// The fact in which the last submission of a task is kept that rests afterwards.
    public static func lastDoneVariable(_ task: String) -> String { "done/" + task }

    /// When the task was submitted last; nil where that is not kept, or it never was.
    public func lastDone(_ task: String) -> Instant? {
        guard case .number(let milliseconds)? = variables[Self.lastDoneVariable(task)] else { return nil }
        return Instant(milliseconds: Int64(milliseconds))
    }
}
