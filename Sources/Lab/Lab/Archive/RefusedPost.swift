// SPDX-License-Identifier: Apache-2.0
import Base

/// A post that was not taken, and why, as the page and `/api/refusals` show it.
struct RefusedPost: Sendable {
    let id: Int64
    let received: Instant
    let path: String
    let user: String?
    let reasons: String
}
