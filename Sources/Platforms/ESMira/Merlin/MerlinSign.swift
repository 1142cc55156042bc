// SPDX-License-Identifier: Apache-2.0

/// Signs and reserved words, as they are written: `MerlinLexer` finds them, `MerlinCompiler` asks what they do.
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

    /// By their bytes, since texts also equal others that Unicode takes for the same.
    static let spelled = Dictionary(allCases.map { (Array($0.rawValue.utf8), $0) }) { first, _ in first }

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
