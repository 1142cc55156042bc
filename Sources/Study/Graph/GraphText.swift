// SPDX-License-Identifier: Apache-2.0
import Base

extension GraphSeries {
    /// The graph for a terminal, as `studyd history` prints it: a row for each point, time downwards. `width`
    /// is that of the widest bar, in characters.
    package func text(width: Int = 40) -> String {
        let heading = [description.title, description.blurb].filter { !$0.isEmpty }.map { $0.shown(indent: 2) }
        let rows = points.isEmpty ? ["(no answers yet)"] : points.map { row($0, width: width) }
        return (heading + rows).joined(separator: "\n") + "\n"
    }

    private func row(_ point: Point, width: Int) -> String {
        "\(point.label.shown) │\(drawing(point.value, width: width)) \(JSONText.spelling(of: point.value))"
    }

    /// `share` is where a value lies in the graph's range, 0...1; bars begin at zero, to either side.
    private func drawing(_ value: Double, width: Int) -> String {
        let zero = Int((share(0) * Double(width)).rounded())
        let end = Int((share(value) * Double(width)).rounded())
        switch description.kind {
        case .line: return String(repeating: "·", count: end) + "●"
        case .bar:
            let (from, to) = (min(zero, end), max(zero, end))
            return String(repeating: " ", count: from) + String(repeating: "█", count: to - from)
        }
    }
}
