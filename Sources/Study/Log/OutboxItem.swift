// SPDX-License-Identifier: Apache-2.0
import Base

/// `waiting` and `sending` items are still to be delivered; the other states end an item, unless an operator
/// queues it again.
package enum ItemState: String, Sendable, Hashable, CaseIterable {
    case waiting, sending, delivered, refused, dropped, deleted
}

/// An item of the outbox, and how far it has come: the store gives it to the uploader (`DeliveryLane`) and to
/// `studyd outbox`.
package struct OutboxItem: Sendable, Hashable {
    /// What does not change while it waits.
    package let item: QueuedItem
    /// The id of the enrolment it was queued in; stays after a withdrawal.
    package let enrolment: String
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
