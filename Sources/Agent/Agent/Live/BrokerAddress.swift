// SPDX-License-Identifier: Apache-2.0

/// Where the broker of `[mqtt]` listens: `mqtts://lab.example`, `mqtt://10.0.0.5:1884`. Without a port, IANA's:
/// 8883 and 1883.
package struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
    let host: String
    let port: Int
    let isEncrypted: Bool

    /// Nil unless it is such an address, without a path or a user.
    package init?(_ text: String) {
        let schemes = [("mqtts://", true), ("mqtt://", false)]
        guard let (scheme, isEncrypted) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let (host, port) = Self.parts(rest), !host.isEmpty, !host.contains(where: { "/@?# ".contains($0) })
        else { return nil }
        let usual = isEncrypted ? 8883 : 1883
        let number = port.map { Int($0) ?? 0 } ?? usual
        guard 1...65_535 ~= number else { return nil }
        (self.host, self.port, self.isEncrypted) = (String(host), number, isEncrypted)
    }

    /// An address of IPv6 is in brackets.
    private static func parts(_ text: Substring) -> (host: Substring, port: Substring?)? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let (host, rest) = (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
            return rest.isEmpty ? (host, nil) : rest.hasPrefix(":") ? (host, rest.dropFirst()) : nil
        }
        guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
        return (text[..<colon], text[text.index(after: colon)...])
    }

    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return (isEncrypted ? "mqtts://" : "mqtt://") + name + ":" + String(port)
    }
}
