// SPDX-License-Identifier: Apache-2.0
import Base

struct RefusedPost: Sendable {
    let id: Int64
    let received: Instant
    let path: String
    let user: String?
    let reasons: String
}
