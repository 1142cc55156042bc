// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// A study of ESMira as a section of the page of all participants (`ESMiraRoutes.sections`): who takes part,
/// what was received, its messages and tables.
struct ESMiraCard {
    let study: ESMiraServedStudy
    let isFrozen: Bool
    let users: [ESMiraUser]
    let tables: [(name: String, rows: Int)]
    let messages: [ESMiraMessage]
    let media: [ESMiraMedia]
    let address: String
    let now: Instant

    /// Rows of each list that are shown.
    private static let rows = 50

    private var html: HTML {
        """
        <section class="card"><div class="top"><h2>\(study.title)</h2>\(tag)<span>ESMira · study \(study.id) · version \(
        study.version)</span></div>\(facts)\(users.isEmpty ? invitation : people)\(tableList)\(messageList)\(mediaList)</section>
        """
    }

    private var tag: HTML {
        if isFrozen { return "<span class=\"tag bad\">frozen</span>" }
        if study.isOver { return "<span class=\"tag dup\">over</span>" }
        return study.isPublished ? "<span class=\"tag ok\">open</span>" : "<span class=\"tag dup\">not published</span>"
    }

    private var facts: HTML {
        let received = messages.count(where: \.isOfParticipant)
        return """
            <ul class="facts"><li><b>\(users.count)</b> \(users.count == 1 ? "participant" : "participants")<li><b>\(
            tables.first { $0.name == ESMiraTables.eventsFile }?.rows ?? 0)</b> datasets<li><b>\(media.count)</b> files<li><b>\(
            received)</b> messages from participants</ul>
            """
    }

    private var invitation: HTML {
        """
        <p class="none">Nothing has been sent yet. To enrol a device, run:</p>
        <pre>studyd enroll \(address)/esmira\(study.keys.first.map { " --access-key " + $0 } ?? "" as String) --format esmira</pre>
        """
    }

    private var people: HTML {
        let rows = users.prefix(Self.rows).map { user in
            """
            <tr><td><code>\(user.name)</code><td class="t">\(user.handled.map { now.ago(Instant(milliseconds: Int64($0))) } ?? "never")<td
            class="n">\(user.datasets)<td class="n">\(user.counts.values.reduce(0, +))<td class="wide">\(user.app)</tr>
            """ as HTML
        }
        return """
            <h3>Participants</h3><div class="scroll"><table><thead><tr><th>participant<th>last dataset<th class="n">datasets<th
            class="n">questionnaires<th class="wide">app</thead><tbody>\(rows)</tbody></table></div>
            """
    }

    private var tableList: HTML {
        let rows = tables.prefix(Self.rows).map { table in
            let title = study.questionnaires.first { String($0.id) == table.name }?.title ?? table.name
            return """
                <tr><td><a href="/api/esmira/\(study.id)/\(table.name).csv">\(table.name).csv</a><td>\(title)<td class="n">\(
                table.rows)</tr>
                """ as HTML
        }
        return """
            <h3>Tables</h3><div class="scroll"><table><thead><tr><th>file<th>questionnaire<th class="n">rows</thead><tbody>\(
            rows)</tbody></table></div>
            """
    }

    private var messageList: HTML {
        guard !messages.isEmpty else { return .none }
        let rows = messages.suffix(Self.rows).reversed().map { message in
            """
            <tr><td class="t">\(now.ago(Instant(milliseconds: Int64(message.sent))))<td>\(message.isOfParticipant ? "from" : "to") <code>\(
            message.user)</code><td>\(message.content)</tr>
            """ as HTML
        }
        return "<h3>Messages</h3><div class=\"scroll\"><table><tbody>\(rows)</tbody></table></div>"
    }

    private var mediaList: HTML {
        guard !media.isEmpty else { return .none }
        let rows = media.suffix(Self.rows).reversed().map { file in
            """
            <tr><td><a href="/api/esmira/file/\(file.id)">\(file.name)</a><td class="n">\(file.bytes)</tr>
            """ as HTML
        }
        return """
            <h3>Files</h3><div class="scroll"><table><thead><tr><th>file<th class="n">bytes</thead><tbody>\(
            rows)</tbody></table></div>
            """
    }
}

extension ESMiraCard {
    /// A section for each study that is served.
    static func all(_ api: ESMiraAPI, address: String, now: Instant) async throws -> [HTML] {
        let studies = try await api.studies.all()
        return try await api.store.transaction { tables in
            try studies.map { study in
                ESMiraCard(
                    study: study, isFrozen: try tables.isFrozen(study.id), users: try tables.users(of: study.id),
                    tables: try tables.files(of: study.id), messages: try tables.messages(of: study.id),
                    media: try tables.media(of: study.id), address: address, now: now
                ).html
            }
        }
    }
}
