// SPDX-License-Identifier: Apache-2.0

/// A file that was made in a run and belongs to its answers: a spoken answer, or what a recorder of the task
/// wrote. `EventEncoder` asks the study's `ReportWriter` whether its server takes it.
package struct RunFile: Sendable, Hashable {
    package let task: String
    /// The key of the step that it answers; nil = of no step.
    package let step: String?
    /// The name that the answer, or the recorder, has for it.
    package let name: String

    package init(task: String, step: String?, name: String) { (self.task, self.step, self.name) = (task, step, name) }
}

/// Why a file can never be sent, in words; thrown by a `StudyWire`.
package struct RunFileError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
