// SPDX-License-Identifier: Apache-2.0

/// What is removed from this device at a withdrawal: the platform says it, and `Enroller` carries it out.
package struct Leaving: Sendable, Hashable {
    /// What was not sent yet is never sent.
    package let deletesUnsent: Bool
    /// The answers are taken out of the event log, too.
    package let erasesAnswers: Bool

    package init(deletesUnsent: Bool, erasesAnswers: Bool) {
        (self.deletesUnsent, self.erasesAnswers) = (deletesUnsent, erasesAnswers)
    }
}
