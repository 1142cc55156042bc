// SPDX-License-Identifier: Apache-2.0

/// What a server answered to a `WireRequest`, for a platform's server client or wire.
package struct ServerAnswer: Sendable, Hashable {
    /// Three digits; of the last answer when redirects were followed.
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
}
