// SPDX-License-Identifier: Apache-2.0

/// The form of an address to which records are posted: absolute, http or https, with a host. `Enroller`,
/// `studyd provision`, `ConfiguredDestination` and `SchemaDecoder` refuse any other; whether a server answers
/// there, `studyd check` says.
package struct PostAddress: Sendable, Hashable {
    package let text: String
    /// What is wrong with it, in words; nil where nothing is.
    package let problem: String?

    package init(_ text: String) {
        self.text = text
        problem = Self.problem(text)
    }

    /// Without the white space at both ends, which browsers ignore (WHATWG URL: leading and
    /// trailing C0 control or space).
    package static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { $0.value > 32 }),
            let last = scalars.lastIndex(where: { $0.value > 32 })
        else { return "" }
        return String(scalars[first...last])
    }

    private static func problem(_ text: String) -> String? {
        if text.isEmpty { return "the study has no address for its answers, so they stay on the device" }
        return fault(in: text).map { "\"\(text)\" is not an address for answers: \($0)" }
    }

    private static func fault(in text: String) -> String? {
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }) else {
            return "it does not begin with http:// or https://"
        }
        if text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            return "it contains a control character"
        }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#\\".contains($0) }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        // In the path a space is sent as %20, as browsers do.
        if authority.contains(" ") { return "its host contains a space" }
        return hasHost(place) ? nil : "it has no valid host or port"
    }

    /// A name or a number in brackets, and perhaps a port.
    private static func hasHost(_ place: Substring) -> Bool {
        var port: Substring?
        var host = place
        if place.hasPrefix("[") {
            guard let end = place.firstIndex(of: "]") else { return false }
            host = place[..<end].dropFirst()
            let rest = place[place.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return false }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = place.firstIndex(of: ":") {
            host = place[..<colon]
            port = place[place.index(after: colon)...]
        }
        guard !host.isEmpty, !host.allSatisfy({ $0 == "." }) else { return false }
        guard let port, !port.isEmpty else { return true }
        // `UInt16` takes a plus sign too.
        return port.first != "+" && UInt16(port).map { $0 > 0 } ?? false
    }
}
