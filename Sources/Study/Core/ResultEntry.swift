// SPDX-License-Identifier: Apache-2.0
import Base

/// The tree of a submitted run that is to be kept as a separate file.
package struct ResultEntry: Sendable, Hashable {
    package let enrolment: String
    package let task: String
    /// From 1.
    package let run: Int
    private let tree: JSONText

    /// The tree of that run of that task; `run` counts from 1.
    package init(enrolment: String, task: String, run: Int, tree: JSONText) {
        self.enrolment = enrolment
        self.task = task
        self.run = run
        self.tree = tree
    }

    /// The file's bytes: JSON, and the end of a line. Made where it is written, so that nothing
    /// that is decided waits for it.
    package var content: [UInt8] { Array((tree.text + "\n").utf8) }
}
