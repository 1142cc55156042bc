// SPDX-License-Identifier: Apache-2.0
import Base

/// Who has enrolled, as long as the key is theirs: `MyStudiesStore` looks them up for
/// `MyStudiesResponseServer`.
struct MyStudiesParticipant: Sendable {
    let id: Int64
    /// The `appToken`, a secret.
    let key: String
    /// In capitals.
    let study: String
    /// The enrolment token that was used; nil in an open study.
    let token: String?
}

/// A participant at a glance, without the key, for the `MyStudiesCard` and `/api/mystudies/participants`.
struct MyStudiesPerson: Sendable {
    let study: String
    /// Six hexadecimal digits that stay the same and say nothing of the key.
    let short: String
    /// `true`, `false` or `NA`.
    let sharing: String
    let enrolled: Instant
    let withdrawn: Instant?
    let hasToken: Bool
    let runs: Int
    let pending: Int
    let processed: Int
    let failed: Int
    let latest: Instant?
    /// Withdrawn by the study's staff; the key is still known.
    let isWithdrawnByStaff: Bool
}
