// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// The picture of one of our CSV files: a panel per column, drawn as a band from the lowest to the
/// highest value; of a log of buttons a panel per button, with a mark for each press, as high as it
/// was long.
package struct TablePlot: Plot {
    package let content = RecordedContent.table

    /// Reads the whole file, twice; `progress` gets the share that is done.
    package func page(
        _ source: RecordedFile, in window: PlotWindow?, progress: @escaping (Double) -> Void
    ) throws(FileError) -> PlotPage {
        let extent = try Extent(CSVTable(source), progress)
        guard let first = extent.first, let last = extent.last else {
            throw source.refusal("has no row, so there is nothing to plot")
        }
        let table = try CSVTable(source)
        let whole = max(last - first, 1e-3)
        let presses = table.columns.starts(with: ["button", "edge"]) ? try ButtonLog.presses(source) : nil
        let spacing = source.description.map { 1 / max(1e-3, $0.nominalRate) } ?? whole / Double(max(1, extent.rows))
        // Levels come once a second, whatever the rate of the sound was.
        let step = table.columns.contains("LAeq") ? 1 : spacing
        let offset = source.description?.offsetSeconds ?? 0
        let zone = source.description?.offset ?? "UTC"
        let start = extent.time.map { $0 + .seconds(offset) } ?? Instant(nanoseconds: Int64(first * 1e9))
        let skipped = try window?.offset(in: start, span: whole, of: source.file.path) ?? 0
        let span = window?.seconds ?? whole
        let empty = Envelope(span: span, isCut: window != nil)
        let panels =
            presses.map { Self.panels(of: $0, since: first + skipped, empty) }
            ?? table.columns.enumerated().map { index, name in
                PlotPanel(
                    title: name, unit: index < table.units.count ? Self.shown(table.units[index]) : "",
                    envelope: empty, spacing: step)
            }
        var page = PlotPage(
            title: source.name, facts: [], start: start + .nanoseconds(Int64(skipped * 1e9)), span: span,
            clockLabel: extent.time == nil
                ? "time since boot (clock not known)" : zone == "UTC" ? "UTC" : "local time, \(zone)",
            hasDate: extent.time != nil, panels: panels, gaps: GapShade(span: span, isCut: window != nil))
        try fill(&page, table, hasValues: presses == nil, first + skipped, progress)
        // Up to thirty third octaves would bury the levels. Only now: `fill` goes by the column's number.
        page.panels.removeAll { $0.title.hasPrefix(LevelCSVWriter.bandPrefix) }
        let found = presses.map { Plural.of($0.count, "press", "presses") } ?? "\(extent.rows) rows"
        page.facts = [
            window?.fact(of: whole)
                ?? "\(found) in \(PlotFacts.length(span)); \(PlotFacts.gaps(page.gaps, source.description))"
        ]
        return page
    }

    /// A unit as people write it; files keep to ASCII.
    private static func shown(_ unit: String) -> String {
        ["uT": "µT", "deg/s": "°/s"][unit] ?? unit
    }

    private static func panels(of presses: [ButtonPress], since start: Double, _ empty: Envelope) -> [PlotPanel] {
        Set(presses.map(\.button)).sorted().map { button in
            var envelope = empty
            // A press whose release is missing is drawn at 0.
            for press in presses where press.button == button {
                envelope.add(press.duration ?? 0, at: press.uptime - start)
            }
            return PlotPanel(title: "\(button), held", unit: "s", envelope: envelope, spacing: 0, style: .marks)
        }
    }

    private func fill(
        _ page: inout PlotPage, _ table: CSVTable, hasValues: Bool, _ first: Double, _ progress: (Double) -> Void
    ) throws(FileError) {
        var (last, count): (Double?, Int) = (nil, 0)
        while let row = try table.next() {
            guard let uptime = row.uptime else { continue }
            let seconds = uptime - first
            if row.followsGap, let last { page.gaps.add(from: last, to: seconds) }
            last = seconds
            for (index, value) in row.values.enumerated() where hasValues {
                if let value { page.panels[index].envelope.add(value, at: seconds) }
            }
            count += 1
            if count % 4096 == 0 { progress(0.5 + table.progress / 2) }
        }
    }

    /// From the first row to the last.
    private struct Extent {
        var first: Double?
        var last: Double?
        var time: Instant?
        var rows = 0

        init(_ table: CSVTable, _ progress: (Double) -> Void) throws(FileError) {
            while let row = try table.next() {
                guard let uptime = row.uptime else { continue }
                if first == nil { (first, time) = (uptime, row.time) }
                last = uptime
                rows += 1
                if rows % 4096 == 0 { progress(table.progress / 2) }
            }
        }
    }
}
