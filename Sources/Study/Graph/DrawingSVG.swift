// SPDX-License-Identifier: Apache-2.0
import Base

extension StudyDrawing {
    /// The drawing as one SVG document (`ChartSVG`), for `studyd history --svg`. Rows of all participants are
    /// drawn paler. Values lie between y = 50 (above) and 300; a pie has its centre at (340, 190) and a radius
    /// of 130.
    package var svg: String { ChartSVG.document(title: title, blurb: blurb, picture: picture) }

    private var picture: String {
        if let remark, rows.allSatisfy(\.points.isEmpty) {
            return "<text x=\"340\" y=\"180\" text-anchor=\"middle\">\(Markup.escaped(remark))</text>"
        }
        return kind == .pie
            ? pie + legend : axesAndMarks + rows.enumerated().map(marks).joined(separator: "\n") + axisLabels + legend
    }

    // MARK: - Places

    private var values: [Double] { rows.flatMap { $0.points.map(\.y) + $0.trend.map(\.y) } }

    /// The values that the upright axis covers; never empty.
    private var yRange: ClosedRange<Double> {
        let low = minimum ?? min(0, values.min() ?? 0)
        let high = maximum ?? max(0, values.max() ?? 0, low)
        return low...(high > low ? high : low + 1)
    }

    private var xRange: ClosedRange<Double> {
        let all = rows.flatMap { $0.points.map(\.x) }
        guard let least = all.min(), let most = all.max() else { return 0...1 }
        return kind == .dots ? least...max(most, least + max(1e-9, abs(least) * 1e-9)) : (least - 0.5)...(most + 0.5)
    }

    private func x(_ value: Double) -> Double {
        60 + (value - xRange.lowerBound) / (xRange.upperBound - xRange.lowerBound) * 560
    }

    private func y(_ value: Double) -> Double {
        let share = (value - yRange.lowerBound) / (yRange.upperBound - yRange.lowerBound)
        return 300 - min(1, max(0, share.isFinite ? share : 0)) * 250
    }

    // MARK: - Parts

    private var axesAndMarks: String {
        let ends = [yRange.lowerBound, yRange.upperBound].map { end in
            "<text x=\"54\" y=\"\(Self.number(y(end) + 4))\" text-anchor=\"end\">\(Self.number(end))\(isPercent ? "%" : "")</text>"
        }
        let across =
            kind == .dots
            ? [xRange.lowerBound, xRange.upperBound].map {
                "<text x=\"\(Self.number(x($0)))\" y=\"316\" text-anchor=\"middle\">\(Self.number($0))</text>"
            } : []
        let names =
            "<text x=\"620\" y=\"352\" text-anchor=\"end\">\(Markup.escaped(axes.x))</text><text x=\"60\" y=\"42\">\(Markup.escaped(axes.y))</text>"
        return
            "<path d=\"M60 50V300M60 \(Self.number(y(max(0, yRange.lowerBound))))H620\" stroke=\"#444\" fill=\"none\"/>"
            + (ends + across).joined() + names + "\n"
    }

    private func marks(_ index: Int, _ row: Row) -> String {
        let drawn =
            switch kind {
            case .bars: bars(index, row)
            case .dots: dots(row) + trend(row)
            case .area: area(row) + line(row) + dots(row)
            case .line, .pie: line(row) + dots(row)
            }
        let opacity = row.isPublic ? " opacity=\"0.5\"" : ""
        return "<g\(opacity)>\(drawn)</g>"
    }

    private func dots(_ row: Row) -> String {
        row.points.map { point in
            "<circle cx=\"\(Self.number(x(point.x)))\" cy=\"\(Self.number(y(point.y)))\" r=\"4\" fill=\"\(point.color ?? row.color)\"/>"
        }.joined()
    }

    private func trend(_ row: Row) -> String {
        let ends = row.trend.map { "\(Self.number(x($0.x))),\(Self.number(y($0.y)))" }.joined(separator: " ")
        return ends.isEmpty ? "" : "<polyline points=\"\(ends)\" stroke=\"\(row.color)\" fill=\"none\"/>"
    }

    private func line(_ row: Row) -> String {
        "<polyline points=\"\(places(row))\" stroke=\"\(row.color)\" stroke-width=\"2\" fill=\"none\"/>"
    }

    /// From the line down to zero.
    private func area(_ row: Row) -> String {
        guard let first = row.points.first, let last = row.points.last else { return "" }
        let foot = Self.number(y(max(0, yRange.lowerBound)))
        let (left, right) = (Self.number(x(first.x)), Self.number(x(last.x)))
        return
            "<polygon points=\"\(left),\(foot) \(places(row)) \(right),\(foot)\" fill=\"\(row.color)\" fill-opacity=\"0.33\"/>"
    }

    private func places(_ row: Row) -> String {
        row.points.map { "\(Self.number(x($0.x))),\(Self.number(y($0.y)))" }.joined(separator: " ")
    }

