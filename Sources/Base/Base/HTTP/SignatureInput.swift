// SPDX-License-Identifier: Apache-2.0

/// What a signature of an HTTP message covers and says of itself: one member of `Signature-Input`
/// (RFC 9421 §4.1), as far as requests of devices need it. Components have no parameters.
package struct SignatureInput: Sendable, Hashable {
    /// Names it in `Signature-Input` and `Signature`.
    package let label: String
    /// In the order in which they are signed: `@method`, or a field's name in lower case.
    package let components: [String]
    /// Seconds since 1970, by the signer's clock.
    package private(set) var created: Int64?
    package private(set) var nonce: String?
    package private(set) var keyID: String?
    package private(set) var algorithm: String?
    package private(set) var tag: String?
    /// Components and parameters as they are written and signed (§2.3).
    package let text: String

    private static let longest = 4096

    /// One to be signed. The texts must be printable ASCII without quotation marks or backslashes,
    /// which are not escaped here.
    package init(
        label: String, components: [String], created: Int64, nonce: String, keyID: String, algorithm: String,
        tag: String
    ) {
        (self.label, self.components, self.created, self.nonce) = (label, components, created, nonce)
        (self.keyID, self.algorithm, self.tag) = (keyID, algorithm, tag)
        let list = components.map { "\"\($0)\"" }.joined(separator: " ")
        text = "(\(list));created=\(created);nonce=\"\(nonce)\";keyid=\"\(keyID)\";alg=\"\(algorithm)\";tag=\"\(tag)\""
    }

    /// The value of a `Signature-Input` field. Nil unless it is exactly one signature in the
    /// form of RFC 8941 §3.2, and where a component comes twice (RFC 9421 §2.5) or has parameters.
    package init?(field: String) {
        guard field.utf8.count <= Self.longest, let equals = field.firstIndex(of: "=") else { return nil }
        label = String(field[..<equals])
        text = String(field[field.index(after: equals)...])
        guard StructuredText.isKey(label), var rest = StructuredText(text), let names = rest.takeInnerList() else {
            return nil
        }
        components = names
        guard Set(names).count == names.count else { return nil }
        while let (key, value) = rest.takeParameter() {
            switch (key, value) {
            case ("created", .integer(let number)): created = number
            case ("nonce", .string(let text)): nonce = text
            case ("keyid", .string(let text)): keyID = text
            case ("alg", .string(let text)): algorithm = text
            case ("tag", .string(let text)): tag = text
            case ("expires", _): return nil
            default: break
            }
        }
        guard rest.isAtEnd else { return nil }
    }

    /// The field's value again.
    package var field: String { "\(label)=\(text)" }

    /// What is signed (§2.5). `value` gives the value of a component, trimmed, several fields of one
    /// name joined by a comma and a space, or nil where it is absent; then so is the result.
    package func base(_ value: (String) -> String?) -> String? {
        var lines = ""
        for component in components {
            guard let value = value(component), !value.contains(where: \.isNewline) else { return nil }
            lines += "\"\(component)\": \(value)\n"
        }
        return lines + "\"@signature-params\": \(text)"
    }
}
