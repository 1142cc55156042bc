// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

/// Each beat is a bar; what lies beyond the width of a row begins the next one.
@Suite struct RhythmDrawingTests {
    /// Where the bars begin: their left ends and their tops.
    private static func bars(_ rhythm: Rhythm) -> (x: [Double], y: [Double], spoken: String) {
        let svg = RhythmDrawing(rhythm, in: .english).svg
        let bars = svg.matches(of: /<rect x="([0-9.]+)" y="([0-9.]+)"/)
        let spoken = svg.firstMatch(of: /aria-label="([^"]*)"/).map { String($0.1) } ?? ""
        return (bars.compactMap { Double($0.1) }, bars.compactMap { Double($0.2) }, spoken)
    }

    @Test func aShortRhythmIsOneRow() {
        let (x, y, spoken) = Self.bars("'.- =")
        #expect(x.count == 4 && x[0] == 0 && x == x.sorted() && Set(x).count == 4)
        #expect(y == [0, 0, 0, 0])
        #expect(spoken == "blip short long, extra long")
    }

    /// Nine of 1.4 s with 0.18 s between are wider than a row by themselves: they stay in the first.
    @Test(arguments: [(900, [9]), (990, [9, 9]), (999, [9, 9, 9]), (99, [9, 9]), (12, [3])])
    func aGroupThatDoesNotFitBeginsARowAndTheFirstNeverDoes(_ number: Int, _ rows: [Int]) {
        let (x, y, _) = Self.bars(.number(number))
        let tops = Set(y).sorted()
        #expect(tops.first == 0)
        #expect(tops.map { top in y.count { $0 == top } } == rows)
        #expect(x.count { $0 == 0 } == rows.count, "each row begins at the left")
    }

    /// A blip lasts 50 ms, which is less than two pixels.
    @Test(arguments: ["'", ".", "-", "="] as [Rhythm]) func noBarIsTooThinToBeSeen(_ rhythm: Rhythm) throws {
        let svg = RhythmDrawing(rhythm, in: .english).svg
        let width = try #require(svg.firstMatch(of: /<rect [^>]*width="([0-9.]+)"/)?.1)
        #expect(try #require(Double(width)) >= 2)
    }
}
