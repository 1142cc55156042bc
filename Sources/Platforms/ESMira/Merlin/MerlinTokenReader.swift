// SPDX-License-Identifier: Apache-2.0

/// Reads the words of a script one after the other, and says what is missing where.
struct MerlinTokenReader {
    private let tokens: [MerlinToken]
    private var at = 0
    private var depth = 0

    /// The last of the tokens is the end.
    init(_ tokens: [MerlinToken]) { self.tokens = tokens }

    var token: MerlinToken { tokens[at] }
    /// Where the token before this one is.
    var placeBefore: MerlinPlace { tokens[max(0, at - 1)].place }
    var isAtEnd: Bool { at == tokens.count - 1 }

    func check(_ sign: MerlinSign) -> Bool { token.sign == sign }

    mutating func advance() { at += 1 }

    mutating func consume(_ sign: MerlinSign) -> Bool {
        guard check(sign) else { return false }
        at += 1
        return true
    }

    mutating func expect(_ sign: MerlinSign, _ place: String) throws(MerlinProblem) {
        guard !consume(sign) else { return }
        throw problem("'\(sign.rawValue)' is missing \(place), before \(token.words)")
    }

    mutating func name(_ complaint: String) throws(MerlinProblem) -> String {
        guard case .name(let name) = token.kind else { throw problem("\(complaint), not \(token.words)") }
        at += 1
        return name
    }

    /// Goes one level deeper into the script, at most to `MerlinLimits.nesting`; `leave` goes back.
    mutating func enter() throws(MerlinProblem) {
        guard depth < MerlinLimits.nesting else {
            throw problem("this is nested more than \(MerlinLimits.nesting) levels deep")
        }
        depth += 1
    }

    mutating func leave() { depth -= 1 }

    func problem(_ message: String) -> MerlinProblem { MerlinProblem(.parsing, token.place, message) }
}
