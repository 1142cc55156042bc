// SPDX-License-Identifier: Apache-2.0
import Base

/// The table on the page of all participants: as many rows as fit a page, by the order and the filters of the
/// address. Colour is never the only sign.
struct ParticipantTable {
    /// Those that the address asks for, in its order.
    let rows: [ParticipantRow]
    let studies: [String]
    let query: LabQuery
    let now: Instant
    var downloads = HTML.none

    static let rowsShown = 100
    /// A device without reports is marked after this time without contact: it may send once a day only.
    private static let silence = Duration.seconds(36 * 3600)

    private typealias Column = ParticipantRow.Column

    private static let columns: [(column: ParticipantRow.Column, title: String, isNumber: Bool)] = [
        (.participant, "participant", false), (.attention, "needs attention", false),
        (.lastContact, "last contact", false), (.nextPrompt, "next prompt", false), (.answeredShare, "answered", true),
        (.promptsMissed, "missed", true), (.coverageShare, "coverage", true), (.batteryShare, "battery", true),
        (.diskFreeBytes, "disk free", true), (.version, "version", false), (.faults, "faults", true),
    ]

    var html: HTML {
        // There is a row for each study of a participant.
        let count = Set(rows.map(\.participant)).count
        let shown = rows.dropFirst((query.page - 1) * Self.rowsShown).prefix(Self.rowsShown)
        return """
            <section class="card" id="participants"><div class="top"><h2>Participants</h2><span>\(Plural.of(count, "participant"))\(
            query == LabQuery() ? "" : " in this view")</span></div>\(filters)
            \(shown.isEmpty ? "<p class=\"none\">None fits.</p>" : table(shown))\(pages)
            <p class="none">Answered of the prompts that are over, of the \(daysWords). Missed: the device could not ask.
            Coverage is stored time over wall time since the enrolment, of the channel that has least. In the bars, a day each: <i class="key a"></i>
            answered <i class="key c"></i> not answered <i class="key bad"></i> missed.</p>
            \(downloads)</section>
            """
    }

    private var daysWords: String { query.days.map { "last \(Plural.of($0, "day"))" } ?? "whole study" }

    // MARK: Filters

    private var filters: HTML {
        func option(_ value: String, _ words: String, _ chosen: String?) -> HTML {
            "<option value=\"\(value)\"\(value == chosen ?? "" ? " selected" as HTML : .none)>\(words)</option>"
        }
        let kinds = Attention.Kind.allCases.map { option($0.rawValue, $0.words, query.attention) }
        let names = studies.map { option($0, $0, query.study) }
        let days = [7, 14, 28].map { option(String($0), "\($0) days", query.days.map(String.init)) }
        let sort: HTML = query.sort.map { "<input type=\"hidden\" name=\"sort\" value=\"\($0)\">" } ?? .none
        let study: HTML =
            studies.count < 2
            ? .none : "<label>Study <select name=\"study\">\(option("", "all", query.study))\(names)</select></label>"
        return """
            <form class="filters" action="/" method="get">\(sort)<label>Find <input type="search" name="q" maxlength="100" value="\(query.text ?? "")"></label>
            <label>Attention <select name="attention">\(option("", "all participants", query.attention))\(
            option("any", "all that need it", query.attention))\(kinds)</select></label>\(study)<label>Prompts <select name="days">\(days)\(
            option("all", "whole study", query.days == nil ? "all" : nil))</select></label><button>Show</button> <a href="/">reset</a></form>
            """
    }

    private var pages: HTML {
        let count = (rows.count + Self.rowsShown - 1) / Self.rowsShown
        guard count > 1 else { return .none }
        let links = (1...count).prefix(100).map { page -> HTML in
            page == query.page
                ? "<b aria-current=\"page\">\(page)</b> "
                : "<a href=\"\(query.address { $0.page = page })\">\(page)</a> "
        }
        return "<nav class=\"links\" aria-label=\"Pages\">Page \(links)</nav>"
    }

    // MARK: Rows

