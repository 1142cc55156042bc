// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc

/// A track from above, for `TrackPlot`: north is up, both axes have the same scale.
package struct PlotMap: Sendable {
    /// Width and height, in pixels.
    package static let size = 520.0
    /// The most points that are drawn; a longer track is drawn with fewer.
    private static let limit = 50_000
    private static let metresPerDegree = 111_195.0  // on a sphere with a radius of 6371 km

    private let south: Double
    private let west: Double
    /// Degrees of latitude and of longitude over the whole side.
    private let degrees: (north: Double, east: Double)
    private struct Point {
        let x: Double
        let y: Double
        /// A line begins here.
        var isNew: Bool
    }
    private var points: [Point] = []
    /// The newest one, while it is too close to the last of `points`.
    private var tail: Point?
    /// Pixels from one point to the next, at least.
    private var spacing = 0.05

    /// A map that shows this area, in degrees, and at least 20 m to each side.
    package init(latitude: ClosedRange<Double>, longitude: ClosedRange<Double>) {
        let middle = (latitude.lowerBound + latitude.upperBound) / 2
        let narrowing = max(0.01, cos(middle * .pi / 180))
        let metres = max(
            20, (latitude.upperBound - latitude.lowerBound) * Self.metresPerDegree,
            (longitude.upperBound - longitude.lowerBound) * Self.metresPerDegree * narrowing)
        let north = metres * 1.1 / Self.metresPerDegree
        degrees = (north, north / narrowing)
        south = middle - north / 2
        west = (longitude.lowerBound + longitude.upperBound) / 2 - degrees.east / 2
    }

    /// Goes on to a point; a new line begins where `isNew`.
    package mutating func add(latitude: Double, longitude: Double, isNew: Bool) {
        let x = (longitude - west) / degrees.east * Self.size
        let y = (1 - (latitude - south) / degrees.north) * Self.size
        let point = Point(x: x, y: y, isNew: isNew || points.isEmpty)
        let drawn = point.isNew ? nil : points.last
        tail = drawn.flatMap { abs($0.x - x) < spacing && abs($0.y - y) < spacing ? point : nil }
        guard tail == nil else { return }
        if points.count == Self.limit { thinOut() }
        points.append(point)
    }

    /// Every second point stays; it begins the line that the one before it began.
    private mutating func thinOut() {
        spacing *= 2
        points = stride(from: 0, to: points.count, by: 2).map { place in
            var point = points[place]
            if place > 0, points[place - 1].isNew { point.isNew = true }
            return point
        }
    }

    private var path: String {
        var path: [UInt8] = []
        for point in points + [tail].compactMap(\.self) {
            path += "\(point.isNew ? "M" : "L")\(Decimals.text(point.x, 1)) \(Decimals.text(point.y, 1))".utf8
            // A single point has a length too, so that its round end is seen.
            if point.isNew { path += "h0.1".utf8 }
        }
        return String(decoding: path, as: UTF8.self)
    }

    func drawing(top: Double) -> String {
        let side = Decimals.text(Self.size, 0)
        var out = "<g transform=\"translate(\(Decimals.text(PlotPage.left, 0)) \(Decimals.text(top, 0)))\">\n"
        out += "<rect width=\"\(side)\" height=\"\(side)\" fill=\"#fafaf7\"/>\n" + grid
        out +=
            "<path d=\"\(path)\" fill=\"none\" stroke=\"#1f6f9f\" stroke-width=\"2.5\" "
        out += "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
        if let first = points.first { out += mark(first, "#3d7f3a", "start") }
        if let last = tail ?? points.last { out += mark(last, "#b4552d", "end") }
        return out + scaleBar + "<rect width=\"\(side)\" height=\"\(side)\" fill=\"none\" stroke=\"#888\"/>\n</g>\n"
    }

    private func mark(_ place: Point, _ colour: String, _ name: String) -> String {
        let (x, y) = (Decimals.text(place.x, 1), Decimals.text(place.y, 1))
        let isRight = place.x > Self.size - 60
        return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"5\" fill=\"\(colour)\" stroke=\"#fff\"/>"
            + "<text x=\"\(Decimals.text(place.x + (isRight ? -9 : 9), 1))\" "
            + "y=\"\(Decimals.text(place.y + (name == "end" ? 15 : -6), 1))\" "
            + "text-anchor=\"\(isRight ? "end" : "start")\" fill=\"\(colour)\" font-weight=\"bold\" "
            + "stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">\(name)</text>\n"
    }

    private var grid: String {
        var out = ""
        let latitudes = PlotScale.ticks(south...(south + degrees.north), count: 5)
        for value in latitudes.values {
            let y = Decimals.text((1 - (value - south) / degrees.north) * Self.size, 1)
            out += "<path d=\"M0 \(y)H\(Decimals.text(Self.size, 0))\" stroke=\"#e2e2e2\"/>"
            out += "<text x=\"-6\" y=\"\(y)\" dy=\"4\" text-anchor=\"end\" font-size=\"11\">"
            out += "\(Decimals.text(abs(value), latitudes.decimals))°\(value < 0 ? "S" : "N")</text>\n"
        }
        let longitudes = PlotScale.ticks(west...(west + degrees.east), count: 4)
        for value in longitudes.values {
            let x = Decimals.text((value - west) / degrees.east * Self.size, 1)
            out += "<path d=\"M\(x) 0V\(Decimals.text(Self.size, 0))\" stroke=\"#e2e2e2\"/>"
            out += "<text x=\"\(x)\" y=\"\(Decimals.text(Self.size + 16, 0))\" text-anchor=\"middle\" font-size=\"11\">"
            out += "\(Decimals.text(abs(value), longitudes.decimals))°\(value < 0 ? "W" : "E")</text>\n"
        }
        return out
    }

    private var scaleBar: String {
        let metres = degrees.north * Self.metresPerDegree
        let length = PlotScale.roundStep(metres / 8)
        let width = Decimals.text(length / metres * Self.size, 1)
        let name = length >= 1000 ? "\(Decimals.text(length / 1000, 0)) km" : "\(Decimals.text(length, 0)) m"
        let y = Decimals.text(Self.size - 14, 0)
        return "<path d=\"M14 \(y)h\(width)m0 -5v10m-\(width) -10v10\" stroke=\"#222\" stroke-width=\"2\"/>"
            + "<text x=\"14\" y=\"\(Decimals.text(Self.size - 24, 0))\">\(name)</text>\n"
    }
}
