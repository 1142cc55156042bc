// SPDX-License-Identifier: Apache-2.0
import Base

/// One request, as `ClientConnection` hands it to a route's handler: its head, and its body still to be read.
///
/// It belongs to the connection's task and is not `Sendable`; a handler takes what it needs out of
/// it before it calls an actor.
package struct HTTPRequest {
    /// `GET`, `POST`, ... as sent; methods are case-sensitive.
    package let method: String
    /// The path as sent, percent-encoding kept, without the query.
    package let path: String
    /// The query after `?` as sent, or nil.
    package let query: String?
    package let fields: HTTPFields
    /// The segments that the route's `:name` and `*name` matched, percent-decoded. They may hold
    /// any character, `/` and `..` too: never use one as a file name.
    package internal(set) var parameters: [String: String] = [:]
    /// What its signature shows; absent until it was looked at.
    var signature = RequestSignature.absent
    /// Who sent it, and how it came.
    let origin: RequestOrigin
    /// The scheme of this server's address as the client writes it.
    package var scheme: String { origin.isSecure ? "https" : "http" }
    /// This server, as the client has reached it.
    package var address: String { "\(scheme)://\(fields["host"] ?? "127.0.0.1")" }
    /// What follows the head. Reading it answers `Expect: 100-continue`.
    package let body: RequestBody

    /// The first value of a query item, form-decoded (`+` is a space), or nil where it is
    /// absent or not UTF-8.
    package func queryItem(_ name: String) -> String? {
        for item in (query ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard PercentCode.decoded(parts[0], plusIsSpace: true) == name else { continue }
            return parts.count == 1 ? "" : PercentCode.decoded(parts[1], plusIsSpace: true)
        }
        return nil
    }
}
