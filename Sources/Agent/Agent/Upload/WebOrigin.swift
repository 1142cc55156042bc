// SPDX-License-Identifier: Apache-2.0

/// Scheme, host and port of an address of the web (RFC 6454 §4). Two addresses with the same origin are of the same
/// server: `HTTPClient` and `TusDestination` send tokens and fields that were meant for it to no other.
struct WebOrigin: Sendable, Hashable {
    private let scheme: String
    let host: String
    private let port: String

    /// Nil for a text that is no address.
    init?(_ address: String) {
        guard let separator = address.firstRange(of: "://") else { return nil }
        scheme = address[..<separator.lowerBound].lowercased()
        let authority = address[separator.upperBound...].prefix { !"/?#".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        let hostEnd =
            place.hasPrefix("[") ? place.firstIndex(of: "]").map(place.index(after:)) : place.firstIndex(of: ":")
        host = place[..<(hostEnd ?? place.endIndex)].lowercased()
        let named = place[(hostEnd ?? place.endIndex)...].dropFirst()
        guard !scheme.isEmpty, !host.isEmpty else { return nil }
        port = named.isEmpty ? (scheme == "https" ? "443" : "80") : String(named)
    }

    /// True where the second address is of the same server with TLS, both at their usual ports.
    static func isUpgrade(_ from: String, _ to: String) -> Bool {
        guard let from = WebOrigin(from), let to = WebOrigin(to) else { return false }
        return from.host == to.host && (from.scheme, from.port) == ("http", "80")
            && (to.scheme, to.port) == ("https", "443")
    }
}
