// SPDX-License-Identifier: Apache-2.0

/// The position of `MerlinCompiler` in the tokens of a script. `consume`, `expect` and `expectName` move on
/// only past the token that was asked for; nothing moves past the last one.
struct MerlinTokenReader {
    private let tokens: [MerlinToken]
    private var at = 0
    private var depth = 0

    /// The last of the tokens must be the one that marks the end of the script.
    init(_ tokens: [MerlinToken]) { self.tokens = tokens }

    var token: MerlinToken { tokens[at] }
    /// Where the token before this one is.
    var placeBefore: MerlinPlace { tokens[max(0, at - 1)].place }
    var isAtEnd: Bool { at == tokens.count - 1 }

    func check(_ sign: MerlinSign) -> Bool { token.sign == sign }

    /// Only for a token that is not the last one.
    mutating func advance() { at += 1 }

    /// Moves past the token if it is `sign`; else returns false.
    mutating func consume(_ sign: MerlinSign) -> Bool {
        guard check(sign) else { return false }
        at += 1
        return true
    }

    /// Moves past `sign`, or throws; `place` completes the message "')' is missing …".
    mutating func expect(_ sign: MerlinSign, _ place: String) throws(MerlinProblem) {
        guard !consume(sign) else { return }
        throw problem("'\(sign.rawValue)' is missing \(place), before \(token.words)")
    }

    mutating func expectName(_ complaint: String) throws(MerlinProblem) -> String {
        guard case .name(let name) = token.kind else { throw problem("\(complaint), not \(token.words)") }
        at += 1
        return name
    }

    /// Counts one more level of nesting, at most `MerlinLimits.nesting`; to be matched by a `leave`.
    mutating func enter() throws(MerlinProblem) {
        guard depth < MerlinLimits.nesting else {
            throw problem("this is nested more than \(MerlinLimits.nesting) levels deep")
        }
        depth += 1
    }

    mutating func leave() { depth -= 1 }

    func problem(_ message: String) -> MerlinProblem { MerlinProblem(.parsing, token.place, message) }
}
