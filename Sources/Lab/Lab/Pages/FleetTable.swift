// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// What the page of all participants begins with where devices report: those that need attention with the
/// reasons, the most urgent first.
struct FleetTable {
    let view: FleetWatch.View
    /// What is neither here nor explained, by device.
    let missing: [String: Int]
    let daysWithoutManifest: Int

    var html: HTML {
        guard !view.present.isEmpty else { return .none }
        return """
            <section class="card fleet"><h2>\(headline)</h2>\(limits)\(urgent)
            \(holes)</section>
            """
    }

    private var attended: [FleetDevice] {
        view.devices.filter { view.attention[$0.id] != nil }.sorted { one, other in
            let (left, right) = (rank(one), rank(other))
            return left == right ? one.report.participant < other.report.participant : left < right
        }
    }

    private func rank(_ device: FleetDevice) -> Int { view.attention[device.id]?.first?.kind.rank ?? .max }

    private var headline: String {
        let count = view.attention.count
        let of = "of \(Plural.of(view.present.count, "device"))"
        return count == 0 ? "None \(of) needs attention" : "\(count) \(of) \(count == 1 ? "needs" : "need") attention"
    }

    private var limits: HTML {
        guard let problem = view.limitsProblem else { return .none }
        return "<p class=\"bad\">Limits: \(problem)</p>"
    }

    private var urgent: HTML {
        guard !attended.isEmpty else { return .none }
        return "<ol class=\"urgent\">\(attended.map(line))</ol>"
    }

    private func line(_ device: FleetDevice) -> HTML {
        let reasons = (view.attention[device.id] ?? []).map { one -> HTML in
            """
            <li><b class="\(one.kind.priority > 3 ? "bad" : "dup")">\(one.kind.words)</b> \(one.text)
            <span class="none" title="\(one.since.shown()) UTC">\(view.now.ago(one.since))</span>
            """
        }
        return """
            <li>\(link(device)) <span class="none">\(device.report.study)</span><ul>\(reasons)</ul>
            """
    }

    private func link(_ device: FleetDevice) -> HTML {
        let name = device.report.participant
        return "<a href=\"/?user=\(Page.percentEncoded(name))\">\(name)</a>"
    }

    private var holes: HTML {
        guard !missing.isEmpty || daysWithoutManifest > 0 else { return .none }
        let names = Dictionary(view.devices.map { ($0.id, $0.report.participant) }) { first, _ in first }
        let items = missing.sorted { $0.key < $1.key }.prefix(30).map { device, count -> HTML in
            "<li><b class=\"bad\">missing</b> \(names[device] ?? FleetSource(device).device): \(Plural.of(count, "item"))"
        }
        let days: HTML =
            daysWithoutManifest == 0
            ? .none : "<li><b class=\"dup\">unknown</b> \(Plural.of(daysWithoutManifest, "day")) without a manifest"
        return """
            <h3>Produced, and neither here nor explained (<a href="/api/missing">list</a>)</h3><ul class="problems">\(items)\(days)</ul>
            """
    }
}
