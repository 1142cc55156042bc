// SPDX-License-Identifier: Apache-2.0

/// Where something stands in a document: line and column from 1, columns in Unicode scalars (a tab is one).
public struct TOMLPlace: Sendable, Hashable, Comparable {
    /// From 1; a line ends with LF or CR LF.
    public let line: Int
    /// From 1.
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// In the order of reading.
    public static func < (one: TOMLPlace, other: TOMLPlace) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}
