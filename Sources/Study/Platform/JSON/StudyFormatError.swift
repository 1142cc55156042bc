// SPDX-License-Identifier: Apache-2.0
import Base

/// Why a study cannot be taken: every problem that was found, not only the first. `Findings.finish` throws it;
/// `studyd validate` prints it.
package struct StudyFormatError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// JSON path: `$.modules[1].alerts.times[0].hours`.
        package let path: String
        /// From 1; nil where no place in the file can be named.
        package let line: Int?
        package let expected: String
        package let found: String

        package init(path: String, line: Int?, expected: String, found: String) {
            (self.path, self.line, self.expected, self.found) = (path, line, expected, found)
        }

        /// `$.modules[1].type (line 12): expected …, found …`.
        package var description: String {
            "\(path)\(line.map { " (line \($0))" } ?? ""): expected \(expected), found \(found)".shown
        }
    }

    /// In the order of the file; never empty.
    package let problems: [Problem]

    package init(problems: [Problem]) { self.problems = problems }

    package init(path: String, line: Int?, expected: String, found: String) {
        problems = [Problem(path: path, line: line, expected: expected, found: found)]
    }

    /// One problem on each line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }

    /// The same, as the remarks of `studyd validate`.
    package var remarks: [Remark] {
        problems.map { Remark(.refusal, path: $0.path, line: $0.line, "expected \($0.expected), found \($0.found)") }
    }

    /// A file that is no JSON; its name where there are several.
    package init(_ error: JSONError, in file: String? = nil) {
        let path = file.map { $0 + ":$" } ?? "$"
        self.init(path: path, line: error.line, expected: error.expected, found: error.found)
    }
}

extension JSONNode {
    /// A study's file; throws `StudyFormatError` with the line, and with its name where there are several.
    package init(study bytes: [UInt8], in file: String? = nil) throws(StudyFormatError) {
        do { self = try JSONNode(bytes) } catch { throw StudyFormatError(error, in: file) }
    }
}
