// SPDX-License-Identifier: Apache-2.0

/// Which form of a counted phrase goes with a number, for `Catalogue`: its field `Plural-Forms`, an expression
/// of C in `n` (GNU gettext manual, 12.6). The languages' rules themselves are CLDR's.
struct PluralRule: Sendable {
    static let english = "nplurals=2; plural=(n != 1);"

    private let form: @Sendable (Int) -> Int

    /// The form's place among the catalogue's `msgstr[…]`.
    subscript(count: Int) -> Int { form(count) }

    /// Nil where it is no such expression.
    init?(_ field: String) {
        let parts = field.split(separator: ";").map { $0.drop { $0 == " " } }
        guard let rule = parts.first(where: { $0.hasPrefix("plural=") }) else { return nil }
        var parser = Parser(rule.dropFirst("plural=".count))
        guard let form = parser.parseChoice(), parser.isAtEnd else { return nil }
        self.form = form
    }

    private typealias Form = @Sendable (Int) -> Int

    private struct Parser {
        private var rest: Substring
        private var depth = 0
        /// Far more than any language needs.
        private static let deepest = 64
        /// Binary operators, the loosest first. Of two that begin alike the longer comes first.
        private static let levels: [[(sign: String, apply: @Sendable (Int, Int) -> Int)]] = [
            [("||", { $0 != 0 || $1 != 0 ? 1 : 0 })],
            [("&&", { $0 != 0 && $1 != 0 ? 1 : 0 })],
            [("==", { $0 == $1 ? 1 : 0 }), ("!=", { $0 != $1 ? 1 : 0 })],
            [
                ("<=", { $0 <= $1 ? 1 : 0 }), (">=", { $0 >= $1 ? 1 : 0 }), ("<", { $0 < $1 ? 1 : 0 }),
                (">", { $0 > $1 ? 1 : 0 }),
            ],
            [("+", { $0 &+ $1 }), ("-", { $0 &- $1 })],
            [
                ("*", { $0 &* $1 }), ("/", { $1 == 0 ? 0 : $0.dividedReportingOverflow(by: $1).partialValue }),
                ("%", { $1 == 0 ? 0 : $0.remainderReportingOverflow(dividingBy: $1).partialValue }),
            ],
        ]

        init(_ text: Substring) { rest = text[...] }

        var isAtEnd: Bool { rest.allSatisfy { $0 == " " } }

        /// `condition ? yes : no`, or an expression without it.
        mutating func parseChoice() -> Form? {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.deepest, let condition = parseBinary(0) else { return nil }
            guard take("?") else { return condition }
            guard let yes = parseChoice(), take(":"), let no = parseChoice() else { return nil }
            return { condition($0) != 0 ? yes($0) : no($0) }
        }

        /// Operands of the next level, joined by the operators of this one.
        private mutating func parseBinary(_ level: Int) -> Form? {
            guard level < Self.levels.count else { return parseUnary() }
            guard var left = parseBinary(level + 1) else { return nil }
            while let apply = Self.levels[level].first(where: { take($0.sign) })?.apply {
                guard let right = parseBinary(level + 1) else { return nil }
                left = { [left] in apply(left($0), right($0)) }
            }
            return left
        }

        private mutating func parseUnary() -> Form? {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.deepest else { return nil }
            if take("!") {
                guard let form = parseUnary() else { return nil }
                return { form($0) == 0 ? 1 : 0 }
            }
            if take("n") { return { $0 } }
            if take("(") {
                guard let inner = parseChoice(), take(")") else { return nil }
                return inner
            }
            let digits = rest.prefix(while: \.isWholeNumber)
            guard let number = Int(digits) else { return nil }
            rest = rest[digits.endIndex...]
            return { _ in number }
        }

        /// Takes a sign with the blanks before it; blanks behind a number are taken by the next.
        private mutating func take(_ sign: String) -> Bool {
            rest = rest.drop { $0 == " " }
            guard rest.hasPrefix(sign) else { return false }
            rest = rest.dropFirst(sign.count)
            return true
        }
    }
}
