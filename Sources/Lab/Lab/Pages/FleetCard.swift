// SPDX-License-Identifier: Apache-2.0
import Base

/// What one device says of itself, on its participant's page: what needs attention, its figures, how they
/// changed from report to report, and how its latest prompts ended, with the reasons.
struct FleetCard {
    let device: FleetDevice
    let attention: [Attention]
    /// Oldest first.
    let trend: [FleetTrend]
    /// Newest first.
    let prompts: [PromptOutcome]
    let now: Instant

    private var report: DeviceReport { device.report }

    var html: HTML {
        """
        <section class="card"><div class="top"><h2>\(report.participant)</h2><span>reported \(now.ago(device.received))</span>
        <span>device \(report.device) · study \(report.study)\(device.isKeyed ? " · with its key" : "")</span></div>
        \(reasons)<ul class="facts">\(facts.map { "<li>\($0.name) <b>\($0.value)</b>" as HTML })</ul>\(sparks)\(table)</section>
        """
    }

    private var reasons: HTML {
        guard !attention.isEmpty else { return .none }
        let lines = attention.map { one -> HTML in
            "<li><b class=\"bad\">\(one.kind.words)</b> \(one.text) <span class=\"none\">\(now.ago(one.since))</span>"
        }
        return "<ul class=\"problems\">\(lines)</ul>"
    }

    private var facts: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("state", report.state), ("version", report.version),
            (
                "clock",
                report.clockSource.map { $0 + (report.clockUncertainty.map { ", ± \(Self.seconds($0))" } ?? "") }
            ),
            ("disk free", report.diskFree.map(ByteText.of)),
            ("written to the card", report.cardWritten.map(ByteText.of)),
            ("battery", report.battery.map { Percent.text(Int($0 * 1000), of: 1000) }),
            ("temperature", report.temperature.map { "\(Int($0.rounded())) °C" }),
            ("waiting", report.outboxWaiting.map { Plural.of(Int($0), "item") }),
            ("newest recording", report.newestRecording.map { String($0) }),
            ("next prompt", report.nextPrompt.map(Self.minute)),
            ("next report within", Duration.seconds(report.nextReportWithin).shown),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// `2026-11-26 18:00`, by the participant's clock.
    static func minute(_ time: String) -> String { "\(time.prefix(10)) \(time.dropFirst(11).prefix(5))" }

    /// `0.2 s`, `3 min 20 s`.
    private static func seconds(_ value: Double) -> String {
        value < 10 ? "\((value * 1000).rounded() / 1000) s" : Duration.seconds(value).shown
    }

    private var sparks: HTML {
        let series: [(String, [Double])] = [
            ("disk free, GB", trend.compactMap { $0.free.map { ($0 / 1e8).rounded() / 10 } }),
            ("battery, %", trend.compactMap { $0.battery.map { ($0 * 100).rounded() } }),
            ("temperature, °C", trend.compactMap { $0.temperature?.rounded() }),
            ("items waiting", trend.compactMap(\.waiting)),
        ]
        let lines = series.filter { $0.1.count > 1 }.map {
            Sparkline(question: $0.0, values: Array($0.1.suffix(60)), noun: "reports of").html
        }
        return lines.isEmpty ? .none : "<h3>Report by report</h3><div class=\"sparks\">\(lines)</div>"
    }

    private var table: HTML {
        guard !prompts.isEmpty else { return .none }
        let rows = prompts.map { prompt -> HTML in
            """
            <tr><td class="t"><a href="/?user=\(Page.percentEncoded(report.participant))&amp;day=\(prompt.due.prefix(10))">\(prompt.due.prefix(10))</a> \(
            prompt.due.dropFirst(11).prefix(5))<td>\(prompt.task)<td>\(PromptDay.words(prompt.ending))</tr>
            """
        }
        return """
            <h3>Latest prompts, in the device's own time (<a href="/tables/prompts.csv?user=\(Page.percentEncoded(report.participant))&amp;days=all">all as CSV</a>)</h3><div
            class="scroll" tabindex="0" role="region" aria-label="Latest prompts"><table class="stack"><thead><tr><th scope="col">due<th scope="col">task<th
            scope="col">outcome and why</thead><tbody>\(rows)</tbody></table></div>
            """
    }
}
