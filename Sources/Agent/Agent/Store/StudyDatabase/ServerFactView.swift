// SPDX-License-Identifier: Apache-2.0
import Base

/// What a study's server said, as the log has it.
package struct ServerFactView: Sendable, Hashable {
    /// A message as the server wrote it, a status word, the name of a text.
    package let text: String
    package let noted: Instant
}
