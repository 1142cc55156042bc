// SPDX-License-Identifier: Apache-2.0

/// An answer as the file of a scripted participant has it (`studyd simulate --script`), before the kind of its
/// question gives it a meaning (`Wanted`).
package enum ScriptedValue: Sendable, Hashable, CustomStringConvertible {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case list([ScriptedValue])

    /// The string, nil for other kinds.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// For messages: like JSON, on one line, but without escapes.
    package var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let value): NumberText.text(value)
        case .string(let value): "\"\(value)\""
        case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        }
    }
}
