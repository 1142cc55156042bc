// SPDX-License-Identifier: Apache-2.0
import Times

/// What the page begins with: each participant with prompts due, answered, late and missed, by day, the last contact, and what is wrong.
struct ComplianceTable {
    /// One participant.
    struct Row {
        let device: Device
        /// Nil where the device has not told.
        let compliance: ComplianceDays?
        /// How much of what was to be recorded has come, in per cent, over the days that are drawn; nil without recordings.
        let coverage: Int?
        /// Alarms about its log, and refused posts.
        let faults: Int
    }

    let rows: [Row]
    let now: Instant
    /// Nobody who is heard of once a day is missed before this.
    private static let silence = Duration.seconds(36 * 3600)

    /// A section; nothing without devices.
    var html: HTML {
        guard !rows.isEmpty else { return .none }
        let counts = "<th class=\"n\">due<th class=\"n\">answered<th class=\"n\">late<th class=\"n\">missed" as HTML
        return """
            <section class="card"><h2>Compliance</h2><div class="scroll"><table class="stack lead"><thead><tr><th>participant<th>by day\(
            counts)<th class="n">coverage<th>last contact<th>faults</thead><tbody>\(rows.map(line))</tbody></table></div>
            <p class="none">The last 14 days. <i class="key a"></i> in time <i class="key c"></i> late (more than 15 min)
            <i class="key bad"></i> missed <i class="key line"></i> open</p></section>
            """
    }

    private func line(_ row: Row) -> HTML {
        let sum = row.compliance?.sum
        func count(_ name: String, _ value: Int?) -> HTML {
            "<td class=\"n\" data-name=\"\(name)\">\(value.map(String.init) ?? "–")"
        }
        let isSilent = now - row.device.lastContact > Self.silence
        let share = sum.map { $0.due > 0 ? " (\($0.answered * 100 / $0.due) %)" : "" } ?? ""
        return """
            <tr><td><a href="/?user=\(Page.percentEncoded(row.device.user))">\(row.device.user.isEmpty ? "(no id)" : row.device.user)</a><td>\(
            row.compliance?.bars ?? "<span class=\"none\">not reported yet</span>")\(count("due", sum?.due))<td
            class="n" data-name="answered">\(sum.map { String($0.answered) + share } ?? "–")\(count("late", sum?.late))\(
            count("missed", sum?.missed))<td class="n" data-name="coverage">\(row.coverage.map { "\($0) %" } ?? "–")<td
            data-name="last contact"\(isSilent ? " class=\"bad\"" as HTML : .none)>\(now.ago(row.device.lastContact))<td
            data-name="faults"\(row.faults > 0 ? " class=\"bad\"" as HTML : .none)>\(row.faults > 0 ? String(row.faults) : "none")</tr>
            """
    }
}
