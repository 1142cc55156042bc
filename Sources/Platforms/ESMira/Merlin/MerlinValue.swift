// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A value that outlives a script, a tree: what `MerlinHost` tells a script, and the `globals` that are kept.
package indirect enum MerlinValue: Sendable {
    case none
    case number(Double)
    case text(String)
    case list([MerlinValue])
    /// Its fields, by the names that the script gives them.
    case object([(name: String, value: MerlinValue)])
}

/// The JSON in which a study's `globals`, which live longer than one script, are kept.
extension MerlinValue {
    /// A number that JSON cannot hold, such as `NaN`, becomes a text that Merlin converts back to it.
    package var json: JSONText {
        switch self {
        case .none: .null
        case .number(let number): number.isFinite ? .decimal(number) : .string(MerlinNumber.text(number))
        case .text(let text): .string(text)
        case .list(let values): .array(values.map(\.json))
        case .object(let fields): .object(fields.map { .init($0.name, $0.value.json) })
        }
    }

    /// Reads what `json` wrote. Merlin has no truth values: they become 1 and 0.
    package init(_ node: JSONNode) {
        switch node.content {
        case .null: self = .none
        case .boolean(let value): self = .number(value ? 1 : 0)
        case .number(let spelling): self = Double(spelling).map { .number($0) } ?? .none
        case .string(let text): self = .text(text)
        case .array(let nodes): self = .list(nodes.map(MerlinValue.init))
        case .object(let members): self = .object(members.map { ($0.key, MerlinValue($0.value)) })
        }
    }
}
