// SPDX-License-Identifier: Apache-2.0
import Base

/// What the SVG documents of `GraphSeries` and `StudyDrawing` have in common. Their values lie between
/// x = 60 and 620, and above y = 300.
enum ChartSVG {
    /// One document of 640 × 360 around `picture`, with its title and texts for screen readers.
    static func document(title: String, blurb: String, picture: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" role="img" font-family="sans-serif" font-size="12">
        <title>\(Markup.escaped(title))</title><desc>\(Markup.escaped(blurb))</desc>
        <rect width="640" height="360" fill="#fff"/>
        <text x="60" y="24" font-size="16">\(Markup.escaped(title))</text>
        \(picture)
        </svg>

        """
    }

    /// A value or a coordinate, rounded to hundredths.
    static func number(_ value: Double) -> String { JSONText.spelling(of: (value * 100).rounded() / 100) }

    /// The labels of that many points, below the axis: at most twelve, evenly thinned.
    static func axisLabels(_ count: Int, at x: (Int) -> Double, text: (Int) -> String) -> String {
        stride(from: 0, to: count, by: max(1, (count + 11) / 12)).map { index in
            let place = number(x(index))
            return "<text x=\"\(place)\" y=\"314\" text-anchor=\"end\" transform=\"rotate(-35 \(place) 314)\">"
                + "\(text(index))</text>"
        }.joined(separator: "\n")
    }
}
