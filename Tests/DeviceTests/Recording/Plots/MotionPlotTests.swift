// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// A minute at 100 Hz: 1 g, -2 g, and a saw of a second from 0 to 0.99 g; 3.6 s are lost after half of it. CWA keeps
/// 1/1024 g of it, and a block that a gap tears is lost.
@Suite struct MotionPlotTests {
    private static func agree(_ range: ClosedRange<Double>?, _ other: ClosedRange<Double>, _ error: Double) -> Bool {
        guard let range else { return false }
        return abs(range.lowerBound - other.lowerBound) < error && abs(range.upperBound - other.upperBound) < error
    }

    @Test(arguments: [true, false]) func eachAxisHasItsOwnPanel(hasGyroscope: Bool) throws {
        let bench = Workbench()
        let page = try MotionPlot().page(RecordedFile(bench.motion(gyroscope: hasGyroscope).path), in: nil) { _ in }
        let rotation = hasGyroscope ? ["rotation x", "rotation y", "rotation z"] : []
        #expect(page.panels.map(\.title) == ["x", "y", "z"] + rotation)
        let still: [ClosedRange<Double>] = hasGyroscope ? [175...175, -350 ... -350, 490...490] : []
        let wanted: [ClosedRange<Double>] = [1...1, -2 ... -2, 0...0.99] + still
        for (place, (panel, range)) in zip(page.panels, wanted).enumerated() {
            #expect(panel.unit == (place < 3 ? "g" : "°/s"))
            #expect(Self.agree(panel.envelope.range, range, place < 3 ? 0.000_49 : 0.008), "\(panel.title)")
        }
    }

    /// Below the axis, where the device knew the time.
    @Test(arguments: [true, false]) func theDayIsNamedWhereItIsKnown(isKnown: Bool) throws {
        let bench = Workbench()
        let page = try MotionPlot().page(RecordedFile(bench.motion(anchored: isKnown).path), in: nil) { _ in }
        let drawing = String(decoding: try bench.exported("motion.svg") { page.write(to: $0) }, as: UTF8.self)
        #expect(page.clockLabel.hasPrefix("time since boot") == !isKnown, "\(page.clockLabel)")
        #expect(["1970-01-01", "2026-11-21"].contains { drawing.contains(">\($0)<") } == isKnown)
    }

    @Test func nothingIsDrawnWithinAGap() throws {
        let bench = Workbench()
        let sealed = try bench.motion()
        let page = try MotionPlot().page(RecordedFile(sealed.path), in: nil) { _ in }
        #expect(page.facts.first?.hasPrefix("\(sealed.description.samplesStored) samples at ") == true)
        let (low, gap) = (page.panels[0].envelope.low, try #require(page.gaps.runs.first))
        func column(_ seconds: Double) -> Int { Envelope.column(seconds, page.span, low.count) }
        #expect((63.0...64).contains(page.span) && page.gaps.count == 1)
        #expect((column(29)...column(30)).contains(gap.lowerBound))
        #expect((column(33)...column(34)).contains(gap.upperBound))
        #expect((column(31)...column(33)).allSatisfy { low[$0] == .infinity })
        #expect((0..<column(29)).contains { low[$0] == 1 } && (column(34)..<low.count).contains { low[$0] == 1 })
    }

    @Test(arguments: [(10.005, 0.5, 0.01...0.5), (20.205, 0.3, 0.21...0.5), (10.005, 2, 0...0.99)])
    func aPartHasItsOwnExtremes(start: Double, seconds: Double, range: ClosedRange<Double>) throws {
        let bench = Workbench()
        let source = try RecordedFile(bench.motion(gap: false).path)
        let whole = try MotionPlot().page(source, in: nil) { _ in }
        let window = PlotWindow(start: whole.start + .milliseconds(Int((start * 1000).rounded())), seconds: seconds)
        let page = try MotionPlot().page(source, in: window) { _ in }
        #expect(Self.agree(page.panels[2].envelope.range, range, 0.000_49))
    }
}
