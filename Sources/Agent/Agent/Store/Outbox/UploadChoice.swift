// SPDX-License-Identifier: Apache-2.0
import Base

/// What is looked for in the outbox when something can be sent; the arguments of
/// `StudyDatabase.nextItem`.
package struct UploadChoice: Sendable, Hashable {
    package let destination: String
    /// Of that enrolment; nil = of all.
    package let enrolment: String?
    /// The wall clock: an item with a later retry is passed over.
    package let now: Instant
    /// Items last tried before this need not wait for their retry.
    package let resettingBackoffBefore: Instant?
    /// The destination has just failed: what was tried least often comes first.
    package let leastTriedFirst: Bool
    /// A retry that lies further ahead was planned by a clock that was wrong.
    package let longestWait: Duration
    /// Only answers, and what ends an enrolment: the rest is gathered.
    package var onlyUrgent = false
}
