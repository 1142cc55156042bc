// SPDX-License-Identifier: Apache-2.0

/// Draws a device for a terminal of any size, in `studyd-tools demo` (`DrawnBoard`). Pure: a picture and a size
/// go in, lines come out, never more than there is room for.
///
/// Where there are too few rows it leaves out, step by step: what holds do, options far from
/// where the participant is, the explanation, a line for each signal. The log takes what is left.
package struct BoardScreen: Sendable {
    private let picture: BoardPicture
    private let size: ScreenSize
    private var width: Int { size.columns }
    /// How much is left out to fit the rows: 0 = nothing, `mostCompact` = all that can be.
    private var compactness = 0

    private static let mostCompact = 5
    private static let smallest = ScreenSize(columns: 40, rows: 14)
    /// From this many rows on buttons are drawn as boxes.
    private static let roomy = 30

    private init(_ picture: BoardPicture, _ size: ScreenSize) { (self.picture, self.size) = (picture, size) }

    /// The screen for a terminal of that size.
    package static func frame(_ picture: BoardPicture, size: ScreenSize) -> ScreenFrame {
        ScreenFrame(lines(picture, size: size), size: size)
    }

    /// The same as lines; `size.rows` of them, none wider than `size.columns`.
    package static func lines(_ picture: BoardPicture, size: ScreenSize) -> [StyledText] {
        guard size.columns >= smallest.columns, size.rows >= smallest.rows else {
            let words =
                "This needs \(smallest.columns) × \(smallest.rows) characters; the terminal has \(size.columns) × \(size.rows)."
            return Array(TextWrap.lines(words, width: size.columns).prefix(size.rows).map { StyledText($0) })
        }
        var screen = BoardScreen(picture, size)
        while screen.compactness < mostCompact, screen.top.count + screen.bottom.count + screen.leastLog > size.rows {
            screen.compactness += 1
        }
        return screen.drawn
    }

    private var leastLog: Int { compactness < 2 ? 4 : compactness < 4 ? 2 : 1 }

    private var drawn: [StyledText] {
        let bottom = Array(bottom.prefix(size.rows))
        let top = Array(top.prefix(size.rows - bottom.count))
        let room = size.rows - bottom.count - top.count
        let log = picture.log.suffix(room).flatMap { TextWrap.lines($0, width: width, indent: 10) }.suffix(room)
        let blank = Array(repeating: StyledText(), count: room - log.count)
        return top + log.map { StyledText($0) } + blank + bottom
    }

    private var top: [StyledText] { header + lights + buttons + holds + press + card + signals + [logRule] }
    private var bottom: [StyledText] { legend }

    // MARK: - The device

    private var header: [StyledText] {
        let clock = " \(picture.clock) "
        let title = TextWrap.cut(" " + picture.title, width: max(width - CellWidth.of(clock), 0))
        let line = StyledText(title, .reversed).padded(to: width - CellWidth.of(clock))
        return [StyledText(line.text + clock, .reversed)]
    }

    private var lights: [StyledText] {
        var line = StyledText()
        for light in picture.lights {
            let lamp =
                light.colour == nil
                ? StyledText("[      ]", .dim)
                : StyledText("[██████]", TextStyle(background: light.colour, isSolid: true))
            line += lamp + StyledText(" \(light.name) \(light.words)".padded(to: CellWidth.of(light.name) + 8) + "  ")
        }
        line += StyledText(
            picture.sound.isEmpty ? "♪ -      " : "♪ \(picture.sound)".padded(to: 9),
            picture.sound.isEmpty ? .dim : .bold)
        if !picture.rhythm.isEmpty { line += StyledText("  signal: \(picture.rhythm)", .dim) }
        return [cut(line)]
    }

    private var buttons: [StyledText] {
        if let columns = picture.columns ?? (picture.buttons.count > 5 ? 4 : nil) { return keypad(columns) }
        let each = (width - 2 * (picture.buttons.count - 1)) / max(picture.buttons.count, 1)
        // The size alone decides, so that the drawing does not jump when another question comes.
        return size.rows >= Self.roomy && each >= 16 ? boxes(each) : listed
    }

    /// A key, its name and its meaning in a box, side by side; a button that is down is filled.
    private func boxes(_ each: Int) -> [StyledText] {
        let width = min(each, 26)
        var rows = [StyledText](repeating: StyledText(), count: 4)
        for (index, button) in picture.buttons.enumerated() {
            let style: TextStyle = button.isDown ? .reversed : .plain
            let gap = StyledText(index > 0 ? "  " : "")
            let head = "┌─ [\(button.key)] "
            func inner(_ text: String) -> String {
                "│ " + TextWrap.cut(text, width: width - 4).padded(to: width - 4) + " │"
            }
            rows[0] +=
                gap
                + StyledText(head + String(repeating: "─", count: max(width - CellWidth.of(head) - 1, 0)) + "┐", style)
            rows[1] += gap + StyledText(inner(button.name), style)
            rows[2] += gap + StyledText(inner(button.meaning), button.isDown ? style : .bold)
            rows[3] += gap + StyledText("└" + String(repeating: "─", count: width - 2) + "┘", style)
        }
        return rows
    }

    private var listed: [StyledText] {
        TextWrap.rows(picture.buttons.map(Self.words), width: width).map { StyledText($0) }
    }

    private static func words(_ button: BoardPicture.Button) -> String {
        let name = "[\(button.key)]\(button.isDown ? "●" : " ")\(button.name)"
        return button.meaning.isEmpty ? name : "\(name): \(button.meaning)"
    }

    /// Keys in rows, each with its light, and their meanings to the right of them, as far as there
    /// are rows.
    private func keypad(_ columns: Int) -> [StyledText] {
        var rows: [StyledText] = []
        for (index, button) in picture.buttons.enumerated() {
            if index.isMultiple(of: columns) { rows.append(StyledText()) }
            let style = button.light.map { TextStyle(background: $0) } ?? (button.isDown ? .reversed : .plain)
            rows[rows.count - 1] +=
                StyledText(
                    button.light == nil ? "[ \(button.key) ]" : "[\(button.isDown ? "●" : "█")\(button.key)█]", style)
                + " "
        }
        let meanings = picture.buttons.filter { !$0.meaning.isEmpty }.map { "\($0.key): \($0.meaning)" }
        let room = width - columns * 6 - 1
        if compactness < 3, room >= 20 {
            let words = Self.first(rows.count, of: TextWrap.rows(meanings, width: room), width: room)
            for (index, line) in words.enumerated() {
                rows[index] = rows[index].padded(to: columns * 6 + 1) + StyledText(line)
            }
        }
        return rows.map(cut)
    }

    private var holds: [StyledText] {
        guard compactness < 3, !picture.holds.isEmpty else { return [] }
        return TextWrap.rows(picture.holds, width: width, separator: " · ").prefix(compactness == 0 ? 2 : 1).map {
            StyledText($0, .dim)
        }
    }

    private var press: [StyledText] {
        [
            StyledText(
                TextWrap.cut("pressed: \(picture.lastPress.isEmpty ? "nothing yet" : picture.lastPress)", width: width))
        ]
    }

    // MARK: - What is asked

    private var card: [StyledText] {
        guard let card = picture.card else { return [rule("at rest")] }
        var lines = [rule(card.heading)]
        // Lines of the question, by `compactness`.
        let most = [4, 3, 2, 2, 1, 1][compactness]
        lines += first(most, of: card.text).map { StyledText($0, .bold) }
        lines += options(card) + scale(card) + drawing(card)
        // An option marks the participant's place already.
        let currentPlace = card.options.contains(where: \.isHere) ? "" : card.currentPlace
        let words = card.complaint.isEmpty ? currentPlace : card.complaint
        if !words.isEmpty { lines.append(StyledText(TextWrap.cut("▶ \(words)", width: width), .bold)) }
        if compactness < 4, !card.how.isEmpty {
            lines += first(compactness == 0 ? 3 : compactness == 1 ? 2 : 1, of: card.how).map { StyledText($0, .dim) }
        }
        return lines
    }

    /// Where there is no room for all lines, the lowest are drawn: things are built up from them.
    private func drawing(_ card: BoardPicture.Card) -> [StyledText] {
        card.drawing.suffix([12, 8, 6, 5, 3, 2][compactness]).map { StyledText(TextWrap.cut($0, width: width), .bold) }
    }

    /// At most `count` lines of it, the last with an ellipsis where there are more.
    private func first(_ count: Int, of text: String) -> [String] {
        Self.first(count, of: TextWrap.lines(text, width: width), width: width)
    }

    private static func first(_ count: Int, of lines: [String], width: Int) -> [String] {
        guard lines.count > count, let last = lines.prefix(count).last else { return lines }
        return lines.prefix(count - 1) + [TextWrap.prefix(last, width: width - 1) + "…"]
    }

    /// As many to a row as fit; where there is no room for all rows, those around the participant's
    /// place.
    private func options(_ card: BoardPicture.Card) -> [StyledText] {
        let texts = card.options.map { option in
            (option.isHere ? "▶" : " ") + (option.isTicked.map { $0 ? "[x] " : "[ ] " } ?? "") + option.text
        }
        let longest = min((texts.map(CellWidth.of).max() ?? 1) + 2, width)
        let each = max(width / longest, 1)
        let all = stride(from: 0, to: texts.count, by: each).map { start -> (StyledText, Bool) in
            let range = start..<min(start + each, texts.count)
            let row = range.reduce(into: StyledText()) { row, index in
                let text = TextWrap.cut(texts[index], width: longest - 1).padded(to: longest)
                row += StyledText(text, card.options[index].isHere ? .bold : .plain)
            }
            return (cut(row), card.options[range].contains(where: \.isHere))
        }
        let most = [6, 5, 4, 3, 2, 1][compactness]
        guard all.count > most else { return all.map(\.0) }
        let here = all.firstIndex(where: \.1) ?? 0
        let from = min(max(here - most / 2, 0), all.count - most)
        return all[from..<from + most].map(\.0)
    }

    private func scale(_ card: BoardPicture.Card) -> [StyledText] {
        guard let scale = card.scale else { return [] }
        let ends = CellWidth.of(scale.low) + CellWidth.of(scale.high) + 2
        let length = min(width - ends, 44)
        guard length >= 8 else { return [StyledText(TextWrap.cut("\(scale.low) … \(scale.high)", width: width))] }
        let place = scale.place.map { Int((min(max($0, 0), 1) * Double(length - 3)).rounded()) }
        let line = (0..<length - 2).map { $0 == place ? "●" : "─" }.joined()
        return [StyledText("\(scale.low) ├\(line)┤ \(scale.high)")]
    }

    // MARK: - What is recorded

    private var signals: [StyledText] {
        guard !picture.signals.isEmpty || !picture.delivered.isEmpty else { return [] }
        var lines = [rule("recording: each second, from its least to its greatest")]
        if compactness >= 4 {
            let brief = picture.signals.map { signal in signal.name + " " + strip(signal.seconds, 5) }
            lines = TextWrap.rows(brief, width: width).prefix(2).map { StyledText($0) }
        } else {
            lines += picture.signals.map(signal)
        }
        if !picture.delivered.isEmpty { lines.append(StyledText(TextWrap.cut(picture.delivered, width: width))) }
        return lines
    }

    private func signal(_ signal: BoardPicture.Signal) -> StyledText {
        let name = TextWrap.cut(signal.name, width: 14).padded(to: 15)
        let percent = Int((min(max(signal.ring, 0), 1) * 100).rounded())
        let ring = "ring " + "\(percent) %".padded(to: 6)
        let room = width - 15 - CellWidth.of(ring) - 2
        // The strips end in one column.
        let widest = picture.signals.map { CellWidth.of($0.figures) }.max() ?? 0
        let kept = min(widest, max(room - (signal.sizes.isEmpty ? 10 : Self.curve), 0))
        let figures = Self.figures(signal.figures, width: kept)
        let length = min(max(room - kept - 1, 0), 60)
        let line = signal.sizes.isEmpty ? strip(signal.seconds, length) : sparkline(signal, length)
        return cut(StyledText(name) + StyledText(line + " ") + StyledText(ring + " " + figures, .dim))
    }

    /// Columns that a curve and its span get at least; figures that do not fit beside them are dropped.
    private static let curve = 30

    private static func figures(_ all: String, width: Int) -> String {
        var parts = all.split(separator: ", ")
        while parts.count > 1, CellWidth.of(parts.joined(separator: ", ")) > width { parts.removeLast() }
        return TextWrap.cut(parts.joined(separator: ", "), width: width)
    }

    /// A bar for each second between the least and the greatest of those that are shown, which are
    /// written before it with their unit.
    private func sparkline(_ signal: BoardPicture.Signal, _ length: Int) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let wide = 16
        let shown = signal.sizes.suffix(max(length - wide - 1, 0))
        guard let least = shown.min(), let most = shown.max() else { return strip(signal.seconds, length) }
        let digits = most - least < 1 ? 2 : 0
        let span = "\(Self.text(least, digits))…\(Self.text(most, digits)) \(signal.unit)"
        let line = shown.map { size in
            most > least ? bars[Int(((size - least) / (most - least) * Double(bars.count - 1)).rounded())] : bars[0]
        }
        let blank = String(repeating: " ", count: max(length - wide - 1 - line.count, 0))
        return TextWrap.cut(span, width: wide).padded(to: wide) + " " + blank + String(line)
    }

    private static func text(_ value: Double, _ digits: Int) -> String {
        guard digits > 0 else { return String(Int(value.rounded())) }
        let hundredths = Int((value * 100).rounded())
        let part = abs(hundredths) % 100
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(part < 10 ? "0" : "")\(part)"
    }

    /// A character for each second, the latest at the end.
    private func strip(_ seconds: [BoardPicture.Second], _ length: Int) -> String {
        let shown = seconds.suffix(length)
        let marks = shown.map { second in
            switch second {
            case .stored: "█"
            case .waiting: "░"
            case .partly: "▒"
            case .lost: "x"
            case .none: "·"
            }
        }
        return String(repeating: " ", count: max(length - shown.count, 0)) + marks.joined()
    }

    // MARK: - The rest

    private var logRule: StyledText { rule("what happened") }

    private var legend: [StyledText] {
        let rows = TextWrap.rows(picture.legend, width: width - 1)
        return rows.map { StyledText(" " + $0, .reversed).padded(reversed: width) }
    }

    private func rule(_ title: String) -> StyledText {
        let head = "── \(TextWrap.cut(title, width: max(width - 8, 1))) "
        return StyledText(head + String(repeating: "─", count: max(width - CellWidth.of(head), 0)))
    }

    private func cut(_ line: StyledText) -> StyledText {
        guard line.width > width else { return line }
        var (result, left) = (StyledText(), width)
        for piece in line.pieces where left > 0 {
            let text = TextWrap.prefix(piece.text, width: left)
            result += StyledText(text, piece.style)
            left -= CellWidth.of(text)
        }
        return result
    }
}

extension StyledText {
    /// The same, reversed to its end.
    fileprivate func padded(reversed width: Int) -> StyledText { StyledText(padded(to: width).text, .reversed) }
}

extension String {
    /// With blanks after it up to that many columns.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - CellWidth.of(self), 0))
    }
}
