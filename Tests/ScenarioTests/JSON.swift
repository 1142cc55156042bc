// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A JSON value as commands and receiver print it.
enum JSON: Decodable, Sendable, Hashable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case list([JSON])
    case object([String: JSON])

    init(parsing text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    /// The member of that name; null where there is none.
    subscript(_ name: String) -> JSON { if case .object(let members) = self { members[name] ?? .null } else { .null } }
    /// The elements of a list, none of anything else.
    var list: [JSON] { if case .list(let values) = self { values } else { [] } }
    /// A whole number; 0 for anything else.
    var int: Int { if case .number(let value) = self { Int(value) } else { 0 } }
    /// A text; empty for anything else.
    var text: String { if case .string(let value) = self { value } else { "" } }
    var isTrue: Bool { self == .boolean(true) }
}
