// SPDX-License-Identifier: Apache-2.0
import Base

/// An option of the command line that belongs to one platform, which declares it; `PlatformOptions` of
/// `studyd`'s commands takes it.
package struct PlatformOption: Sendable, Hashable {
    package enum Scope: Sendable, Hashable {
        /// All that read a study.
        case reading
        /// `plan` and `simulate`.
        case planning
        /// `enroll`.
        case enrolling
    }

    /// Without the two dashes.
    package let name: String
    /// The placeholder of its value in the help; nil = a switch, which takes none.
    package let value: String?
    /// One sentence, which begins with the platform's title.
    package let help: String
    package let scope: Scope

    package init(_ name: String, value: String?, _ scope: Scope, help: String) {
        (self.name, self.value, self.scope, self.help) = (name, value, scope, help)
    }
}
