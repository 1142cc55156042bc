// SPDX-License-Identifier: Apache-2.0
import Base

/// The results of a submitted run as a tree, made by `RunResult`: `CommitService` has them kept as a separate
/// file (`results/<enrolment>/<task>-<run>.json`, where `numbering` is 2 `<task>=v2-<run>.json`), and they are
/// sent to destinations that take such files.
package struct ResultEntry: Sendable, Hashable {
    package let enrolment: String
    package let task: String
    /// From 1.
    package let run: Int
    /// Which numbering `run` is of: `RunNumbering.count`, or 1.
    package let numbering: Int
    private let tree: JSONText
    /// When its signal was due; nil for a run that the participant started.
    private let prompted: Instant?

    /// The tree of that run of that task; `run` counts from 1.
    package init(
        enrolment: String, task: String, run: Int, tree: JSONText, numbering: Int = 1, prompted: Instant? = nil
    ) {
        self.prompted = prompted
        self.numbering = numbering
        self.enrolment = enrolment
        self.task = task
        self.run = run
        self.tree = tree
    }

    /// The file's bytes: JSON, and the end of a line. Encoded on the thread that writes the file, so that
    /// `StudyCore` does not wait for it.
    package var content: [UInt8] { Array((tree.text + "\n").utf8) }

    /// The header field that says when the run's prompt was due, RFC 3339; read by `RadarDelivery`.
    package static let notified = "Notified"

    /// The outbox item for a destination that takes trees; the address is the destination's.
    package func draft(to destination: String) -> OutboxDraft {
        let signalled = prompted.map { [WireRequest.Header(name: Self.notified, value: $0.rfc3339())] } ?? []
        let number = numbering > 1 ? "v\(numbering)/\(run)" : String(run)
        return OutboxDraft(
            origin: "result \(task)/\(number)", itemClass: .answers, destination: destination,
            content: .request(
                WireRequest(
                    method: "POST", url: "",
                    headers: [.init(name: "Content-Type", value: "application/json")] + signalled, body: content)))
    }
}
