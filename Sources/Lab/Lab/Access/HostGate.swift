// SPDX-License-Identifier: Apache-2.0

/// The names under which this server may be asked, and the pages that may ask: a page of another site, open in
/// a browser of the lab, must neither read from here (DNS rebinding) nor send here (CSRF). The router calls
/// `check` for each request.
///
/// A name that an attacker can point at this machine is the danger, so numeric addresses are always
/// good.
struct HostGate: Sendable {
    /// Lowercase, without a port.
    private let names: Set<String>
    /// As browsers write them: `https://app.example.org`.
    private let origins: Set<String>

    /// A gate for these names, and `localhost`; `origins` are of pages from elsewhere that may
    /// send all the same.
    init(names: [String], origins: [String] = []) {
        self.names = Set(names.map(Self.plain) + ["localhost"])
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// Throws 421 for a name that is not ours, 403 for a page that is not.
    func check(_ request: HTTPRequest) throws(HTTPFailure) {
        let authority = (request.fields["host"] ?? "").lowercased()
        // Without a Host (HTTP/1.0) it is no browser.
        guard authority.isEmpty || isOurs(authority) else {
            throw HTTPFailure(
                421,
                "this server is not called \(authority.prefix(200)); start it with --name NAME to allow that name")
        }
        guard let origin = request.fields["origin"]?.lowercased(), !origins.contains(origin) else { return }
        guard !authority.isEmpty, ["http://\(authority)", "https://\(authority)"].contains(origin) else {
            throw HTTPFailure(
                403,
                "pages from \(origin.prefix(200)) may not send anything here; start with --origin ORIGIN to allow them"
            )
        }
    }

    private func isOurs(_ authority: String) -> Bool {
        let host = Self.plain(authority)
        return Self.isAddress(host) || names.contains(host) || host.hasSuffix(".localhost")
    }

    /// Without the port and a last dot, lowercase.
    private static func plain(_ authority: String) -> String {
        let text = authority.lowercased()
        if text.hasPrefix("[") { return String(text.prefix { $0 != "]" }) + "]" }
        let host = text.prefix { $0 != ":" }
        return String(host.hasSuffix(".") ? host.dropLast() : host)
    }

    /// A numeric address: four numbers, or IPv6 between brackets.
    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return host.hasSuffix("]")
                && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
    }

    /// Whether only programs of this machine reach what listens there.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && isAddress(host))
    }
}
