// SPDX-License-Identifier: Apache-2.0
import Base

/// What an `Uploader` reports while it sends, from the threads of its lanes; taking it must not block.
package enum UploadNews: Sendable {
    /// What went wrong in the store.
    case fault(String)
    /// A log-in page appeared before the destination's server, in words; nil = it is gone.
    case portal(destination: String, String?)
    /// What a person has to do for the destination, at once or soon (`DeliveryStep.blocked`, `Destination.warning`);
    /// nil = it is done.
    case need(destination: String, Explanation?)
    /// The destination refused an item of that enrolment, and the log has it.
    case refused(enrolment: String, destination: String, reason: String)
    /// Something was delivered; once for all that went in a row.
    case delivered
}
