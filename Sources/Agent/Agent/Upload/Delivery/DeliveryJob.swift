// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An item that is being sent, with what its steps have found out so far; `DeliveryRunner` makes it and hands it to
/// `Destination.send` for each step.
package struct DeliveryJob: Sendable {
    /// As the outbox has it, with the attempts so far.
    package let item: OutboxItem
    /// What is to be sent: a request's bytes, or a reference to a file.
    package let content: ItemContent
    /// The directory to which paths of files are relative.
    package let directory: String
    /// Where the server keeps what it has so far, in the destination's own form (`DeliveryStep.located`); nil =
    /// nowhere.
    package var location: String?
    /// How much of it the server has; nil = it has to be asked.
    package var offset: Int64?
    /// Bytes that one request should carry at most.
    package var chunk: Int64
    /// Media types of files that are worth compressing on the way.
    package var compressible: Set<String>
    /// The wall clock, for dates in answers.
    package var now: Instant
    /// `study` and `participant` of the item's enrolment; empty where they are not known.
    package var owner: [String: String]

    package init(
        item: OutboxItem, content: ItemContent, directory: String, location: String?, offset: Int64?,
        chunk: Int64 = .max, now: Instant = .epoch, compressible: Set<String> = [], owner: [String: String] = [:]
    ) {
        self.owner = owner
        self.compressible = compressible
        self.chunk = chunk
        self.now = now
        self.item = item
        self.content = content
        self.directory = directory
        self.location = location
        self.offset = offset
    }
}
