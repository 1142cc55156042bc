// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An item that is being sent, with what its steps have found out so far.
package struct DeliveryJob: Sendable {
    /// As the outbox has it, with the attempts so far.
    package let item: OutboxItem
    /// What is to be sent: a request's bytes, or a reference to a file.
    package let content: ItemContent
    /// The directory to which paths of files are relative.
    package let directory: String
    /// Where the server keeps what it has so far; nil = nowhere.
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

/// The result of one step. After `located` and `progressed` the runner takes the next step; all others end
/// the item's turn.
package enum DeliveryStep: Sendable, Hashable {
    /// The server made a place for the item, which is kept in the log; nil = the place is gone.
    case located(String?)
    /// How many bytes of the item the server has; nil = it has to be asked.
    case progressed(Int64?)
    /// The item was delivered, refused, is to be retried, or may or may not have arrived.
    case finished(Verdict)
    /// Something other than the server answered; `isPortal` where the whole network is unusable. To
    /// be tried again.
    case foreign(reason: String, isPortal: Bool)
    /// The server asks for a pause, of `wait` at least.
    case later(reason: String, wait: Duration)
    /// The server lacks what this item needs, such as a topic; it takes others.
    case held(reason: String)
    /// The server takes nothing of this device until somebody has done something; asked again after
    /// `wait` at the earliest.
    case blocked(Explanation, wait: Duration)
}
