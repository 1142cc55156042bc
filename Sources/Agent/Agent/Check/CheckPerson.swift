// SPDX-License-Identifier: Apache-2.0

package struct CheckPerson: Sendable {
    package let tell: @Sendable (String) -> Void
    /// Asks a yes-or-no question; nil without an answer.
    package let ask: @Sendable (String) -> Bool?

    /// A person who is addressed with these functions; both may block.
    package init(tell: @escaping @Sendable (String) -> Void, ask: @escaping @Sendable (String) -> Bool?) {
        self.tell = tell
        self.ask = ask
    }
}
