// SPDX-License-Identifier: Apache-2.0

/// One value of a JSON text, with its line. Objects keep the order of their keys, numbers their
/// spelling. What comes from networks and files is read into it; `JSONPlace` adds the path to a value.
package struct JSONNode: Sendable {
    package indirect enum Content: Sendable {
        case null
        case boolean(Bool)
        /// As spelled in the file.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    package struct Member: Sendable {
        /// With its escapes resolved; a key may come more than once.
        package let key: String
        package let value: JSONNode
        package init(key: String, value: JSONNode) { (self.key, self.value) = (key, value) }
    }

    package let content: Content
    /// From 1.
    package let line: Int

    package init(content: Content, line: Int) { (self.content, self.line) = (content, line) }

    package init(_ bytes: [UInt8], _ rules: JSONRules = JSONRules()) throws(JSONError) {
        var parser = JSONParser(bytes, rules)
        self = try parser.document()
    }

    /// Reads a text in which a comma may follow a last element, and gives the lines of such commas.
    package static func lenient(_ bytes: [UInt8]) throws(JSONError) -> (node: JSONNode, trailingCommas: [Int]) {
        var rules = JSONRules()
        rules.allowsTrailingCommas = true
        var parser = JSONParser(bytes, rules)
        return (try parser.document(), parser.trailingCommas)
    }

    /// The same value without its lines, to be kept or written again.
    package var value: JSONText {
        switch content {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .number(let spelling): .spelled(spelling)
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members): .object(members.map { .init($0.key, $0.value.value) })
        }
    }

    /// The value of a key; of a repeated key the last, as browsers do. Nil for other
    /// values than objects.
    package subscript(_ key: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.last { $0.key == key }?.value
    }

    package var text: String? { if case .string(let text) = content { text } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = content { value } else { nil } }
    package var array: [JSONNode]? { if case .array(let elements) = content { elements } else { nil } }

    /// What it is, for a message: `"abc"`, `25`, `true`, `null`, `an array of 3`, `an object`.
    /// Long texts are cut.
    package var summary: String {
        switch content {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let spelling): spelling.count > 40 ? spelling.prefix(40) + "…" : spelling
        case .string(let value): "\"" + (value.count > 40 ? value.prefix(40) + "…" : value) + "\""
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
