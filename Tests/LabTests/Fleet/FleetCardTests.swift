// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct FleetCardTests {
    private let now = Instant(seconds: 1_780_000_000)

    private func card(
        _ trend: [FleetTrend] = [], prompts: [PromptOutcome] = [], attention: [Attention] = [],
        changes: KeyValuePairs<String, String> = [:]
    ) throws -> String {
        let device = try FleetSamples.device(changes, first: now, received: now - .seconds(60))
        return FleetCard(device: device, attention: attention, trend: trend, prompts: prompts, now: now).html.text
    }

    private func trend(_ free: Double?, battery: Double? = nil, temperature: Double? = nil, waiting: Double? = nil)
        -> FleetTrend
    {
        FleetTrend(received: now, free: free, battery: battery, temperature: temperature, waiting: waiting)
    }

    /// A line needs two ends: one report has none, and what was told once is no course of anything.
    @Test func aFigureIsDrawnOfTwoReportsOnAndOfTheLatestSixty() throws {
        for reports in [[], [trend(3e9, battery: 0.5, temperature: 20, waiting: 1)], [trend(nil), trend(nil)]] {
            #expect(try !card(reports).contains("Report by report"), "\(reports.count)")
        }
        let two = try card([trend(3e9, battery: 0.5), trend(1.25e9)])
        #expect(two.contains("aria-label=\"2 reports of disk free, GB\"") && !two.contains("battery, %"))
        #expect(two.contains("<b>1.3</b> of 1.3–3"), "tenths of a gigabyte: \(two)")
        let all = try card((0..<61).map { trend(nil, battery: 0.404, temperature: 20.4, waiting: Double($0)) })
        for (name, latest) in [("battery, %", "40"), ("temperature, °C", "20"), ("items waiting", "60")] {
            #expect(all.contains("aria-label=\"60 reports of \(name)\"") && all.contains("<b>\(latest)</b>"), "\(all)")
        }
        #expect(all.contains("of 1–60"), "the first is left out")
    }

    @Test func whatIsUnknownIsLeftOut() throws {
        let known = try card()
        for fact in [
            "version <b>0.9.0</b>", "clock <b>kernel, ± 0.2 s</b>", "battery <b>83 %</b>", "temperature <b>48 °C</b>",
            "waiting <b>3 items</b>", "next prompt <b>2026-11-25 20:00</b>", "next report within <b>65 min 0 s</b>",
        ] { #expect(known.contains("<li>\(fact)"), "\(fact): \(known)") }
        let unknown = try card(changes: [
            "clock": "null", "power": "null", "temperature": "null", "outbox": "null", "nextPrompt": "null",
        ])
        for name in ["clock", "battery", "temperature", "waiting", "next prompt"] {
            #expect(!unknown.contains("<li>\(name) "), "\(name)")
        }
    }

    @Test func withoutPromptsOrReasonsTheirPartsAreNotThere() throws {
        let bare = try card()
        #expect(!bare.contains("Latest prompts") && !bare.contains("class=\"problems\""))
        let prompt = PromptOutcome(
            occurrence: "o", task: "mood", due: "2026-11-25T18:00:00.000+01:00", outcome: "missed",
            reason: "device-off",
            presented: nil, ended: nil)
        let full = try card(
            prompts: [prompt], attention: [Attention(kind: .disk, since: now - .seconds(7200), text: "full")])
        #expect(full.contains("Latest prompts") && full.contains("18:00<td>mood<td>missed: device off"), "\(full)")
        #expect(full.contains("<b class=\"bad\">low disk</b> full <span class=\"none\">2 h ago</span>"), "\(full)")
    }
}
