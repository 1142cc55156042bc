// SPDX-License-Identifier: Apache-2.0

/// An item before it is in the outbox, made by `EventEncoder` and by the services that send something; the
/// store makes a `QueuedItem` of it.
package struct OutboxDraft: Sendable, Hashable {
    /// What made it, unique in the enrolment: `submitted u-log/3`, `log 812`. The same origin with
    /// the same content is the same item.
    package let origin: String
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

package enum ItemContent: Sendable, Hashable {
    /// A request built beforehand; its bytes are kept until the receipt.
    case request(WireRequest)
    case file(FileReference)
}
