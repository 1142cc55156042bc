// SPDX-License-Identifier: Apache-2.0

/// One member of the field `Signature-Input` (RFC 9421 §4.1): which parts of a request a signature covers, and the
/// signature's parameters. The device makes one to sign a request; the lab server parses it to check the signature.
/// Components with parameters of their own are not supported.
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

    /// In bytes; a longer field is refused.
    private static let longestField = 4096

    /// For a request that is about to be signed. The texts must be printable ASCII without quotation marks or
    /// backslashes, which are not escaped here.
    package init(
        label: String, components: [String], created: Int64, nonce: String, keyID: String, algorithm: String,
        tag: String
    ) {
        (self.label, self.components, self.created, self.nonce) = (label, components, created, nonce)
        (self.keyID, self.algorithm, self.tag) = (keyID, algorithm, tag)
        let list = components.map { "\"\($0)\"" }.joined(separator: " ")
        text = "(\(list));created=\(created);nonce=\"\(nonce)\";keyid=\"\(keyID)\";alg=\"\(algorithm)\";tag=\"\(tag)\""
    }

    /// Parses the value of a `Signature-Input` field. Nil unless it is exactly one signature in the form of
    /// RFC 8941 §3.2, whose components are all different (RFC 9421 §2.5) and have no parameters.
    package init?(field: String) {
        guard field.utf8.count <= Self.longestField, let equals = field.firstIndex(of: "=") else { return nil }
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
            case ("expires", _): return nil  // not supported: ignoring it would accept an expired signature
            default: break
            }
        }
        guard rest.isAtEnd else { return nil }
    }

    /// The field's value again.
    package var field: String { "\(label)=\(text)" }

    /// The signature base (§2.5): the text that is signed. `value` gives the value of a component, trimmed, several
    /// fields of one name joined by a comma and a space. Where it is absent `value` gives nil, and so does this.
    package func base(_ value: (String) -> String?) -> String? {
        var lines = ""
        for component in components {
            guard let value = value(component), !value.contains(where: \.isNewline) else { return nil }
            lines += "\"\(component)\": \(value)\n"
        }
        return lines + "\"@signature-params\": \(text)"
    }
}
