// SPDX-License-Identifier: Apache-2.0

/// Fits texts into the columns of a terminal, for `BoardScreen`.
enum TextWrap {
    /// Breaks the text between words, and within a word only if it is longer than a line. All lines but the
    /// first begin with `indent` blanks.
    static func lines(_ text: String, width: Int, indent: Int = 0) -> [String] {
        let width = max(width, 1)
        let indent = indent < width / 2 ? indent : 0
        let indentation = String(repeating: " ", count: indent)
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
                var word = String(word)
                if !line.isEmpty, CellWidth.of(line) + 1 + CellWidth.of(word) > width {
                    lines.append(line)
                    line = indentation
                } else if !line.isEmpty, line != indentation {
                    line += " "
                }
                while CellWidth.of(line) + CellWidth.of(word) > width, !word.isEmpty {
                    let head = prefix(word, width: width - CellWidth.of(line))
                    if head.isEmpty { break }
                    lines.append(line + head)
                    word.removeFirst(head.count)
                    line = indentation
                }
                line += word
            }
            lines.append(line)
        }
        return lines
    }

    /// As many characters from the start as fit.
    static func prefix(_ text: String, width: Int) -> String {
        var (taken, columns) = ("", 0)
        for character in text {
            columns += CellWidth.of(character)
            if columns > width { break }
            taken.append(character)
        }
        return taken
    }

    /// Whole where it fits, else cut and ended with an ellipsis.
    static func cut(_ text: String, width: Int) -> String {
        CellWidth.of(text) <= width ? text : prefix(text, width: max(width - 1, 0)) + (width > 0 ? "…" : "")
    }

    /// Items side by side, as many to a line as have room.
    static func rows(_ items: [String], width: Int, separator: String = "  ") -> [String] {
        var rows: [String] = []
        for item in items.map({ cut($0, width: width) }) {
            if let last = rows.last, CellWidth.of(last + separator + item) <= width {
                rows[rows.count - 1] = last + separator + item
            } else {
                rows.append(item)
            }
        }
        return rows
    }
}
