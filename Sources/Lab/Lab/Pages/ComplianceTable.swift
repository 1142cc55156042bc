// SPDX-License-Identifier: Apache-2.0
import Base

/// What the page begins with: each participant with prompts due, answered, late and missed, by day,
/// the last contact, and what is wrong.
struct ComplianceTable {
    struct Row {
        let device: DeviceSummary
        /// Nil where the device has not reported it.
        let compliance: ComplianceDays?
        /// Nil where nothing is known of its recordings.
        let coverage: Coverage?
        /// Alarms about its log, and refused posts.
        let faults: Int
    }

    let rows: [Row]
    let now: Instant
    /// A device that reports once a day is not missed before this.
    private static let silence = Duration.seconds(36 * 3600)

    /// A section; nothing without devices.
    var html: HTML {
        guard !rows.isEmpty else { return .none }
        let counts = "<th class=\"n\">due<th class=\"n\">answered<th class=\"n\">late<th class=\"n\">missed" as HTML
        return """
            <section class="card"><h2>Compliance</h2><div class="scroll"><table class="stack lead"><thead><tr><th>participant<th>by day\(
            counts)<th class="n">coverage<th>last contact<th>faults</thead><tbody>\(rows.map(line))</tbody></table></div>
            <p class="none">Prompts of the last 14 days; per cent of those that are over. Coverage is stored time over wall time since the enrolment, of the channel that has least. <i class="key a"></i> in time <i class="key c"></i> late (more than 15 min)
            <i class="key bad"></i> missed <i class="key line"></i> open</p></section>
            """
    }

    private func coverage(_ coverage: Coverage?) -> HTML {
        guard let coverage, let least = coverage.least else { return "<td class=\"n\" data-name=\"coverage\">–" }
        return """
            <td class="n\(coverage.isLow(least) ? " bad" : "")" data-name="coverage">\(Percent.text(least.stored, of: coverage.wall))<br><small>\(
            coverage.reasons(least))</small>
            """
    }

    private func line(_ row: Row) -> HTML {
        let sum = row.compliance?.sum
        func count(_ name: String, _ value: Int?) -> HTML {
            "<td class=\"n\" data-name=\"\(name)\">\(value.map(String.init) ?? "–")"
        }
        let isSilent = now - row.device.lastContact > Self.silence
        // An open prompt is neither answered nor missed.
        let share =
            sum.map {
                $0.answered + $0.missed > 0 ? " (\(Percent.text($0.answered, of: $0.answered + $0.missed)))" : ""
            } ?? ""
        return """
            <tr><td><a href="/?user=\(Page.percentEncoded(row.device.user))">\(row.device.user.isEmpty ? "(no id)" : row.device.user)</a><td>\(
            row.compliance?.bars ?? "<span class=\"none\">not reported yet</span>")\(count("due", sum?.due))<td
            class="n" data-name="answered">\(sum.map { String($0.answered) + share } ?? "–")\(count("late", sum?.late))\(
            count("missed", sum?.missed))\(coverage(row.coverage))<td
            data-name="last contact"\(isSilent ? " class=\"bad\"" as HTML : .none)>\(now.ago(row.device.lastContact))<td
            data-name="faults"\(row.faults > 0 ? " class=\"bad\"" as HTML : .none)>\(row.faults > 0 ? String(row.faults) : "none")</tr>
            """
    }
}
