// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Exports

/// Where a point of the Earth lies on a map of 520 pixels. A degree of a sphere of the mean radius
/// (IUGG, 6371.0 km) is 111.195 km; the area has a twentieth of room on each side.
@Suite struct PlotMapTests {
    @Test func aTrackIsDrawnFromAboveAndNorthIsUp() {
        var map = PlotMap(latitude: 0...0.01, longitude: 0...0.01)
        map.add(latitude: 0.005, longitude: 0.005, isNew: false)
        map.add(latitude: 0.005, longitude: 0.005, isNew: false)
        map.add(latitude: 0.01, longitude: 0.01, isNew: false)
        map.add(latitude: 0, longitude: 0, isNew: true)
        let drawing = map.drawing(top: 0)
        #expect(drawing.contains("d=\"M260.0 260.0h0.1L496.4 23.6M23.6 496.4h0.1\""), "\(drawing)")
        #expect(drawing.contains("<rect width=\"520\" height=\"520\" fill=\"#fafaf7\"/>\n"))
        #expect(drawing.contains("stroke-width=\"2.5\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"))
        #expect(drawing.contains("<circle cx=\"260.0\" cy=\"260.0\""))
        #expect(drawing.contains("<text x=\"269.0\" y=\"254.0\" text-anchor=\"start\""))
        #expect(drawing.contains("<circle cx=\"23.6\" cy=\"496.4\""))
        #expect(drawing.contains("<text x=\"32.6\" y=\"511.4\" text-anchor=\"start\""))
    }

    private func path(_ drawing: String) -> [Substring] {
        let path = drawing.split(separator: "<path d=\"").first { $0.contains("stroke-width=\"2.5\"") } ?? ""
        return path.prefix { $0 != "\"" }.split(separator: "L")
    }

    /// Archimedes' spiral of twenty turns, and then to the middle again.
    @Test func aTrackOfAnyLengthIsDrawnToItsEnd() {
        var map = PlotMap(latitude: 0...0.01, longitude: 0...0.01)
        for index in Array(0...60_000) + (0...60_000).reversed() {
            let (turn, radius) = (Double(index) / 60_000 * 40 * .pi, Double(index) / 60_000 * 0.005)
            map.add(latitude: 0.005 + radius * sin(turn), longitude: 0.005 + radius * cos(turn), isNew: false)
            guard index == 60_000 else { continue }
            #expect(path(map.drawing(top: 0)).last == "496.4 260.0")
        }
        let drawn = path(map.drawing(top: 0))
        #expect((10_000...50_001).contains(drawn.count) && drawn.last == "260.0 260.0", "\(drawn.count)")
    }

    /// A way of 24 crossings with 9000 steps each: the last is drawn as finely as the others.
    @Test func aLongTrackIsAsFineAtItsEndAsAtItsBeginning() {
        var map = PlotMap(latitude: 0...0.01, longitude: 0...0.01)
        for index in 0...24 * 9000 {
            let phase = index % 18_000
            let step = phase <= 9000 ? phase : 18_000 - phase
            map.add(latitude: 0.005, longitude: Double(step) / 9000 * 0.01, isNew: false)
        }
        let drawn = path(map.drawing(top: 0))
        let places = drawn.compactMap { $0.split(separator: " ").first.flatMap { Double($0) } }
        let last = zip(places.reversed(), places.reversed().dropFirst()).prefix { $0 <= $1 }.count
        #expect((drawn.count / 48...drawn.count / 12).contains(last), "\(last) of \(drawn.count)")
    }

    /// A walker on a map of a day by train: 0.03 pixels a second.
    @Test func aTrackOfSmallStepsIsDrawn() {
        var map = PlotMap(latitude: 0...0.01, longitude: 0...0.01)
        for index in 0...1000 { map.add(latitude: 0.005, longitude: Double(index) * 6e-7, isNew: index == 0) }
        #expect((300...501).contains(path(map.drawing(top: 0)).count), "\(path(map.drawing(top: 0)).count)")
    }

    /// A name at the right edge stands on the other side of its place.
    @Test func aNameHasRoomAtTheRight() {
        var map = PlotMap(latitude: 0...0.01, longitude: 0...0.01)
        map.add(latitude: 0.01, longitude: 0.01, isNew: true)
        #expect(map.drawing(top: 0).contains("<text x=\"487.4\" y=\"17.6\" text-anchor=\"end\""))
    }

