// SPDX-License-Identifier: Apache-2.0
import Base

/// What is wrong in a configuration or board file: which file, which key, which line, and what to do. The readers of
/// both (`ConfigTable`) throw it; commands print it.
package struct ConfigError: ExplainedError, Sendable, Hashable {
    /// As it was named on the command line or in the configuration.
    private let file: String
    /// Dotted key path: `chip[1].address`; empty for the file as a whole.
    package let path: String
    /// From 1; nil where it is not known.
    private let line: Int?
    /// What is wrong, without file and key.
    package let cause: String
    /// What to do about just that; nil where nothing more is known.
    package let remedy: String?
    /// What helps with most parts that have such trouble; nil where there is no such thing.
    private let advice: String?

    package init(
        file: String, path: String = "", line: Int? = nil, cause: String, remedy: String? = nil, advice: String? = nil
    ) {
        (self.file, self.path, self.line) = (file, path, line)
        (self.cause, self.remedy, self.advice) = (cause, remedy, advice)
    }

    /// An error of a part that refused in its own words.
    package init(file: String, path: String, line: Int?, _ error: any Error, also remedy: String? = nil) {
        let own = Explanation(error)
        self.init(
            file: file, path: path, line: line, cause: own.finding, remedy: Explanation.remedies(own.remedy, remedy))
    }

    /// What is wrong and what to do, without file and key.
    package var message: String {
        Explanation(cause: cause, remedy: Explanation.remedies(remedy, advice)).description
    }

    /// `file:line: key` is the place, without what is not known.
    package var explanation: Explanation {
        let place = line.map { "\(file):\($0)" } ?? file
        return Explanation(
            place: path.isEmpty ? place : "\(place): \(path)", cause: cause,
            remedy: Explanation.remedies(remedy, advice))
    }
}