    private func table(_ rows: ArraySlice<ParticipantRow>) -> HTML {
        let heads = Self.columns.map { column, title, isNumber -> HTML in
            let state = [column.rawValue: "ascending", "-" + column.rawValue: "descending"][query.sort ?? ""]
            let sign = ["ascending": " ▲", "descending": " ▼"][state ?? ""] ?? ""
            return """
                <th scope="col"\(isNumber ? " class=\"n\"" as HTML : .none)\(state.map { " aria-sort=\"\($0)\"" as HTML } ?? .none)><a href="\(
                query.sorted(by: column.rawValue))#participants">\(title)\(sign)</a>
                """
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Participants"><table class="stack lead"><thead><tr>\(heads)</thead><tbody>\(
            rows.map(line))</tbody></table></div>
            """
    }

    private func line(_ row: ParticipantRow) -> HTML {
        let name = row.participant.isEmpty ? "(no id)" : row.participant
        let label: HTML = row.note.label.isEmpty ? .none : "<br><span class=\"label\">\(row.note.label)</span>"
        let note: HTML = row.note.text.isEmpty ? .none : "<br><small>\(Self.short(row.note.text))</small>"
        return """
            <tr><th scope="row"><b class="\(sign(row).look)" role="img" aria-label="\(sign(row).word)">\(sign(row).sign)</b> <a href="/?user=\(
            Page.percentEncoded(row.participant))">\(name)</a>\(label)\(note)\(attention(row))\(contact(row))\(nextPrompt(row))\(answered(row))\(
            missed(row))\(coverage(row))\(battery(row))\(disk(row))<td data-name="version">\(row.device?.report.version ?? "–")<td
            data-name="faults" class="n\(row.faults > 0 ? " bad" : "")">\(row.faults)</tr>
            """
    }

    private func sign(_ row: ParticipantRow) -> (sign: String, look: String, word: String) {
        if !row.attention.isEmpty { return ("!", "bad", "needs attention") }
        guard let device = row.device else { return ("·", "none", "does not report") }
        return device.report.isLast ? ("–", "none", "over") : ("✓", "ok", "well")
    }

    private func attention(_ row: ParticipantRow) -> HTML {
        let items = row.attention.map { one -> HTML in
            """
            <li><span class="\(one.kind.priority > 3 ? "bad" : "dup")">\(one.kind.words)\(one.part.isEmpty ? "" : ": \(one.part)")</span>
            """
        }
        return items.isEmpty ? "<td class=\"blank\">" : "<td><ul class=\"kinds\">\(items)</ul>"
    }

    private func contact(_ row: ParticipantRow) -> HTML {
        guard let last = row.lastContact else { return "<td data-name=\"last contact\">–" }
        let isSilent = row.device == nil && now - last > Self.silence
        return """
            <td data-name="last contact"\(isSilent ? " class=\"bad\"" as HTML : .none) title="\(last.shown()) UTC">\(now.ago(last))
            """
    }

    private func nextPrompt(_ row: ParticipantRow) -> HTML {
        "<td data-name=\"next prompt\">\(row.device?.report.nextPrompt.map(FleetCard.minute) ?? "–")"
    }

    private func answered(_ row: ParticipantRow) -> HTML {
        guard let sum = row.sum, sum.over > 0 else { return "<td class=\"n\" data-name=\"answered\">–" }
        return """
            <td class="n" data-name="answered">\(sum.answered) of \(sum.over) (\(Percent.text(sum.answered, of: sum.over)))\(
            DayBars(days: row.days, count: query.days ?? 28, now: now).html)
            """
    }

    private func missed(_ row: ParticipantRow) -> HTML {
        guard let sum = row.sum else { return "<td class=\"n\" data-name=\"missed\">–" }
        return "<td class=\"n\(sum.missed > 0 ? " bad" : "")\" data-name=\"missed\">\(sum.missed)"
    }

    private func coverage(_ row: ParticipantRow) -> HTML {
        guard let coverage = row.coverage, let least = coverage.least else {
            return "<td class=\"n\" data-name=\"coverage\">–"
        }
        return """
            <td class="n\(coverage.isLow(least) ? " bad" : "")" data-name="coverage">\(Percent.text(least.stored, of: coverage.wall)) \(
            least.kind)<br><small>\(coverage.reasons(least))</small>
            """
    }

    private func battery(_ row: ParticipantRow) -> HTML {
        let battery = row.device?.report.battery
        return "<td class=\"n\" data-name=\"battery\">\(battery.map { Percent.text(Int($0 * 1000), of: 1000) } ?? "–")"
    }

    private func disk(_ row: ParticipantRow) -> HTML {
        "<td class=\"n\" data-name=\"disk free\">\(row.device?.report.diskFree.map { ByteText.of($0) } ?? "–")"
    }

    private static func short(_ text: String) -> String {
        let line = text.prefix { !$0.isNewline }
        return line.count > 60 || line.count < text.count ? line.prefix(60) + "…" : String(line)
    }
}
