// SPDX-License-Identifier: Apache-2.0

/// A word, sign, text or number of a script, with its place: from `MerlinLexer` to `MerlinCompiler`.
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
    let place: MerlinPlace

    var sign: MerlinSign? { if case .sign(let sign) = kind { sign } else { nil } }

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
