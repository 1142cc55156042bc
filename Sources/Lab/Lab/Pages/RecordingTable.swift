// SPDX-License-Identifier: Apache-2.0
import Base

/// The files that one device has sent, a line each, with the description of a recording beside it: a part of
/// the `DeviceCard`.
struct RecordingTable {
    let user: String
    /// Newest first, one page of them.
    let uploads: [Upload]
    /// When recordings were made, by their descriptions.
    let recorded: [RecordedSpan]
    let drawn: Set<Int64>
    let hasOlder: Bool

    var html: HTML {
        guard !uploads.isEmpty else { return .none }
        // A description has a line of its own only where its recording is not on this page.
        let described = Set(uploads.filter { !Self.isDescription($0) }.map(Recording.init))
        let shown = uploads.filter {
            $0.kind != "hello" && (!Self.isDescription($0) || !described.contains(Recording($0)))
        }
        guard !shown.isEmpty else { return .none }
        let found = uploads.filter(Self.isDescription).map { (Recording($0), $0) }
        let descriptions = Dictionary(found) { first, _ in first }
        let rows = shown.map { row($0, Self.isDescription($0) ? nil : descriptions[Recording($0)]) }
        return """
            <h3>Recordings, in the device's own time</h3><div class="scroll" tabindex="0" role="region" aria-label="Recordings"><table class="stack files"><thead><tr><th scope="col">file<th scope="col" class="n">size<th scope="col">from<th
            scope="col" class="n">stored<th scope="col">arrived (UTC)<th scope="col">state<th scope="col">signal</thead><tbody>\(rows)</tbody></table></div>\(older)
            """
    }

    private var older: HTML {
        guard hasOlder, let last = uploads.last else { return .none }
        return "<p><a href=\"/?user=\(Page.percentEncoded(user))&amp;before=\(last.number)\">older recordings →</a></p>"
    }

    private func row(_ upload: Upload, _ description: Upload?) -> HTML {
        let span = recorded.first { $0.upload.map { $0 == upload.number || $0 == upload.sameAs } ?? false }
        return """
            <tr><td title="\(upload.kind)">\(Self.link(upload, upload.name.isEmpty ? "unnamed" : upload.name))\(Self.link(to: description))<td
            class="n">\(Self.size(upload.length))<td class="t" data-name="from">\(
            span.map { $0.start.shown(offset: $0.offset) } ?? "–")<td class="n" data-name="stored">\(
            span.map(Self.share) ?? "–")<td class="t wide" data-name="arrived">\(upload.created.shown())<td>\(
            Self.state(upload))<td>\(picture(upload))</tr>
            """
    }

    private func picture(_ upload: Upload) -> HTML {
        guard drawn.contains(upload.number) else { return .none }
        let address: HTML = "/files/\(upload.number)/preview"
        return
            "<a href=\"\(address)\"><img class=\"preview\" loading=\"lazy\" alt=\"plot of \(upload.name)\" src=\"\(address)\"></a>"
    }

    private static func isDescription(_ upload: Upload) -> Bool { upload.name.hasSuffix(".json") }

    /// What a file and its description are of. The next device of a participant numbers its recordings from 1, too.
    private struct Recording: Hashable {
        let stem: Substring
        let enrolment: String?

        init(_ upload: Upload) {
            stem = upload.name.prefix { $0 != "." }
            enrolment = (try? JSONReader.value(upload.metadata))?["enrolment"]?.string
        }
    }

    private static func link(_ upload: Upload, _ words: String) -> HTML {
        upload.sha256 == nil ? "\(words)" : "<a href=\"/files/\(upload.number)/content\">\(words)</a>"
    }

    private static func link(to description: Upload?) -> HTML {
        description.map { " \(link($0, "description"))" } ?? .none
    }

    private static func share(_ span: RecordedSpan) -> String { Percent.text(span.stored, of: span.stored + span.lost) }

    private static func state(_ upload: Upload) -> HTML {
        let failed: HTML =
            upload.mismatches > 0 ? " <span class=\"tag bad\">\(upload.mismatches) × wrong SHA-256</span>" : .none
        if let sum = upload.sha256 {
            let same: HTML = upload.sameAs.map { " <span class=\"tag dup\">same as \($0)</span>" } ?? .none
            let word = upload.expected == nil ? "complete" : "SHA-256 ok"
            return "<span class=\"tag ok\" title=\"\(sum)\">\(word)</span>\(same)\(failed)"
        }
        let percent = upload.length == 0 ? 100 : upload.offset * 100 / upload.length
        return "<span class=\"bar\"><i style=\"width:\(percent)%\"></i></span> \(percent) %\(failed)"
    }

    /// `934 B`, `12.3 kB`, `4.0 MB`: powers of 1000.
    static func size(_ bytes: Int64) -> String {
        var value = bytes
        var unit = 0
        while value >= 100_000, unit < 3 {
            value /= 1000
            unit += 1
        }
        if value < 1000 { return "\(value) \(["B", "kB", "MB", "GB"][unit])" }
        return "\(value / 1000).\(value % 1000 / 100) \(["kB", "MB", "GB", "TB"][unit])"
    }
}
