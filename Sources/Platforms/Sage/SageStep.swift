// SPDX-License-Identifier: Apache-2.0

/// Where the result of a step lies in the tree of `SageResults`, and what it looks like. `SageRow` makes it
/// while the task is read; `SageResults` uses it for each run.
struct SageStep: Sendable {
    /// The form of the result; `base` has only times.
    enum Kind: Sendable { case base, answer, tapping, handSelection }
    /// As the file names it.
    let identifier: String
    /// Identifiers of the sections around it, the outermost first.
    let sections: [String]
    /// The identifier of the form or question whose field it asks; nil = the step is a question by itself.
    let part: String?
    let kind: Kind
    /// Nil where nothing is answered.
    var field: SageField?
    /// All parts are members of one answer, not separate results.
    var isMember = false
    /// Nil: the whole text of the step.
    var questionText: String?

    /// `section/step`.
    var path: String { (sections + (part.map { [$0] } ?? []) + [identifier]).joined(separator: "/") }
    /// `task/section/step`.
    func path(in task: String) -> String { "\(task)/\(path)" }
}
