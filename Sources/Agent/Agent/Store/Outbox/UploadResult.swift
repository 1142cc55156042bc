// SPDX-License-Identifier: Apache-2.0
import Base

/// How an attempt to send ended.
package enum UploadResult: Sendable, Hashable {
    /// `countersigned` is what the lab's receiver signed about the log.
    case delivered(receipt: String, countersigned: String? = nil)
    case refused(reason: String)
    case failed(reason: String, retryAt: Instant)
    /// Sent, and its arrival is unknown; nil = only sent again by hand.
    case uncertain(reason: String, retryAt: Instant?)
    /// Something of a higher priority goes first; the server keeps what it has of this one.
    case paused
}
