// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// A picture of a recording: panels over one time axis, gaps shaded, perhaps a map above them. A `Plot` makes
/// it; `studyd-tools plot` writes it as SVG.
package struct PlotPage: Sendable {
    /// Pixels of the time axis, each a column of the envelopes.
    package static let columns = 1090
    /// Where the time axis begins, in pixels.
    static let left = 86.0
    static let width = 1200.0
    private static let panelHeight = 130.0
    private static let panelStep = 152.0
    private static let colours = [
        "#1f6f9f", "#b4552d", "#3d7f3a", "#7a4f9a", "#8a6d1b", "#2b7a78", "#9c3f63", "#555f6b",
    ]

    private var title: String
    /// Below it: what, when, how long, how much is missing.
    package var facts: [String]
    /// The left end: wall time as if it were UTC; where that is unknown, the uptime, or the time since
    /// the beginning, as if it were counted from 1970.
    package var start: Instant
    /// Seconds of the time axis.
    package var span: Double
    /// What the time axis shows: `local time, +01:00`.
    package var clockLabel: String
    private var hasDate: Bool
    package var panels: [PlotPanel]
    package var gaps: GapShade
    package var map: PlotMap?

    package init(
        title: String, facts: [String], start: Instant, span: Double, clockLabel: String, hasDate: Bool,
        panels: [PlotPanel], gaps: GapShade, map: PlotMap? = nil
    ) {
        self.title = title
        self.facts = facts
        self.start = start
        self.span = max(span, 1e-6)
        self.clockLabel = clockLabel
        self.hasDate = hasDate
        self.panels = panels
        self.gaps = gaps
        self.map = map
    }

    package func write(to output: ExportOutput) {
        let header = 56 + 18 * Double(facts.count)
        let top = header + (map == nil ? 0 : PlotMap.size + 60)
        let bottom = top + Double(panels.count) * Self.panelStep
        let height = Decimals.text(bottom + 50, 0)
        output.text(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 \(height)" width="1200" height="\(height)" \
            role="img" font-family="sans-serif" font-size="13" fill="#222">
            <title>\(Markup.escaped(title))</title>
            <rect width="1200" height="\(height)" fill="#fff"/>
            <text x="16" y="34" font-size="20" font-weight="bold">\(Markup.escaped(title))</text>

            """)
        for (line, fact) in facts.enumerated() {
            output.text("<text x=\"16\" y=\"\(58 + 18 * line)\" fill=\"#555\">\(Markup.escaped(fact))</text>\n")
        }
        if let map { output.text(map.drawing(top: header)) }
        guard !panels.isEmpty else {
            output.text("</svg>\n")
            return
        }
        for (index, panel) in panels.enumerated() {
            output.text(box(panel, index, top: top + Double(index) * Self.panelStep))
        }
        output.text(timeAxis(top: top, bottom: bottom - Self.panelStep + Self.panelHeight))
        output.text("</svg>\n")
    }

    /// Panels of one unit share their scale, so that they can be compared.
    private func range(_ panel: PlotPanel) -> ClosedRange<Double> {
        let ranges = panels.filter { $0.unit == panel.unit && (!panel.unit.isEmpty || $0.title == panel.title) }
            .compactMap(\.envelope.range)
        guard let low = ranges.map(\.lowerBound).min(), let high = ranges.map(\.upperBound).max() else { return 0...1 }
        // Counts that are all zero do not go below it.
        if low == 0, high == 0 { return -0.05...1 }
        let margin = high > low ? (high - low) * 0.06 : max(abs(high) * 0.1, 0.5)
        return (low - margin)...(high + margin)
    }

    private func box(_ panel: PlotPanel, _ index: Int, top: Double) -> String {
        let range = range(panel)
        let right = Self.left + Double(Self.columns)
        let middle = Decimals.text(top + Self.panelHeight / 2, 1)
        let name = Markup.escaped(panel.unit.isEmpty ? panel.title : "\(panel.title) (\(panel.unit))")
        var out = "<text transform=\"translate(22 \(middle)) rotate(-90)\" text-anchor=\"middle\">\(name)</text>\n"
        out += gapBoxes(top: top)
        let ticks = PlotScale.ticks(range, count: 5)
        for value in ticks.values {
            let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
            let y = top + Self.panelHeight * (1 - share)
            out += "<path d=\"M\(Decimals.text(Self.left, 1)) \(Decimals.text(y, 1))H\(Decimals.text(right, 1))\" "
            out += "stroke=\"\(abs(value) < 1e-12 ? "#999" : "#e2e2e2")\"/>"
            out += "<text x=\"\(Decimals.text(Self.left - 8, 1))\" y=\"\(Decimals.text(y + 4.5, 1))\" "
            out += "text-anchor=\"end\">\(Decimals.text(value, ticks.decimals))</text>\n"
        }
        out += panel.drawing(
            range: range, left: Self.left, top: top, height: Self.panelHeight,
            colour: Self.colours[index % Self.colours.count])
        out += "<rect x=\"\(Decimals.text(Self.left, 1))\" y=\"\(Decimals.text(top, 1))\" width=\"\(Self.columns)\" "
        return out + "height=\"\(Decimals.text(Self.panelHeight, 1))\" fill=\"none\" stroke=\"#888\"/>\n"
    }

    private func gapBoxes(top: Double) -> String {
        gaps.runs.map { run in
            // Narrower ones would not be seen.
            let width = max(2, Double(run.count))
            return "<rect x=\"\(Decimals.text(Self.left + Double(run.lowerBound), 1))\" y=\"\(Decimals.text(top, 1))\" "
                + "width=\"\(Decimals.text(width, 1))\" height=\"\(Decimals.text(Self.panelHeight, 1))\" "
                + "fill=\"#f3c9c9\"/>\n"
        }.joined()
    }

    private func timeAxis(top: Double, bottom: Double) -> String {
        var out = ""
        var day: LocalDate?
        for tick in PlotScale.clockTicks(from: start, span: span, count: 10) {
            let place = tick.seconds / span * Double(Self.columns)
            let x = Decimals.text(Self.left + place, 1)
            // At the right edge a centred label would be cut.
            let anchor = place > Double(Self.columns) - 24 ? "end" : "middle"
            out += "<path d=\"M\(x) \(Decimals.text(bottom, 1))v6\" stroke=\"#888\"/>"
            out +=
                "<text x=\"\(x)\" y=\"\(Decimals.text(bottom + 20, 1))\" text-anchor=\"\(anchor)\">\(tick.label)</text>"
            let date = LocalDateTime(start + .nanoseconds(Int64(tick.seconds * 1e9) + 1000), offset: 0).date
            if hasDate, date != day {
                out += "<text x=\"\(x)\" y=\"\(Decimals.text(bottom + 37, 1))\" text-anchor=\"\(anchor)\" "
                out += "fill=\"#555\">\(date)</text>"
                day = date
            }
            out += "\n"
        }
        out += "<text x=\"\(Decimals.text(Self.left + Double(Self.columns), 1))\" "
        out += "y=\"\(Decimals.text(bottom + 54, 1))\" text-anchor=\"end\" fill=\"#555\">"
        out += "\(Markup.escaped(clockLabel))\(gaps.count > 0 ? "; shaded: no data" : "")</text>\n"
        return out
    }
}
