// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

@Suite struct TablePlotTests {
    /// Rows of each second, but for two that are lost behind the third.
    private static let table = """
        #units uT,dB
        time,uptime,x,LAeq
        2026-11-21T09:00:00.000000Z,100.000000,1,10
        2026-11-21T09:00:01.000000Z,101.000000,2,20
        2026-11-21T09:00:02.000000Z,102.000000,3,
        #gap
        2026-11-21T09:00:05.000000Z,105.000000,4,40
        2026-11-21T09:00:10.000000Z,110.000000,5,50

        """

    private static func page(_ text: String, in window: PlotWindow? = nil) throws -> PlotPage {
        let bench = Workbench()
        try bench.write("x.csv", Array(text.utf8))
        return try TablePlot().page(RecordedFile(bench.path + "/x.csv"), in: window) { _ in }
    }

    /// The days that stand below the axis, of those that could.
    private static func days(_ page: PlotPage) throws -> [String] {
        let drawing = String(decoding: try Workbench().exported("x.svg") { page.write(to: $0) }, as: UTF8.self)
        return ["1970-01-01", "2026-11-21"].filter { drawing.contains(">\($0)<") }
    }

    @Test func everyColumnIsAPanelWithItsRowsInTheirPlaces() throws {
        let page = try Self.page(Self.table)
        #expect(page.panels.map(\.title) == ["x", "LAeq"] && page.panels.map(\.unit) == ["µT", "dB"])
        #expect(page.start == Instant(seconds: 1_795_251_600) && page.span == 10 && page.clockLabel == "UTC")
        #expect(try Self.days(page) == ["2026-11-21"])
        let columns = page.panels[0].envelope.low.count
        let wanted: [[Double?]] = [[1, 2, 3, 4, 5], [10, 20, nil, 40, 50]]
        for (panel, values) in zip(page.panels, wanted) {
            for (value, second) in zip(values, [0.0, 1, 2, 5, 10]) {
                let column = Envelope.column(second, 10, columns)
                #expect(panel.envelope.high[column] == value ?? -.infinity, "\(panel.title) \(second)")
            }
            #expect(panel.envelope.high.count(where: \.isFinite) == values.count { $0 != nil })
        }
        #expect(page.gaps.count == 1 && page.gaps.seconds == 3)
        #expect(page.facts.first?.hasPrefix("5 rows in 10.0 s; 1 gap of 3.0 s") == true, "\(page.facts)")
    }

    /// Of a device that never knew the time.
    @Test func withoutATimeOfDayItIsTheTimeSinceBoot() throws {
        let page = try Self.page("time,uptime,x\n,100.000000,1\n,104.000000,2\n")
        #expect(page.clockLabel == "time since boot (clock not known)")
        #expect(page.span == 4 && page.start == Instant(seconds: 100))
        #expect(try Self.days(page) == [])
    }

    @Test func aPartHasItsRowsAndThePartOfAGap() throws {
        let window = PlotWindow(start: Instant(seconds: 1_795_251_602), seconds: 2)
        let page = try Self.page(Self.table, in: window)
        #expect(page.start == window.start && page.panels[0].envelope.range == 3...3)
        #expect(page.panels[1].envelope.range == nil)
        #expect(page.gaps.count == 1 && page.gaps.seconds == 2)
    }
}
