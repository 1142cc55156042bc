// SPDX-License-Identifier: Apache-2.0
import Device

/// One signal over time in a `PlotPage`.
package struct PlotPanel: Sendable {
    package enum Style: Sendable {
        /// As a band from the lowest to the highest value of each column.
        case band
        /// As single marks: events.
        case marks
    }

    package var title: String
    /// The signal's unit; empty where it has none.
    package var unit: String
    package var envelope: Envelope
    /// Seconds from one value to the next; values more than three times as far apart are not joined.
    private var spacing: Double
    private var style: Style

    package init(title: String, unit: String, envelope: Envelope, spacing: Double, style: Style = .band) {
        self.title = title
        self.unit = unit
        self.envelope = envelope
        self.spacing = spacing
        self.style = style
    }

    /// The signal within a box, as SVG.
    func drawing(range: ClosedRange<Double>, left: Double, top: Double, height: Double, colour: String) -> String {
        func y(_ value: Double) -> String {
            let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
            return Decimals.text(top + height * (1 - max(0, min(1, share))), 1)
        }
        func x(_ column: Int) -> String { Decimals.text(left + Double(column) + 0.5, 1) }
        let columns = Double(envelope.low.count)
        let reach = Int((3 * spacing / envelope.span * columns).rounded(.up))
        if style == .marks {
            let dots = envelope.runs(reach: 1).joined().flatMap { column in
                Set([envelope.low[column], envelope.high[column]]).sorted().map {
                    "<circle cx=\"\(x(column))\" cy=\"\(y($0))\" r=\"3\"/>"
                }
            }
            return "<g fill=\"\(colour)\" fill-opacity=\"0.7\">\(dots.joined())</g>\n"
        }
        return envelope.runs(reach: reach).map { run in
            let upper = run.map { "\(x($0)) \(y(envelope.high[$0]))" }
            let lower = run.reversed().map { "\(x($0)) \(y(envelope.low[$0]))" }
            return "<path d=\"M\((upper + lower).joined(separator: "L"))Z\" fill=\"\(colour)\" stroke=\"\(colour)\" "
                + "stroke-width=\"1.2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
        }.joined()
    }
}
