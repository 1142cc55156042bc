// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON text together with the path that leads to it. The platforms read studies by it, and name the
/// path in their messages.
package struct JSONPlace {
    package let node: JSONNode
    /// As people write it: `modules[0].name`.
    package let path: String

    /// The whole text; where it is one `file` of several, paths begin with its name.
    package init(root: JSONNode, file: String? = nil) {
        (node, path) = (root, (file.map { $0 + ":" } ?? "") + "$")
    }

    private init(_ node: JSONNode, _ path: String) { (self.node, self.path) = (node, path) }

    /// The value of a key; nil where it is absent or `null`, which the platforms' apps
    /// do not tell apart.
    package func member(_ key: String) -> JSONPlace? {
        guard let child = node[key] else { return nil }
        if case .null = child.content { return nil }
        return JSONPlace(child, path(to: key))
    }

    /// The path of a key, whether it is there or not.
    package func path(to key: String) -> String { "\(path).\(key)" }

    package var elements: [JSONPlace]? { node.array?.enumerated().map { JSONPlace($1, "\(path)[\($0)]") } }

    package var isObject: Bool { if case .object = node.content { true } else { false } }
    package var text: String? { node.text }
    package var boolean: Bool? { node.boolean }
    /// A text, number or truth value as JavaScript shows it in a page; nil for other values.
    package var shown: String? {
        switch node.content {
        case .string(let text): text
        case .boolean(let value): value ? "true" : "false"
        case .number: number.map(JSONText.spelling)
        default: nil
        }
    }
    /// The value as JavaScript's `===` compares it, type included; nil for null, arrays and objects.
    package var identity: JSONText? {
        switch node.content {
        case .string(let text): .string(text)
        case .boolean(let value): .boolean(value)
        case .number: number.map(JSONText.number)
        default: nil
        }
    }
    /// True for exactly `true`.
    package var isTrue: Bool { boolean == true }

    /// A number, or a text that spells one; finite.
    package var number: Double? {
        switch node.content {
        case .number(let spelling): Double(spelling).flatMap { $0.isFinite ? $0 : nil }
        case .string(let text): Self.number(trimming: text)
        default: nil
        }
    }

    /// A whole number, or a text that spells one.
    package var integer: Int? { number.flatMap(Int.init(exactly:)) }

    private static func number(trimming text: String) -> Double? {
        let digits = text.drop { $0 == " " }
        guard let first = digits.first, first.isNumber || first == "-" || first == "." else { return nil }
        return Double(digits).flatMap { $0.isFinite ? $0 : nil }
    }
}
