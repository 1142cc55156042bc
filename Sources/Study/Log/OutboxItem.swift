// SPDX-License-Identifier: Apache-2.0
import Base

/// What an item is worth when not everything can be sent or kept: `answers` are sent first and dropped last.
/// The log stores the case's number, so the order of the cases never changes.
package enum ItemClass: Int, LoggedRecord, CaseIterable, Comparable {
    case answers, events, motion, position, sound

    /// `Comparable`: the less worth, the greater.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// `waiting` and `sending` items are still to be delivered; the other states end an item, unless an operator
/// queues it again.
package enum ItemState: String, Sendable, Hashable, CaseIterable {
    case waiting, sending, delivered, refused, dropped, deleted
}

/// A file to be sent. The names of its properties are the log's format, as of every `LoggedRecord`.
package struct FileReference: LoggedRecord {
    /// Relative to the recordings directory.
    package var path: String
    /// SHA-256 of the file, in hexadecimal; the receipt is checked against it.
    package var sha256: String
    /// Length of the file; a file of another length is not the one that was sealed.
    package var bytes: Int64
    /// `audio/flac`, `application/json`.
    package var contentType: String
    /// The recording it belongs to; nil for a file that belongs to none.
    package var recording: String?
    /// Sent to the server with the file: study, participant, enrolment, measure.
    package var metadata: [String: String]

    package init(
        path: String, sha256: String, bytes: Int64, contentType: String, recording: String?,
        metadata: [String: String] = [:]
    ) {
        self.path = path
        self.sha256 = sha256
        self.bytes = bytes
        self.contentType = contentType
        self.recording = recording
        self.metadata = metadata
    }
}

package enum ItemContent: Sendable, Hashable {
    /// A request built beforehand; its bytes are kept until the receipt.
    case request(WireRequest)
    case file(FileReference)
}

/// An item before it is in the outbox; the store makes a `QueuedItem` of it.
package struct OutboxDraft: Sendable, Hashable {
    /// What made it, unique in the enrolment: `submitted u-log/3`, `log 812`. The same origin with
    /// the same content is the same item.
    package let origin: String
    /// Decides the order of sending, and what is dropped first.
    package let itemClass: ItemClass
    package let destination: String
    /// Kept until there is a receipt: a request as bytes, a file where it lies.
    package let content: ItemContent
    /// Sent when nothing else of the enrolment waits for that destination, after a day in any case:
    /// after the notice of a leave a server takes nothing more.
    package let isLast: Bool
    /// Sent once the newest answers that were queued before it, of the same enrolment and
    /// destination, were taken; never, where those are given up.
    package let followsAnswers: Bool

    package init(
        origin: String, itemClass: ItemClass, destination: String, content: ItemContent, isLast: Bool = false,
        followsAnswers: Bool = false
    ) {
        self.isLast = isLast
        self.followsAnswers = followsAnswers
        self.origin = origin
        self.itemClass = itemClass
        self.destination = destination
        self.content = content
    }
}

/// An item as the log has it: everything but a request's bytes.
package struct QueuedItem: LoggedRecord {
    /// The first 32 hexadecimal digits of SHA-256 over the device's secret, enrolment, destination,
    /// origin and content.
    package var id: String
    /// What made it, unique in the enrolment together with destination and content;
    /// see `OutboxDraft`.
    package var origin: String
    /// Decides the order of sending, and what is dropped first.
    package var itemClass: ItemClass
    /// Name of the destination: a platform's (`schema`) for its server, `recordings` for files.
    package var destination: String
    /// SHA-256 over the device's secret and the request's digest, in hexadecimal; nil for a file.
    package var requestDigest: String?
    /// Bytes of the body or the file.
    package var bytes: Int64
    /// The file to be sent; nil for a request, with bytes that are kept under `requestDigest`.
    package var file: FileReference?
    /// True = sent when nothing else of the enrolment waits for its destination; nil = in its turn.
    package var isLast: Bool?
    /// The id of the item that has to be taken before; nil = none.
    package var follows: String?

    package init(
        id: String, origin: String, itemClass: ItemClass, destination: String, requestDigest: String?, bytes: Int64,
        file: FileReference?, isLast: Bool? = nil, follows: String? = nil
    ) {
        self.isLast = isLast
        self.follows = follows
        self.id = id
        self.origin = origin
        self.itemClass = itemClass
        self.destination = destination
        self.requestDigest = requestDigest
        self.bytes = bytes
        self.file = file
    }
}

package struct OutboxItem: Sendable, Hashable {
    /// What does not change while it waits.
    package let item: QueuedItem
    /// The id of the enrolment it was queued in; stays after a withdrawal.
    package let enrolment: String
    /// As the last event about it left it.
    package let state: ItemState
    /// How often sending began.
    package let attempts: Int
    /// When it may be sent again, on the wall clock; nil = at once.
    package let retryAt: Instant?
    /// The server's words for a delivered item; the reason for any other.
    package let note: String?
    /// Where the server keeps what it has of it so far; nil = nowhere.
    package let location: String?
    /// Attempts of which it is unknown whether they reached the server, which may have up to that many more
    /// copies.
    package let uncertain: Int

    package init(
        item: QueuedItem, enrolment: String, state: ItemState, attempts: Int,
        retryAt: Instant?, note: String?, location: String? = nil, uncertain: Int = 0
    ) {
        self.uncertain = uncertain
        self.item = item
        self.enrolment = enrolment
        self.state = state
        self.attempts = attempts
        self.retryAt = retryAt
        self.note = note
        self.location = location
    }
}
