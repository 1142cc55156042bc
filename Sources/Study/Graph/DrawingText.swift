// SPDX-License-Identifier: Apache-2.0
import Base

extension StudyDrawing {
    /// The chart for a terminal, as `studyd history` prints it: a row for each value, rounded to hundredths;
    /// "(all)" marks values of all participants. `width` is that of the longest bar, in characters.
    package func text(width: Int = 40) -> String {
        let heading = [title, blurb].filter { !$0.isEmpty }.map { $0.shown(indent: 2) }
        let top = max(maximum ?? 0, rows.flatMap { $0.points.map(\.y) }.max() ?? 0)
        var lines = heading + [remark.map { "(\($0))" }].compactMap(\.self)
        for row in rows where !row.points.isEmpty {
            if rows.count > 1 || row.isPublic { lines.append(row.label.shown + (row.isPublic ? " (all)" : "")) }
            lines += row.points.map { line($0, top, width) }
        }
        if remark == nil, rows.allSatisfy(\.points.isEmpty) { lines.append("(no answers yet)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ point: Point, _ top: Double, _ width: Int) -> String {
        let value = JSONText.spelling(of: (point.y * 100).rounded() / 100) + (isPercent ? "%" : "")
        guard kind != .dots else {
            return "\(JSONText.spelling(of: (point.x * 100).rounded() / 100)) │ \(value)"
        }
        let share = top > 0 ? max(0, min(1, point.y / top)) : 0
        return "\(point.label.shown) │\(String(repeating: "█", count: Int(share * Double(width)))) \(value)"
    }
}