    /// 60 pixels are room for a name of three to five letters of a bold 12-pixel font.
    @Test(arguments: [(459.5, "start"), (460.5, "end")]) func aNameTurnsWhereItHasNoRoom(x: Double, anchor: String) {
        var map = PlotMap(latitude: 0...0.01, longitude: 0...0.01)
        map.add(latitude: 0.005, longitude: x / PlotMap.size * 0.011 - 0.0005, isNew: true)
        let drawing = map.drawing(top: 0)
        #expect(drawing.contains("<circle cx=\"\(x)\""), "\(drawing)")
        #expect(drawing.contains("text-anchor=\"\(anchor)\" fill=\"#b4552d\""), "\(drawing)")
    }

    /// At 60 degrees a degree of longitude is half as long.
    @Test func bothAxesHaveTheSameScale() {
        var map = PlotMap(latitude: 60...60.01, longitude: 0...0.02)
        map.add(latitude: 60.01, longitude: 0.02, isNew: true)
        #expect(map.drawing(top: 0).contains("d=\"M496.3 23.6h0.1\""), "\(map.drawing(top: 0))")
    }

    @Test(arguments: [
        (48.0, 48.0, "118.2", "5 m"), (0.0, 0.01, "85.0", "200 m"), (0.0, 0.05, "85.0", "1 km"),
        (0.0, 0.1, "85.0", "2 km"),
    ])
    func theScaleIsARoundLength(south: Double, north: Double, pixels: String, name: String) {
        let map = PlotMap(latitude: south...north, longitude: 0...0)
        let drawing = map.drawing(top: 0)
        #expect(drawing.contains("d=\"M14 506h\(pixels)m0 -5v10m-\(pixels) -10v10\""), "\(drawing)")
        #expect(drawing.contains("<text x=\"14\" y=\"496\">\(name)</text>"))
    }

    @Test(arguments: [(1.0, "N", "E"), (-1.0, "S", "W")])
    func theGridSaysWhichHalfOfTheEarthItIs(sign: Double, north: String, east: String) {
        let (latitude, longitude) = (sign * 33.9, sign * 70.5)
        let drawing = PlotMap(latitude: latitude...latitude, longitude: longitude...longitude).drawing(top: 0)
        let labels = drawing.split(separator: "°").dropFirst().compactMap(\.first).map(String.init)
        #expect(Set(labels) == [north, east] && drawing.contains(">33.90000°\(north)<"), "\(drawing)")
    }

    @Test(
        arguments: [
            (0.02, ["00:00:00.000", "00:00:00.005", "00:00:00.010", "00:00:00.015", "00:00:00.020"]),
            (0.04, ["00:00:00.00", "00:00:00.01", "00:00:00.02", "00:00:00.03", "00:00:00.04"]),
            (0.4, ["00:00:00.0", "00:00:00.1", "00:00:00.2", "00:00:00.3", "00:00:00.4"]),
            (4, ["00:00:00", "00:00:01", "00:00:02", "00:00:03", "00:00:04"]),
            (120, ["00:00:00", "00:00:30", "00:01:00", "00:01:30", "00:02:00"]),
            (240, ["00:00", "00:01", "00:02", "00:03", "00:04"]),
            (0.5, ["00:00:00.0", "00:00:00.2", "00:00:00.4"]),
        ] as [(Double, [String])])
    func timeTicksHaveTheDigitsThatTellThemApart(span: Double, labels: [String]) {
        #expect(PlotScale.clockTicks(from: .epoch, span: span, count: 4).map(\.label) == labels)
    }

    @Test func anAxisWithoutLengthHasOneTick() {
        #expect(PlotScale.ticks(3...3, count: 4).values == [3] && PlotScale.ticks(3...4, count: 0).values == [3])
        #expect(
            [0.0, -1, 1, 1.1, 2, 2.1, 5, 5.1, 10, 0.3].map(PlotScale.roundStep) == [1, 1, 1, 2, 2, 5, 5, 10, 10, 0.5])
    }
}
