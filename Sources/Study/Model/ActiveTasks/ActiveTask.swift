// SPDX-License-Identifier: Apache-2.0

/// What is performed in one kind of active task, and within which limits. Platforms read it from a study;
/// `ActiveTaskPlay` plays it on a panel.
package protocol ActiveTaskRules: Sendable, Hashable {
    /// As the platform spells it: `fetalKickCounter`, `pvt`.
    var name: String { get }
    /// As the platform's app calls it, where its study does not.
    var title: Phrase { get }
    /// What is wrong with its parameters, in words for those who write studies; empty where it
    /// can be performed.
    var problems: [String] { get }
}

/// Something that is performed on the buttons, not answered: the content of `AnswerFormat.active`.
package struct ActiveTask: Sendable, Hashable {
    package let rules: any ActiveTaskRules

    package init(_ rules: any ActiveTaskRules) { self.rules = rules }

    package var name: String { rules.name }
    package var problems: [String] { rules.problems }

    package static func == (left: ActiveTask, right: ActiveTask) -> Bool { left.rules.isEqual(to: right.rules) }
    package func hash(into hasher: inout Hasher) { rules.hash(into: &hasher) }
}

extension ActiveTaskRules {
    fileprivate func isEqual(to other: any ActiveTaskRules) -> Bool { other as? Self == self }
}
