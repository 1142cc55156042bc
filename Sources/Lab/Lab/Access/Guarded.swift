// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Puts handlers for people and scripts of the lab behind its tokens, where there are any: one token reads, the other
/// reads and changes. Handlers for devices ask `DeviceGate`.
package struct Guarded: Sendable {
    /// Nil = reading is open to all.
    let token: AccessToken?
    /// Nil = who reads by a token may change.
    var changeToken: AccessToken?

    private static let longestName = 60

    /// The same handler for those who may read: 401 without a token, which makes a browser ask for it.
    package func callAsFunction(_ handler: @escaping Router.Handler) -> Router.Handler {
        guard let token else { return handler }
        return { request in
            let shown = request.fields["authorization"]
            guard token.admits(shown) || changeToken?.admits(shown) == true else {
                throw Self.refusal(
                    "give the token as the password, or as `Authorization: Bearer TOKEN`", realm: "study-receiver")
            }
            return try await handler(request)
        }
    }

    /// The same handler for those who may change: 401 with the token that only reads, so that a
    /// browser asks for the other one. Where there is no token, programs and browsers of this
    /// machine may.
    package func changing(_ handler: @escaping Router.Handler) -> Router.Handler {
        let needed = changeToken ?? token
        return { request in
            if let needed {
                guard needed.admits(request.fields["authorization"]) else {
                    throw Self.refusal(
                        "this changes something: give the token for changes as the password, or as `Authorization: Bearer TOKEN`",
                        realm: "study-receiver: changes")
                }
            } else if !request.origin.isLoopback {
                throw HTTPFailure(
                    403, "without a token only this machine may change anything; start with --change-token-file FILE")
            }
            return try await handler(request)
        }
    }

    /// The name that was given with the token, as a browser asks for it; empty for scripts.
    static func name(_ request: HTTPRequest) -> String {
        let parts = (request.fields["authorization"] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let pair = Base64.decoded(parts[1]) else { return "" }
        let name = pair.prefix { $0 != UInt8(ascii: ":") }
        return String(String(decoding: name, as: UTF8.self).prefix(longestName))
    }

    private static func refusal(_ reason: String, realm: String) -> HTTPFailure {
        HTTPFailure(401, reason, fields: ["WWW-Authenticate": "Basic realm=\"\(realm)\", charset=\"UTF-8\""])
    }
}
