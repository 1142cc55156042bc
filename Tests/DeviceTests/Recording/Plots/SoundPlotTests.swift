// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// Five seconds: silence, and from the middle on a square wave of half of full scale. Its effective value is its
/// peak, which is 3.01 dB below a sine of full scale (IEC 61606's dBFS); calibrated with 100 dB. The least that 16
/// bits can say is 96.3 dB lower.
@Suite struct SoundPlotTests {
    private static func page(_ start: Double? = nil, _ seconds: Double = 0) throws -> PlotPage {
        let bench = Workbench()
        let samples = (0..<80_000).map { $0 < 40_000 ? 0 : $0 % 2 == 0 ? Int16(16_384) : -16_384 }
        let source = try RecordedFile(bench.sound(samples, as: .flac).path)
        let whole = try SoundPlot().page(source, in: nil) { _ in }
        guard let start else { return whole }
        let window = PlotWindow(start: whole.start + .milliseconds(Int(start * 1000)), seconds: seconds)
        return try SoundPlot().page(source, in: window) { _ in }
    }

    @Test func aWaveAndItsLevelLieWhereTheyWereHeard() throws {
        let page = try Self.page()
        #expect(page.span == 5 && page.panels.map(\.unit) == ["of full scale", "dB"])
        let wave = page.panels[0].envelope
        let middle = wave.low.count / 2
        #expect(wave.low[..<middle].allSatisfy { $0 == 0 } && wave.high[..<middle].allSatisfy { $0 == 0 })
        #expect(wave.low[middle...].allSatisfy { $0 == -0.5 } && wave.high[middle...].allSatisfy { $0 == 0.5 })
        let level = page.panels[1].envelope
        func levels(_ columns: Range<Int>) -> [Double] { columns.map { level.high[$0] }.filter(\.isFinite) }
        let (silent, loud) = (levels(0..<middle), levels(middle..<level.high.count))
        #expect(silent.count == 20 && loud.count == 20, "an eighth of a second each")
        #expect(silent.allSatisfy { abs($0 - 3.7) < 1e-6 } && loud.allSatisfy { abs($0 - 96.9897) < 1e-4 })
    }

    @Test(arguments: [
        (0.0, 2.0, 0.0, 0.0), (3, 2, 0.5, 0.5), (2, 1, 0, 0.5), (2.5, 0.5, 0.5, 0.5), (2.25, 0.25, 0, 0),
    ])
    func aPartShowsWhatIsInIt(start: Double, seconds: Double, first: Double, last: Double) throws {
        let wave = try Self.page(start, seconds).panels[0].envelope
        #expect(wave.high.first { $0.isFinite } == first && wave.high.last { $0.isFinite } == last)
    }
}
