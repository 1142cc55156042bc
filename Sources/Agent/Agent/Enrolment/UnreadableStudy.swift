// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A study that a command cannot take, by the name under which it was asked for: the problems name places within it
/// alone.
package struct UnreadableStudy: ExplainedError, Sendable, Hashable {
    /// A file, a folder or an address.
    let source: String
    let error: StudyFormatError

    package var explanation: Explanation { Explanation(place: source, cause: "cannot be run:\n\(error)") }

    package static func naming<Result>(_ source: String, _ read: () throws -> Result) throws -> Result {
        do { return try read() } catch let error as StudyFormatError {
            throw UnreadableStudy(source: source, error: error)
        }
    }
}
