// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a hostile or careless writer may have put in a value's place.
package enum OddJSON {
    package static let odd: [JSONNode.Content] = [
        .null, .boolean(true), .boolean(false), .number("-1"), .number("1e999"), .number("0.5"),
        .number("99999999999999999999"), .string(""), .string(">"), .string("9223372036854775808"), .array([]),
        .object([]),
        .array([JSONNode(content: .null, line: 1)]),
    ]

    /// The tree with its n-th value (counted in depth) replaced; `count` is lowered by
    /// the values passed.
    package static func replacing(_ node: JSONNode, _ count: inout Int, by content: JSONNode.Content) -> JSONNode {
        defer { count -= 1 }
        if count == 0 { return JSONNode(content: content, line: node.line) }
        count -= 1
        switch node.content {
        case .array(let elements):
            return JSONNode(content: .array(elements.map { replacing($0, &count, by: content) }), line: node.line)
        case .object(let members):
            let renewed = members.map { JSONNode.Member(key: $0.key, value: replacing($0.value, &count, by: content)) }
            return JSONNode(content: .object(renewed), line: node.line)
        default: return node
        }
    }
}
