// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The `Upload-Metadata` of tus 1.0.0: names, each with a value in base 64, separated by commas. `TusRoutes`
/// and `LogRoutes` read it.
struct TusMetadata: Sendable {
    private let entries: [(name: String, value: String)]

    private static let lengthLimit = 8192

    /// Nil when it breaks the grammar, is not UTF-8, repeats a name, or is longer than 8192 bytes.
    init?(_ header: String?) {
        guard let header, !header.isEmpty else {
            entries = []
            return
        }
        guard header.utf8.count <= Self.lengthLimit else { return nil }
        var entries: [(name: String, value: String)] = []
        for item in header.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: " ")
            guard (1...2).contains(parts.count), let bytes = parts.count == 2 ? Base64.decoded(parts[1]) : [],
                let value = String(validating: bytes, as: UTF8.self), !entries.contains(where: { $0.name == parts[0] })
            else { return nil }
            entries.append((String(parts[0]), value))
        }
        self.entries = entries
    }

    /// The value of the first of these names that is there and not empty.
    func first(_ names: String...) -> String? {
        names.lazy.compactMap { name in entries.first { $0.name == name && !$0.value.isEmpty }?.value }.first
    }

    /// The announced SHA-256 as 64 lowercase hexadecimal digits; nil when there is none, "" when what is
    /// there is no digest, which the caller refuses.
    var sha256: String? {
        guard let text = first("sha256")?.lowercased() else { return nil }
        return text.utf8.count == 64 && text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text : ""
    }

    var json: JSONValue { .object(entries.map { .init(name: $0.name, value: .string($0.value)) }) }
}
