// SPDX-License-Identifier: Apache-2.0
import Base

/// A text (of a configuration or a key file) is no key of age. The text of a secret one is not repeated.
package struct AgeKeyError: ExplainedError, Sendable, Hashable {
    enum Problem: Sendable, Hashable {
        case malformed(String)
        case otherKind(String)
        case secret
        case identity
    }

    private let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    package var explanation: Explanation {
        switch problem {
        case .malformed(let text):
            Explanation(
                cause: "\"\(text.prefix(80))\" is no recipient of age",
                remedy: "copy the line that begins with age1, 62 characters, from 'age-keygen -y identity.txt'")
        case .otherKind(let text):
            Explanation(
                cause: "\"\(text.prefix(80))\" is a recipient of a kind that studyd does not seal to",
                remedy: "use one of X25519, which 'age-keygen' makes: age1 and 58 more characters")
        case .secret:
            Explanation(
                cause: "this is a secret key, which must not be on a device",
                remedy:
                    "write its public half, from 'age-keygen -y identity.txt', and make another key if this file was "
                    + "on a device")
        case .identity:
            Explanation(
                cause: "there is no key of age in it",
                remedy: "give the file that 'age-keygen -o identity.txt' made, with a line AGE-SECRET-KEY-1…")
        }
    }
}
