// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Why a study cannot be taken: every problem that was found, not only the first.
public struct StudyFormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// JSON path: `$.modules[1].alerts.times[0].hours`.
        public let path: String
        /// From 1; nil where no place in the file can be named.
        public let line: Int?
        /// What ought to stand there.
        public let expected: String
        /// What stands there.
        public let found: String

        /// Something wrong at `path`.
        public init(path: String, line: Int?, expected: String, found: String) {
            self.path = path
            self.line = line
            self.expected = expected
            self.found = found
        }

        /// `$.modules[1].type (line 12): expected …, found …`.
        public var description: String {
            "\(path)\(line.map { " (line \($0))" } ?? ""): expected \(expected), found \(found)"
        }
    }

    /// In the order of the file; never empty.
    public let problems: [Problem]

    public init(problems: [Problem]) { self.problems = problems }

    /// A single problem.
    public init(path: String, line: Int?, expected: String, found: String) {
        problems = [Problem(path: path, line: line, expected: expected, found: found)]
    }

    /// One problem on each line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }

    /// The same, as the remarks of `studyd validate`.
    public var remarks: [Remark] {
        problems.map { Remark(.refusal, path: $0.path, line: $0.line, "expected \($0.expected), found \($0.found)") }
    }
}
