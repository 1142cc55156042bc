// SPDX-License-Identifier: Apache-2.0
import Base

extension GraphSeries {
    /// The graph as one SVG document of 640 × 360, with its title and texts for screen readers.
    package var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" role="img" font-family="sans-serif" font-size="12">
        <title>\(Markup.escaped(description.title))</title><desc>\(Markup.escaped(description.blurb))</desc>
        <rect width="640" height="360" fill="#fff"/>
        <text x="60" y="24" font-size="16">\(Markup.escaped(description.title))</text>
        \(axes)
        \(description.kind == .bar ? bars : line)
        \(labels)
        </svg>

        """
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
            "<text x=\"54\" y=\"\(Self.number(y($0) + 4))\" text-anchor=\"end\">\(Self.number($0))</text>"
        }
        let zero = Self.number(y(0))
        return "<path d=\"M60 40V300M60 \(zero)H620\" stroke=\"#444\" fill=\"none\"/>" + marks.joined()
    }

    private var bars: String {
        // Few bars are not stretched over the whole width.
        let width = min(48, 0.7 * (Self.right - Self.left) / Double(max(1, points.count)))
        return points.enumerated().map { index, point in
            let top = min(y(point.value), y(0))
            let height = abs(y(point.value) - y(0))
            return "<rect x=\"\(Self.number(x(index) - width / 2))\" y=\"\(Self.number(top))\" "
                + "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" fill=\"#2a6f97\"/>"
        }.joined(separator: "\n")
    }

    private var line: String {
        let places = points.enumerated().map { (Self.number(x($0)), Self.number(y($1.value))) }
        let dots = places.map { "<circle cx=\"\($0.0)\" cy=\"\($0.1)\" r=\"4\" fill=\"#2a6f97\"/>" }
        let path = places.map { "\($0.0),\($0.1)" }.joined(separator: " ")
        return "<polyline points=\"\(path)\" stroke=\"#2a6f97\" stroke-width=\"2\" fill=\"none\"/>\n"
            + dots.joined(separator: "\n")
    }

    /// At most twelve times below the axis, evenly thinned.
    private var labels: String {
        let step = max(1, (points.count + 11) / 12)
        return stride(from: 0, to: points.count, by: step).map { index in
            let place = Self.number(x(index))
            return "<text x=\"\(place)\" y=\"314\" text-anchor=\"end\" transform=\"rotate(-35 \(place) 314)\">"
                + "\(points[index].label)</text>"
        }.joined(separator: "\n")
    }

    private static func number(_ value: Double) -> String {
        JSONText.spelling(of: (value * 100).rounded() / 100)
    }
}