    /// The bars of several rows side by side.
    private func bars(_ index: Int, _ row: Row) -> String {
        let room = 560 / max(1, xRange.upperBound - xRange.lowerBound)
        let breadth = min(48, 0.8 * room / Double(max(1, rows.count)))
        return row.points.map { point in
            let left = x(point.x) + (Double(index) - Double(rows.count) / 2) * breadth
            let foot = y(max(0, yRange.lowerBound))
            let top = min(y(point.y), foot)
            return "<rect x=\"\(Self.number(left))\" y=\"\(Self.number(top))\" width=\"\(Self.number(breadth))\" "
                + "height=\"\(Self.number(abs(y(point.y) - foot)))\" fill=\"\(point.color ?? row.color)\"/>"
        }.joined()
    }

    /// The labels of the row with most points.
    private var axisLabels: String {
        guard kind != .dots, let points = rows.max(by: { $0.points.count < $1.points.count })?.points else { return "" }
        let label = { (index: Int) in Markup.escaped(String(points[index].label.prefix(15))) }
        return "\n" + ChartSVG.axisLabels(points.count, at: { x(points[$0].x) }, text: label)
    }

    private var legend: String {
        let shown = rows.filter { !$0.label.isEmpty }
        return "\n"
            + shown.enumerated().map { index, row in
                "<text x=\"620\" y=\"\(24 + 14 * index)\" text-anchor=\"end\" fill=\"\(row.color)\">\(Markup.escaped(row.label))"
                    + (row.isPublic ? " (all)" : "") + "</text>"
            }.joined(separator: "\n")
    }

    // MARK: - Pie

    private struct Slice {
        let value: Double
        let color: String
        let label: String
    }

    /// The points of each row, in ever lighter shades of its colour.
    private var slices: [Slice] {
        rows.flatMap { row in
            row.points.enumerated().map { index, point in
                Slice(
                    value: point.y, color: Self.lighter(row.color, index, of: row.points.count),
                    label: point.label.isEmpty ? row.label : point.label)
            }
        }.filter { $0.value > 0 }
    }

    private var pie: String {
        let slices = slices
        let all = slices.reduce(0) { $0 + $1.value }
        var from = 0.0
        return slices.map { slice in
            let to = from + slice.value / all
            defer { from = to }
            return sector(from, to, slice.color) + name(slice, at: (from + to) / 2)
        }.joined(separator: "\n")
    }

    /// The part of the pie between two shares of the circle.
    private func sector(_ from: Double, _ to: Double, _ color: String) -> String {
        // An arc cannot lead to its own beginning.
        if to - from >= 0.9999 { return "<circle cx=\"340\" cy=\"190\" r=\"130\" fill=\"\(color)\"/>" }
        let (start, end) = (Self.place(from, 130), Self.place(to, 130))
        let isLong = to - from > 0.5 ? 1 : 0
        return
            "<path d=\"M340 190L\(start.x) \(start.y)A130 130 0 \(isLong) 1 \(end.x) \(end.y)Z\" fill=\"\(color)\" stroke=\"#fff\"/>"
    }

    private func name(_ slice: Slice, at share: Double) -> String {
        let place = Self.place(share, 90)
        return
            "<text x=\"\(place.x)\" y=\"\(place.y)\" text-anchor=\"middle\">\(Markup.escaped(String(slice.label.prefix(15)))) \(Self.number(slice.value))\(isPercent ? "%" : "")</text>"
    }

    /// The point at a share (0 to 1) of the circle, from the top clockwise.
    private static func place(_ share: Double, _ radius: Double) -> (x: String, y: String) {
        let (sine, cosine) = Circle.point(share)
        return (number(340 + radius * sine), number(190 - radius * cosine))
    }

    /// `PieChartBuilder.completeData`: even steps towards white.
    private static func lighter(_ color: String, _ index: Int, of count: Int) -> String {
        guard count > 1, let number = Int(color.dropFirst(), radix: 16) else { return color }
        let parts = [number >> 16 & 255, number >> 8 & 255, number & 255].map {
            $0 + (255 - $0) / (count + 1) * (index + 1)
        }
        return "#" + parts.map { $0.padded(2, radix: 16) }.joined()
    }

    private static func number(_ value: Double) -> String { ChartSVG.number(value) }
}

/// Places on a circle, without the C library's functions: this target does without it.
private enum Circle {
    /// Sine and cosine of a share of the full circle, to six digits.
    static func point(_ share: Double) -> (sine: Double, cosine: Double) {
        // The series of an angle 2¹⁰ times smaller, doubled ten times by the double-angle formulas.
        var (sine, cosine) = small(share * 2 * .pi / 1_024)
        for _ in 0..<10 { (sine, cosine) = (2 * sine * cosine, cosine * cosine - sine * sine) }
        return (sine, cosine)
    }

    /// The first terms of the Taylor series.
    private static func small(_ angle: Double) -> (Double, Double) {
        let square = angle * angle
        return (angle * (1 - square / 6 + square * square / 120), 1 - square / 2 + square * square / 24)
    }
}
