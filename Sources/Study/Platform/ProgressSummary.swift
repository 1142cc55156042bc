// SPDX-License-Identifier: Apache-2.0
import Base

/// The participant's progress in a study, as the platform counts it, for `studyd status`.
package struct ProgressSummary: Sendable, Hashable {
    /// For people: one line.
    package let line: String
    /// Members of the JSON object.
    package let members: [JSONText.Member]

    package init(line: String, members: [JSONText.Member]) { (self.line, self.members) = (line, members) }
}
