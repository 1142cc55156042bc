// SPDX-License-Identifier: Apache-2.0

/// What a server's answer means: `StudyWire.verdict` says it, and the uploader (`DeliveryRunner`) goes by it.
package enum Verdict: Sendable, Hashable {
    /// Stored there; `receipt` is what the server said.
    case delivered(receipt: String)
    /// It will never be taken; kept and shown.
    case refused(reason: String)
    case retry(reason: String)
    /// It was sent, and it is unknown whether the server has it; a second one would be stored
    /// beside the first.
    case uncertain(reason: String)
}
