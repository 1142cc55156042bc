// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// The picture of a CWA file: a panel per axis. The file is read twice, first for its length.
package struct MotionPlot: Plot {
    package let content = RecordedContent.motion

    package func page(
        _ source: RecordedFile, in window: PlotWindow?, progress: @escaping (Double) -> Void
    ) throws(FileError) -> PlotPage {
        let survey = try CWATimeline(source)
        var (start, end, samples): (Instant?, Instant?, Int) = (nil, nil, 0)
        var first: CWABlock?
        while let timed = try survey.next() {
            first = first ?? timed.block
            start = min(start ?? timed.start, timed.start)
            end = max(end ?? timed.end, timed.end)
            samples += timed.block.count
            if survey.count % 256 == 0 { progress(0.4 * Double(survey.count) / Double(survey.reader.blockCount)) }
        }
        guard let start, let end, let first else {
            throw source.refusal("\(survey.emptiness), so there is nothing to plot")
        }
        let whole = (end - start).seconds
        let skipped = try window?.offset(in: start, span: whole, of: source.file.path) ?? 0
        var page = empty(
            source, survey.reader.header, first, start + .nanoseconds(Int64(skipped * 1e9)), window?.seconds ?? whole,
            isCut: window != nil)
        let timeline = try CWATimeline(source)
        var last = start
        while let timed = try timeline.next() {
            if timed.gap != nil {
                page.gaps.add(from: (last - page.start).seconds, to: (timed.start - page.start).seconds)
            }
            last = timed.end
            add(timed, to: &page)
            if timeline.count % 256 == 0 {
                progress(0.4 + 0.6 * Double(timeline.count) / Double(timeline.reader.blockCount))
            }
        }
        let rate = PlotFacts.rate(source.description?.measuredRate, nominal: first.rate)
        let (damaged, undated) = (timeline.reader.damagedBlocks, timeline.undatedBlocks)
        page.facts = [
            window?.fact(of: whole)
                ?? "\(samples) samples at \(rate) in \(PlotFacts.length(page.span)); "
                + PlotFacts.gaps(page.gaps, source.description)
                + (damaged > 0 ? "; \(damaged) blocks damaged" : "")
                + (undated > 0 ? "; \(undated) blocks without a valid time" : "")
        ]
        return page
    }

    private func empty(
        _ source: RecordedFile, _ header: CWAHeader?, _ block: CWABlock, _ start: Instant, _ span: Double,
        isCut: Bool
    ) -> PlotPage {
        let clock = ExportClock(header, source.description, start: start)
        // By the zone: nil = no time of day, "" = the zone is not known.
        let labels = [nil: "time since boot (clock not known)", "": "local time, time zone not known"]
        let spacing = 1 / block.rate
        func panel(_ title: String, _ unit: String) -> PlotPanel {
            PlotPanel(title: title, unit: unit, envelope: Envelope(span: span, isCut: isCut), spacing: spacing)
        }
        var panels = ["x", "y", "z"].map { panel($0, "g") }
        if block.hasRotation { panels += ["x", "y", "z"].map { panel("rotation \($0)", "°/s") } }
        return PlotPage(
            title: source.name, facts: [], start: start, span: span,
            clockLabel: labels[clock.zone] ?? "local time, \(clock.zone ?? "")", hasDate: clock.zone != nil,
            panels: panels, gaps: GapShade(span: span, isCut: isCut))
    }

    private func add(_ timed: CWATimeline.TimedBlock, to page: inout PlotPage) {
        let begin = (timed.start - page.start).seconds
        for index in 0..<timed.block.count {
            let seconds = begin + Double(index) * timed.period
            let vector = timed.block.acceleration(index)
            page.panels[0].envelope.add(vector.x, at: seconds)
            page.panels[1].envelope.add(vector.y, at: seconds)
            page.panels[2].envelope.add(vector.z, at: seconds)
            guard page.panels.count == 6, let rotation = timed.block.rotation(index) else { continue }
            page.panels[3].envelope.add(rotation.x, at: seconds)
            page.panels[4].envelope.add(rotation.y, at: seconds)
            page.panels[5].envelope.add(rotation.z, at: seconds)
        }
    }
}
