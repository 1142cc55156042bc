// SPDX-License-Identifier: Apache-2.0
import Base

/// What the lab has written about a participant and their device, and the forms to change it.
struct NoteCard {
    let participant: String
    let note: LabRegister.Note
    let keys: [DeviceKeys.Row]
    let changes: [LabRegister.Change]
    let now: Instant

    var html: HTML {
        """
        <section class="card" id="note"><h2>Label and note</h2><form class="note" method="post" action="/changes"><input type="hidden" name="participant" value="\(
        participant)"><input type="hidden" name="revision" value="\(note.revision)"><label>Label <input name="label" maxlength="\(
        LabRegister.longestLabel)" value="\(note.label)"></label><label>Note <textarea name="note" rows="3" maxlength="\(
        LabRegister.longestNote)">\(note.text)</textarea></label><button name="kind" value="note">Save</button></form>\(keyTable)\(latest)</section>
        """
    }

    private var keyTable: HTML {
        guard !keys.isEmpty else { return .none }
        let rows = keys.map { key -> HTML in
            let approve: HTML =
                key.state == .waiting || key.state == .revoked && !key.key.isEmpty
                ? """
                <form method="post" action="/changes"><input type="hidden" name="participant" value="\(participant)"><input type="hidden" name="key" value="\(
                key.key)"><button name="kind" value="approve" aria-label="Approve key \(key.key.prefix(12))">Approve</button></form>
                """ : .none
            return """
                <tr><td><code>\(key.key.isEmpty ? "every key" : String(key.key.prefix(12)))</code><td>\(key.state.rawValue)<td class="t">\(
                key.last.shown())<td>\(approve)</tr>
                """
        }
        return """
            <h3>Keys of the device</h3><div class="scroll" tabindex="0" role="region" aria-label="Keys"><table><thead><tr><th scope="col">public key<th scope="col">state<th scope="col">used (UTC)<th scope="col">change</thead><tbody>\(
            rows)</tbody></table></div><form method="post" action="/changes"><input type="hidden" name="participant" value="\(participant)"><button
            name="kind" value="revoke" class="danger">Revoke every key</button> <span class="none">The device is refused until a key is approved.</span></form>
            """
    }

    private var latest: HTML {
        guard !changes.isEmpty else { return .none }
        let items = changes.map { change -> HTML in
            "<li>\(now.ago(change.at)), \(change.author): \(change.kind.words)"
        }
        return """
            <h3>Latest changes (<a href="/changes?user=\(Page.percentEncoded(participant))">all</a>)</h3><ul class="problems">\(items)</ul>
            """
    }
}

/// Everything that the lab has changed, newest first.
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
