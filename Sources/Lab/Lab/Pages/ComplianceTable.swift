// SPDX-License-Identifier: Apache-2.0
import Base

/// How the prompts of one participant ended, day by day, with the reasons, on that participant's page.
struct ComplianceTable {
    let user: String
    /// The latest last.
    let days: [PromptDay]
    let query: LabQuery

    var html: HTML {
        guard !days.isEmpty else { return .none }
        let endings = Set(days.flatMap(\.unanswered.keys)).sorted()
        let heads = endings.map { "<th scope=\"col\" class=\"n\">\(PromptDay.words($0))" as HTML }
        let hasNotAsked = days.contains { $0.notAsked > 0 }
        let notAsked: HTML = hasNotAsked ? "<th scope=\"col\" class=\"n\">never asked" : .none
        let rows = days.reversed().map { line($0, endings, hasNotAsked) }
        return """
            <section class="card" id="compliance"><div class="top"><h2>Compliance</h2><span>\(total)</span></div>\(choices)
            <div class="scroll" tabindex="0" role="region" aria-label="Compliance by day"><table class="stack lead"><thead><tr><th scope="col">day<th scope="col" class="n">over<th
            scope="col" class="n">answered<th scope="col" class="n">late\(heads)\(notAsked)</thead><tbody>\(rows)</tbody></table></div>
            <p class="none">Days of the participant's own clock. Over: asked, and no longer open. Late: of the answered, more than \(
            Plural.of(query.late, "minute")) after the prompt was due. Never asked: due before the enrolment, or taken out of the study.</p></section>
            """
    }

    private var total: String {
        let sum = days.dropFirst().reduce(days[0], +)
        return "\(sum.answered) of \(sum.over) answered (\(Percent.text(sum.answered, of: sum.over))), \(sum.late) late"
    }

    private var choices: HTML {
        let days = [7, 14, 28].map { option(String($0), "\($0) days", query.days.map(String.init)) }
        let late = [5, 15, 30, 60, 120].map { option(String($0), "\($0) min", String(query.late)) }
        let address = query.address("/tables/compliance.csv")
        return """
            <form class="filters" action="/#compliance" method="get"><input type="hidden" name="user" value="\(user)"><label>Show <select name="days">\(days)\(
            option("all", "all that are kept", query.days == nil ? "all" : nil))</select></label><label>Late after <select name="late">\(late)</select></label><button>Show</button>
            <a href="\(address)">CSV</a></form>
            """
    }

    private func option(_ value: String, _ words: String, _ chosen: String?) -> HTML {
        "<option value=\"\(value)\"\(value == chosen ? " selected" as HTML : .none)>\(words)</option>"
    }

    private func line(_ day: PromptDay, _ endings: [String], _ hasNotAsked: Bool) -> HTML {
        func count(_ name: String, _ value: Int, isBad: Bool = false) -> HTML {
            "<td class=\"n\(isBad && value > 0 ? " bad" : "")\(value == 0 ? " zero" : "")\" data-name=\"\(name)\">\(value)"
        }
        let others = endings.map { ending in
            count(PromptDay.words(ending), day.unanswered[ending] ?? 0, isBad: ending.hasPrefix("missed"))
        }
        return """
            <tr><th scope="row"><a href="/?user=\(Page.percentEncoded(user))&amp;day=\(day.day.description)">\(day.day.description)</a>\(
            count("over", day.over))<td class="n" data-name="answered">\(day.answered)\(
            day.over > 0 ? " (\(Percent.text(day.answered, of: day.over)))" : "")\(count("late", day.late))\(others)\(
            hasNotAsked ? count("never asked", day.notAsked) : .none)</tr>
            """
    }
}
