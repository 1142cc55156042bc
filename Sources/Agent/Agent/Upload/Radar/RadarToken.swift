// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a token endpoint answers `RadarServer` with (ManagementPortal `ClaimsTokenEnhancer`), or the body of the
/// token itself (Ory Hydra).
struct RadarToken: Sendable, Hashable {
    let access: String
    /// The new refresh token; nil where the old one stays valid.
    let refresh: String?
    /// Seconds that the access token is valid.
    let life: Int64
    /// The participant, as ManagementPortal names them; nil = the token does not say.
    let subject: String?

    init?(_ body: [UInt8]) {
        guard let node = try? JSONNode(body), let access = node["access_token"]?.text, !access.isEmpty else {
            return nil
        }
        self.access = access
        let claims = Self.claims(of: access)
        refresh = node["refresh_token"]?.text
        life = Self.seconds(node["expires_in"]) ?? 3600
        subject = (node["sub"] ?? claims?["sub"])?.text
    }

    /// Seconds as a server writes them: at most 8000 years, so that sums do not overflow.
    static func seconds(_ node: JSONNode?) -> Int64? {
        node?.value.double.map { Int64(min(max($0.rounded(), 0), 253_402_300_799)) }
    }

    /// The body of a JSON Web Token (RFC 7519), unchecked: that is the server's matter. Nil for another
    /// token.
    static func claims(of token: String) -> JSONNode? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let plain = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Base64.decoded(padded).flatMap { try? JSONNode($0) }
    }
}
