// SPDX-License-Identifier: Apache-2.0

/// A word of a script, with its place.
struct MerlinToken {
    enum Kind: Equatable {
        /// One of the signs or reserved words of the language.
        case sign(MerlinSign)
        case name(String)
        case text(String)
        case number(Double)
        case end
    }

    let kind: Kind
    let sign: MerlinSign?
    let place: MerlinPlace

    init(kind: Kind, place: MerlinPlace) {
        self.kind = kind
        self.place = place
        sign = if case .sign(let sign) = kind { sign } else { nil }
    }

    /// As a message says it.
    var words: String {
        switch kind {
        case .sign(let sign): "'\(sign.rawValue)'"
        case .name(let name): "'\(name)'"
        case .text: "a text"
        case .number: "a number"
        case .end: "the end of the script"
        }
    }
}

/// Signs and reserved words, as they are written.
enum MerlinSign: String, CaseIterable {
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBrace = "{"
    case rightBrace = "}"
    case leftBracket = "["
    case rightBracket = "]"
    case comma = ","
    case colon = ":"
    case semicolon = ";"
    case dot = "."
    case concat = ".."
    case minus = "-"
    case minusEqual = "-="
    case plus = "+"
    case plusEqual = "+="
    case slash = "/"
    case slashEqual = "/="
    case star = "*"
    case starEqual = "*="
    case modulo = "%"
    case moduloEqual = "%="
    case not = "!"
    case notEqual = "!="
    case equal = "="
    case equalEqual = "=="
    case greater = ">"
    case greaterEqual = ">="
    case chain = ">>"
    case less = "<"
    case lessEqual = "<="
    case and, elif, `else`, `false`, function, `for`, `if`, `in`, `init`, none, object, or, `return`, `true`, `while`

    static let words: [String: MerlinSign] = {
        let all = allCases.filter { $0.rawValue.utf8.first.map { $0 >= 0x61 && $0 <= 0x7A } ?? false }
        return Dictionary(all.map { ($0.rawValue, $0) }) { first, _ in first }
    }()

    /// The sign that two characters make together.
    static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar?) -> MerlinSign? {
        guard let second, ".=>".unicodeScalars.contains(second), !first.properties.isAlphabetic else { return nil }
        return MerlinSign(rawValue: "\(first)\(second)")
    }
}
