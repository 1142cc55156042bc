// SPDX-License-Identifier: Apache-2.0

/// A table of a document; a whole document is one. It is as deep as `maximumDepth` at most. The configuration,
/// board files, rules and the lab's fleet limits are read from it.
package struct TOMLTable: Sendable, Hashable {
    /// The most bytes that are read.
    package static let maximumSize = 1 << 20
    /// The most tables and arrays within each other.
    package static let maximumDepth = 64

    private let place: TOMLPlace
    private let values: [String: TOMLValue]

    init(_ place: TOMLPlace, _ values: [String: TOMLValue]) { (self.place, self.values) = (place, values) }

    /// Reads a whole document. Line ends within texts become LF; a byte order mark is left out.
    package init(parsing bytes: some Sequence<UInt8>) throws(TOMLError) {
        var parser = TOMLParser(try TOMLCursor(checking: Array(bytes)))
        self = try parser.document()
    }

    package subscript(key: String) -> TOMLValue? { values[key] }

    /// In the order of the document.
    package var keys: [String] {
        values.sorted { ($0.value.place, $0.key) < ($1.value.place, $1.key) }.map(\.key)
    }
}
