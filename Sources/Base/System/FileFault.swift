// SPDX-License-Identifier: Apache-2.0
import Base

/// A file that cannot be read or written.
package struct FileFault: ExplainedError, Sendable, Hashable {
    /// As it was given to the operation that failed.
    private let path: String
    /// What is wrong, without the path.
    private let message: String
    /// What to do about it; nil where nothing is known.
    private let remedy: String?

    /// What is wrong with the file at `path`.
    package init(path: String, message: String, remedy: String? = nil) {
        self.path = path
        self.message = message
        self.remedy = remedy
    }

    package var explanation: Explanation { Explanation(place: path, cause: message, remedy: remedy) }
}
