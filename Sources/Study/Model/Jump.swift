// SPDX-License-Identifier: Apache-2.0

/// A branch: where the condition holds, the run goes on there. Platforms' readers make it, and `Navigator`
/// follows it.
package struct Jump: Sendable {
    package enum Destination: Sendable, Hashable {
        case step(String)
        case end
        /// The run ends here, and once it is submitted the task of that key is opened.
        case task(String, at: RunStart)
    }
    /// Judged with the answers of the run so far, the one just given included.
    package let when: any Condition
    /// Where the run goes on; may be a step that was shown already.
    package let to: Destination

    package init(when: any Condition, to: Destination) { (self.when, self.to) = (when, to) }
}

/// Where a run begins; `PanelSession` says it to `TaskRun`.
package enum RunStart: Sendable, Hashable {
    case first
    /// At the step of that key; at the first where the task has none.
    case step(String)
    /// After the last step: nothing is asked, and what is submitted has no answers.
    case end
}
