// SPDX-License-Identifier: Apache-2.0
import Base

/// What is wrong in a file of rules: every mistake, each with its path and line. `StudyRulesReader` throws it;
/// `studyd validate` prints it.
package struct StudyRulesError: ExplainedError, Hashable {
    package struct Problem: Sendable, Hashable {
        /// `rule.walk.probability[0].p`; empty for the file as a whole.
        package let path: String
        /// From 1.
        package let line: Int
        package let cause: String
        package let remedy: String?

        /// One line for people, without the file.
        package var text: String {
            "line \(line)\(path.isEmpty ? "" : ", \(path)"): \(cause)" + (remedy.map { "; \($0)" } ?? "")
        }

        package var json: JSONText {
            .object([
                "rules": .string("refusal"), "path": .string(path), "line": .integer(Int64(line)),
                "message": .string(cause), "remedy": remedy.map { .string($0) },
            ])
        }
    }
    package let file: String
    /// In the order of the file.
    package let problems: [Problem]

    package var explanation: Explanation {
        Explanation(
            place: file,
            cause: problems.count == 1
                ? problems[0].text : "\n" + problems.map { "  " + $0.text }.joined(separator: "\n"))
    }
}
