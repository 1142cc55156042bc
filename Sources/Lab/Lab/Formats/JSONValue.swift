// SPDX-License-Identifier: Apache-2.0
import Base

/// What the platforms' records hold; objects keep the order of their members.
typealias JSONValue = JSONText

extension JSONValue {
    /// An object of these members, in this order.
    static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// A whole number, or null; equal to the same number read.
    static func int(_ value: (some BinaryInteger)?) -> JSONValue { value.map { .spelled(String($0)) } ?? .null }
    /// A text, or null.
    static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
}

extension JSONValue.Member {
    /// As LabKey and PHP call a key.
    var name: String { key }
    init(name: String, value: JSONValue) { self.init(name, value) }
}
