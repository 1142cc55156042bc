// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

/// Lines that say that something is missing, as docs/recordings.md has them; each count is below 2^48.
@Suite struct TextGapTests {
    struct Line: Sendable, CustomTestStringConvertible {
        let text: String
        var start: Double?
        var end = 101.5
        /// nil for a line that is none.
        var count: Int?
        var testDescription: String { text }
    }

    private static let table = [
        Line(text: "start=100.9 end=101.5 samples=5 reason=x", start: 100.9, count: 5),
        Line(text: "reason=x samples=5 end=101.5 start=100.9", start: 100.9, count: 5),
        Line(text: "end=101.5 samples=0 reason=x", count: 0),
        Line(text: "uptime=101.5 samples=1 reason=x", count: 1),
        Line(text: "start=soon end=101.5 samples=1 reason=x", count: 1),
        Line(text: "end=101.5 samples=281474976710655 reason=x", count: 1 << 48 - 1),
        Line(text: "end=101.5 samples=281474976710656 reason=x"), Line(text: "end=101.5 samples=-1 reason=x"),
        Line(text: "end=101.5 samples=5"), Line(text: "end=101.5 reason=x"), Line(text: "samples=5 reason=x"),
        Line(text: "end=4e9 samples=5 reason=x"), Line(text: "end=nan samples=5 reason=x"),
        Line(text: "end=101.5 samples=1.5 reason=x"), Line(text: "end= samples=5 reason=x"), Line(text: ""),
    ]

    private static let log = [
        Line(text: "G,101.500000,5,x", count: 5), Line(text: "G,101.5,0,x", count: 0),
        Line(text: "G,101.5,281474976710655,x", count: 1 << 48 - 1), Line(text: "G,101.5,281474976710656,x"),
        Line(text: "G,101.5,-1,x"), Line(text: "G,101.5,5"), Line(text: "G,101.5,5,x,y"), Line(text: "G,,5,x"),
        Line(text: "E,101.5,5,x"),
    ]

    private func expect(_ found: TextGap?, _ line: Line) {
        #expect(found?.count == line.count && (found == nil) == (line.count == nil))
        guard let found else { return }
        #expect(found.start == line.start && found.end == line.end && found.reason == "x")
    }

    @Test(arguments: table) func aLineOfATableIsReadUpToItsLimits(_ line: Line) {
        expect(TextGap(Array("#gap \(line.text)".utf8)[...]), line)
    }

    @Test(arguments: log) func aSentenceOfALogIsReadUpToItsLimits(_ line: Line) {
        let bytes = NMEAFraming.bytes("PSTDY,\(line.text)")
        expect(TextGap(bytes[...]), line)
        var damaged = bytes
        damaged[10] ^= 1
        #expect(TextGap(damaged[...]) == nil)
    }
}
