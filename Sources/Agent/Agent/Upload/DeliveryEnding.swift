// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// How an item's turn (all steps of one attempt to send it) ended.
struct DeliveryEnding: Sendable {
    enum Result: Sendable {
        case verdict(Verdict)
        /// Interrupted without a fault; the attempt does not count.
        case paused
    }

    let result: Result
    /// The server's Retry-After (RFC 9110 §10.2.3); zero = it asked for no wait.
    var retryAfter: Duration = .zero
    /// A failure of this item alone: others need not wait for its retry.
    var isItemsOwn = false
    /// The failure came before any server was asked, so it says nothing about the server.
    var isBeforeSending = false
    /// What the lab's receiver signed about the log with its last answer.
    var countersigned: String?

    static func verdict(_ verdict: Verdict) -> DeliveryEnding { DeliveryEnding(result: .verdict(verdict)) }
}
