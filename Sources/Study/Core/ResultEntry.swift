// SPDX-License-Identifier: Apache-2.0
import Base

/// The tree of a submitted run that is to be kept as a separate file.
package struct ResultEntry: Sendable, Hashable {
    package let enrolment: String
    package let task: String
    /// From 1.
    package let run: Int
    private let tree: JSONText
    /// When its signal was due; nil for a run that the participant started.
    private let prompted: Instant?

    /// The tree of that run of that task; `run` counts from 1.
    package init(enrolment: String, task: String, run: Int, tree: JSONText, prompted: Instant? = nil) {
        self.prompted = prompted
        self.enrolment = enrolment
        self.task = task
        self.run = run
        self.tree = tree
    }

    /// The file's bytes: JSON, and the end of a line. Made where it is written, so that nothing
    /// that is decided waits for it.
    package var content: [UInt8] { Array((tree.text + "\n").utf8) }

    /// The header field of an item that says when it was signalled, RFC 3339.
    package static let notified = "Notified"

    /// The item for a destination that takes trees.
    package func draft(to destination: String) -> OutboxDraft {
        let signalled = prompted.map { [WireRequest.Header(name: Self.notified, value: $0.rfc3339())] } ?? []
        return OutboxDraft(
            origin: "result \(task)/\(run)", itemClass: .answers, destination: destination,
            content: .request(
                WireRequest(
                    method: "POST", url: "",
                    headers: [.init(name: "Content-Type", value: "application/json")] + signalled, body: content)))
    }
}
