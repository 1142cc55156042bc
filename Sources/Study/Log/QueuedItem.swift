// SPDX-License-Identifier: Apache-2.0

/// An item as the log has it, in the row `StudyEvent.queued` that the store writes of an `OutboxDraft`:
/// everything but a request's bytes.
package struct QueuedItem: LoggedRecord {
    /// The first 32 hexadecimal digits of SHA-256 over the device's secret, enrolment, destination,
    /// origin and content.
    package var id: String
    /// What made it, unique in the enrolment together with destination and content;
    /// see `OutboxDraft`.
    package var origin: String
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
