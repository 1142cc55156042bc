// SPDX-License-Identifier: Apache-2.0

/// How often something was logged.
struct LogCount: Hashable, Sendable {
    let page: String
    let event: String
    let count: Int
}
