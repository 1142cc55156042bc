// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The proxies (`--proxy`) that are trusted to name the client of a request: `X-Forwarded-For`, to which each
/// proxy appends the address of its own client, and `X-Forwarded-Proto`. From other peers these fields are
/// ignored.
struct TrustedProxies: Sendable, Hashable {
    private let addresses: Set<String>

    /// Numeric addresses; a host name would match no peer.
    init(_ addresses: [String]) { self.addresses = Set(addresses.map(Self.plain)) }

    /// The client that a connection counts for until its first request; empty for a proxy's.
    func owner(of peer: String) -> String { addresses.contains(peer) ? "" : peer }

    /// Where a request on a connection of `peer` comes from.
    func origin(of peer: String, _ fields: HTTPFields) -> RequestOrigin {
        let forwarded = fields.all.filter { $0.name.lowercased() == "x-forwarded-for" }.map(\.value)
        let isDirect = forwarded.isEmpty && fields["forwarded"] == nil && fields["via"] == nil
        guard addresses.contains(peer) else {
            return RequestOrigin(client: peer, isLoopback: isDirect && Self.isLoopback(peer), isSecure: false)
        }
        let hops = forwarded.joined(separator: ",").split(separator: ",").map { Self.plain(String($0.trimmed)) }
        let client = hops.last { !addresses.contains($0) }.flatMap { Self.isAddress($0) ? $0 : nil }
        return RequestOrigin(
            client: client ?? peer, isLoopback: isDirect && Self.isLoopback(peer),
            isSecure: fields["x-forwarded-proto"]?.lowercased() == "https")
    }

    /// True for a numeric IPv4 or IPv6 address, false for a host name.
    static func isAddress(_ text: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
    }

    /// Without the prefix that an IPv6 socket puts before IPv4 addresses (RFC 4291 §2.5.5.2).
    static func plain(_ address: String) -> String {
        address.hasPrefix("::ffff:") && address.contains(".") ? String(address.dropFirst(7)) : address
    }

    private static func isLoopback(_ address: String) -> Bool { address == "::1" || address.hasPrefix("127.") }
}
