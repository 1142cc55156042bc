// SPDX-License-Identifier: Apache-2.0
import Base

/// A participant at a glance, without the key.
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
    let isOut: Bool
}
