// SPDX-License-Identifier: Apache-2.0
import Base

/// What the platforms' records hold; objects keep the order of their members.
package typealias JSONValue = JSONText

extension JSONValue {
    /// An object of these members, in this order.
    package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// A whole number, or null; equal to the same number as a file spells it.
    package static func int(_ value: (some BinaryInteger)?) -> JSONValue { value.map { .spelled(String($0)) } ?? .null }
    package static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
}

extension JSONValue.Member {
    /// As LabKey and PHP call a key.
    package var name: String { key }
    package init(name: String, value: JSONValue) { self.init(name, value) }
}

extension JSONValue {
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    package var bool: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var isNull: Bool { if case .null = self { true } else { false } }
    /// The members of an object, none for anything else.
    package var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// An object with that member, in its place where it had one.
    package func with(_ name: String, _ value: JSONValue) -> JSONValue {
        guard members.contains(where: { $0.name == name }) else {
            return .object(members + [Member(name: name, value: value)])
        }
        return .object(members.map { $0.name == name ? Member(name: name, value: value) : $0 })
    }
}

/// Reads what is sent here by the rules of the platforms' servers, which refuse half of a surrogate
/// pair.
package enum JSONReader {
    /// The value that `text` is. Texts are bounded before they come here.
    package static func value(_ text: String, depthLimit: Int = 32) throws(JSONError) -> JSONValue {
        var rules = JSONRules()
        rules.maximumSize = .max
        rules.maximumDepth = depthLimit
        rules.refusesLoneSurrogates = true
        return try JSONNode(Array(text.utf8), rules).value
    }
}
