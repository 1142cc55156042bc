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

    /// How an error message calls it.
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

    /// The reserved words: all cases that are spelled with letters.
    static let words: [String: MerlinSign] = {
        let all = allCases.filter { $0.rawValue.utf8.first.map { $0 >= 0x61 && $0 <= 0x7A } ?? false }
        return Dictionary(all.map { ($0.rawValue, $0) }) { first, _ in first }
    }()

    /// The sign that a character is by itself, and `pair`: the sign that it forms with the next
    /// character, nil where it forms none.
    static func starting(_ byte: UInt8) -> (MerlinSign, pair: (UInt8) -> MerlinSign?)? {
        let equals = UInt8(ascii: "=")
        switch byte {
        case UInt8(ascii: "("): return (.leftParenthesis, { _ in nil })
        case UInt8(ascii: ")"): return (.rightParenthesis, { _ in nil })
        case UInt8(ascii: "{"): return (.leftBrace, { _ in nil })
        case UInt8(ascii: "}"): return (.rightBrace, { _ in nil })
        case UInt8(ascii: "["): return (.leftBracket, { _ in nil })
        case UInt8(ascii: "]"): return (.rightBracket, { _ in nil })
        case UInt8(ascii: ","): return (.comma, { _ in nil })
        case UInt8(ascii: ":"): return (.colon, { _ in nil })
        case UInt8(ascii: ";"): return (.semicolon, { _ in nil })
        case UInt8(ascii: "."): return (.dot, { $0 == byte ? .concat : nil })
        case UInt8(ascii: "-"): return (.minus, { $0 == equals ? .minusEqual : nil })
        case UInt8(ascii: "+"): return (.plus, { $0 == equals ? .plusEqual : nil })
        case UInt8(ascii: "/"): return (.slash, { $0 == equals ? .slashEqual : nil })
        case UInt8(ascii: "*"): return (.star, { $0 == equals ? .starEqual : nil })
        case UInt8(ascii: "%"): return (.modulo, { $0 == equals ? .moduloEqual : nil })
        case UInt8(ascii: "!"): return (.not, { $0 == equals ? .notEqual : nil })
        case equals: return (.equal, { $0 == equals ? .equalEqual : nil })
        case UInt8(ascii: "<"): return (.less, { $0 == equals ? .lessEqual : nil })
        case UInt8(ascii: ">"): return (.greater, { $0 == equals ? .greaterEqual : $0 == byte ? .chain : nil })
        default: return nil
        }
    }

    /// What an assignment by this sign does with the value before it; `store` where
    /// it only assigns.
    var assignment: MerlinOperation? {
        switch self {
        case .equal: .store
        case .plusEqual: .add
        case .minusEqual: .subtract
        case .starEqual: .multiply
        case .slashEqual: .divide
        case .moduloEqual: .modulo
        default: nil
        }
    }

    /// What it does between two values, and how strongly it binds them.
    var operation: (strength: Int, operation: MerlinOperation)? {
        switch self {
        case .or: (1, .or)
        case .and: (2, .and)
        case .equalEqual: (3, .equal)
        case .notEqual: (3, .notEqual)
        case .less: (4, .less)
        case .lessEqual: (4, .lessEqual)
        case .greater: (4, .greater)
        case .greaterEqual: (4, .greaterEqual)
        case .plus: (5, .add)
        case .minus: (5, .subtract)
        case .concat: (5, .concat)
        case .star: (6, .multiply)
        case .slash: (6, .divide)
        case .modulo: (6, .modulo)
        default: nil
        }
    }
}
