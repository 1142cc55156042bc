// SPDX-License-Identifier: Apache-2.0
import Base

/// What the lab has written about a participant and their device, and the forms to change it, on the
/// participant's page (`ChangeRoutes` takes them).
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
