// SPDX-License-Identifier: Apache-2.0

/// What a condition of a rule says: Kleene's three values. What was not measured makes it unknown,
/// never false.
package enum Truth: Int8, Sendable, Hashable {
    case no, unknown, yes

    package init(_ holds: Bool) { self = holds ? .yes : .no }

    package static prefix func ! (_ truth: Truth) -> Truth {
        switch truth {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    /// False where one side is, else unknown where one side is.
    package static func & (_ one: Truth, _ other: Truth) -> Truth { one.rawValue < other.rawValue ? one : other }

    /// True where one side is, else unknown where one side is.
    package static func | (_ one: Truth, _ other: Truth) -> Truth { one.rawValue > other.rawValue ? one : other }
}
