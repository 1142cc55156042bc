// SPDX-License-Identifier: Apache-2.0

/// A line of text with pieces that look different, as `BoardScreen` lays it out.
package struct StyledText: Sendable, Hashable, ExpressibleByStringLiteral {
    package struct Piece: Sendable, Hashable {
        /// On one line.
        package let text: String
        package let style: TextStyle
    }
    package private(set) var pieces: [Piece] = []

    package init(stringLiteral text: String) { self.init(text) }
    package init(_ text: String = "", _ style: TextStyle = .plain) {
        if !text.isEmpty { pieces = [Piece(text: text, style: style)] }
    }

    static func + (left: StyledText, right: StyledText) -> StyledText {
        var sum = left
        sum.pieces += right.pieces
        return sum
    }

    static func += (left: inout StyledText, right: StyledText) { left = left + right }

    /// In columns of a terminal.
    var width: Int { pieces.reduce(0) { $0 + CellWidth.of($1.text) } }
    package var text: String { pieces.map(\.text).joined() }

    func padded(to width: Int) -> StyledText {
        let missing = width - self.width
        return missing > 0 ? self + StyledText(String(repeating: " ", count: missing)) : self
    }
}
