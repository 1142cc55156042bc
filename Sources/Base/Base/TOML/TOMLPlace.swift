// SPDX-License-Identifier: Apache-2.0

/// A position in a document: line and column from 1, columns in Unicode scalars (a tab is one).
package struct TOMLPlace: Sendable, Hashable, Comparable {
    /// From 1; a line ends with LF or CR LF.
    package let line: Int
    package let column: Int

    package static func < (one: TOMLPlace, other: TOMLPlace) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}
