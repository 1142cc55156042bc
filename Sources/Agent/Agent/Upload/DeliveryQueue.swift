// SPDX-License-Identifier: Apache-2.0

/// Items that one `DeliveryLane` sends one after another: all of a destination's or, where its items go to
/// many servers, those of one enrolment. The server of a study that was left may be gone for ever, and must
/// not hold up the next study's.
struct DeliveryQueue: Sendable, Hashable {
    let destination: String
    /// nil = the items of all enrolments.
    let enrolment: String?
}
