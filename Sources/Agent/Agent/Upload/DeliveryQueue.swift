// SPDX-License-Identifier: Apache-2.0

/// What is sent in turn: the items of a destination, or where these have many servers of
/// one enrolment. The server of a study you left may be gone for ever, and must not hold up
/// that of the next.
struct DeliveryQueue: Sendable, Hashable {
    let destination: String
    /// nil = of all.
    let enrolment: String?
}
