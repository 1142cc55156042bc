// SPDX-License-Identifier: Apache-2.0
import Base

/// What the lab has changed, newest first: the page `/changes`.
struct ChangesTable {
    let changes: [LabRegister.Change]
    let user: String?

    var html: HTML {
        let rows = changes.map { change -> HTML in
            let address: HTML = "/?user=\(Page.percentEncoded(change.participant))"
            let participant: HTML =
                change.participant.isEmpty ? "–" : "<a href=\"\(address)\">\(change.participant)</a>"
            return """
                <tr><td class="t">\(change.at.shown())<td>\(change.author)<td>\(participant)<td>\(change.kind.words)<td data-name="before">\(
                change.before)<td data-name="after">\(change.after)</tr>
                """
        }
        let table: HTML = """
            <div class="scroll" tabindex="0" role="region" aria-label="Changes"><table class="stack"><thead><tr><th scope="col">when (UTC)<th scope="col">who<th scope="col">participant<th
            scope="col">what<th scope="col">before<th scope="col">after</thead><tbody>\(rows)</tbody></table></div>
            """
        let query: HTML = user.map { "?user=\(Page.percentEncoded($0))" as HTML } ?? .none
        return """
            <section class="card"><div class="top"><h2>Changes</h2><span>\(user ?? "all participants")</span></div>\(
            changes.isEmpty ? "<p class=\"none\">Nothing has been changed yet.</p>" : table)<p class="links"><a href="/tables/changes.csv\(query)">CSV</a> <a href="/api/changes\(
            query)">JSON</a></p></section>
            """
    }
}

extension LabRegister.Change {
    var author: String { [by.isEmpty ? "a script" : by, client].filter { !$0.isEmpty }.joined(separator: ", ") }
}

extension LabRegister.Change.Kind {
    var words: String {
        switch self {
        case .note: "label or note written"
        case .approve: "key approved"
        case .revoke: "keys revoked"
        case .forget: "reports and keys removed"
        case .erase: "participant erased"
        case .keys: "keys imported"
        case .fault: "fault or answer simulated"
        }
    }
}
