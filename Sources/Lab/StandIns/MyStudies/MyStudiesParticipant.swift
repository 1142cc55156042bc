// SPDX-License-Identifier: Apache-2.0

/// Who has enrolled, as long as the key is theirs.
struct MyStudiesParticipant: Sendable {
    let id: Int64
    /// The `appToken`, a secret.
    let key: String
    /// In capitals.
    let study: String
    /// The enrolment token that was used; nil in an open study.
    let token: String?
}
