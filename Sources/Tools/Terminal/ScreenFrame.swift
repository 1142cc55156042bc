// SPDX-License-Identifier: Apache-2.0

/// The size of a terminal in characters.
package struct ScreenSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
}

/// What a terminal shows, cell by cell: `BoardScreen` makes it, `DrawnBoard` writes it. A pure value: `update`
/// gives the text that turns one frame on a terminal into another.
package struct ScreenFrame: Sendable, Hashable {
    private struct Cell: Sendable, Hashable {
        /// nil = the second half of a wide character.
        var character: Character?
        var style: TextStyle
    }
    /// Of the terminal it is for.
    package let size: ScreenSize
    private var rows: [[Cell]]

    /// These lines from the top; what has no room is cut off.
    package init(_ lines: [StyledText], size: ScreenSize) {
        self.size = size
        rows = (0..<max(size.rows, 0)).map { row in
            Self.cells(lines.indices.contains(row) ? lines[row] : "", size.columns)
        }
    }

    private static func cells(_ line: StyledText, _ columns: Int) -> [Cell] {
        var cells: [Cell] = []
        line: for piece in line.pieces {
            for character in piece.text {
                let width = CellWidth.of(character)
                guard width > 0 else { continue }
                guard cells.count + width <= columns else { break line }
                cells.append(Cell(character: character, style: piece.style))
                if width == 2 { cells.append(Cell(character: nil, style: piece.style)) }
            }
        }
        return cells + Array(repeating: Cell(character: " ", style: .plain), count: max(columns - cells.count, 0))
    }

    /// The text that makes a terminal that shows `earlier` show this frame; `earlier` is nil if it shows
    /// nothing yet.
    ///
    /// Only the span of each line from its first to its last changed cell is written.
    package func update(from earlier: ScreenFrame?, colours: Bool) -> String {
        let known = earlier?.size == size ? earlier : nil
        var output = known == nil ? "\u{1B}[0m\u{1B}[2J" : ""
        for (index, row) in rows.enumerated() {
            let old = known?.rows[index]
            guard old != row, let span = Self.span(old, row) else { continue }
            output += "\u{1B}[\(index + 1);\(span.lowerBound + 1)H"
            var style: TextStyle?
            for cell in row[span] {
                guard let character = cell.character else { continue }
                if cell.style != style { output += cell.style.sequence(colours: colours) }
                style = cell.style
                output.append(character)
            }
            output += "\u{1B}[0m"
        }
        return output
    }

    /// From the first to the last cell that differs, with whole wide characters of both.
    private static func span(_ old: [Cell]?, _ new: [Cell]) -> Range<Int>? {
        guard let old else { return new.startIndex..<new.endIndex }
        guard var first = new.indices.first(where: { new[$0] != old[$0] }),
            var last = new.indices.last(where: { new[$0] != old[$0] })
        else { return nil }
        while first > 0, new[first].character == nil || old[first].character == nil { first -= 1 }
        while last + 1 < new.count, new[last + 1].character == nil || old[last + 1].character == nil { last += 1 }
        return first..<(last + 1)
    }
}
