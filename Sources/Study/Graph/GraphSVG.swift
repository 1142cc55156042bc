// SPDX-License-Identifier: Apache-2.0
import Base

extension GraphSeries {
    /// The graph as one SVG document (`ChartSVG`), for `studyd history --svg`.
    package var svg: String {
        ChartSVG.document(
            title: description.title, blurb: description.blurb,
            picture: [axes, description.kind == .bar ? bars : line, labels].joined(separator: "\n"))
    }

    private static let left = 60.0
    private static let right = 620.0
    private static let top = 40.0
    private static let bottom = 300.0

    private func x(_ index: Int) -> Double {
        Self.left + (Double(index) + 0.5) * (Self.right - Self.left) / Double(max(1, points.count))
    }

    private func y(_ value: Double) -> Double { Self.bottom - share(value) * (Self.bottom - Self.top) }

    private var axes: String {
        let marks = [range.lowerBound, range.upperBound].map {
            "<text x=\"54\" y=\"\(ChartSVG.number(y($0) + 4))\" text-anchor=\"end\">\(ChartSVG.number($0))</text>"
        }
        let zero = ChartSVG.number(y(0))
        return "<path d=\"M60 40V300M60 \(zero)H620\" stroke=\"#444\" fill=\"none\"/>" + marks.joined()
    }

    private var bars: String {
        // Few bars are not stretched over the whole width.
        let width = min(48, 0.7 * (Self.right - Self.left) / Double(max(1, points.count)))
        return points.enumerated().map { index, point in
            let top = min(y(point.value), y(0))
            let height = abs(y(point.value) - y(0))
            return "<rect x=\"\(ChartSVG.number(x(index) - width / 2))\" y=\"\(ChartSVG.number(top))\" "
                + "width=\"\(ChartSVG.number(width))\" height=\"\(ChartSVG.number(height))\" fill=\"#2a6f97\"/>"
        }.joined(separator: "\n")
    }

    private var line: String {
        let places = points.enumerated().map { (x: ChartSVG.number(x($0)), y: ChartSVG.number(y($1.value))) }
        let dots = places.map { "<circle cx=\"\($0.x)\" cy=\"\($0.y)\" r=\"4\" fill=\"#2a6f97\"/>" }
        let path = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
        return "<polyline points=\"\(path)\" stroke=\"#2a6f97\" stroke-width=\"2\" fill=\"none\"/>\n"
            + dots.joined(separator: "\n")
    }

    /// The times of the points.
    private var labels: String { ChartSVG.axisLabels(points.count, at: x, text: { points[$0].label }) }
}
