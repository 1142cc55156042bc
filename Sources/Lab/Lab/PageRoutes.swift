// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// The page for people, at `/`: all participants; `/?user=ID` shows one, `&day=2026-11-25` one day
/// of theirs. `/changes` shows what the lab has changed.
struct PageRoutes: Sendable {
    let participants: Participants
    let faults: Faults
    let clock: any StudyClock
    /// Names of the protocol files that are served.
    let studies: [String]
    let standIns: [any StandIn]
    let keys: DeviceKeys
    let descriptions: DescriptionIndex
    let previews: PreviewRoutes
    let wear: WearIndex
    /// Options that name the server's data, as they were given at its start.
    let data: [String]
    /// Other machines can reach the page, and it asks for no token.
    let isOpen: Bool

    private var archive: Archive { participants.archive }
    private var heads: LogHeads { participants.heads }
    private var fleet: FleetRoutes { participants.fleet }
    private var register: LabRegister { participants.register }
    private var blinding: LabBlinding { participants.blinding }

    /// Recordings on one page of a device.
    private static let recordingsShown = 50
    private static let changesShown = 500

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        func on(_ path: String, _ page: @escaping @Sendable (LabQuery, String) async throws -> HTML) {
            let handler: Router.Handler = { request in
                let html = try await page(LabQuery(request), request.address)
                return HTTPResponse(
                    200,
                    fields: [
                        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                        "Content-Security-Policy":
                            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                        // With `no-referrer` a browser sends its own forms without their origin.
                        "Referrer-Policy": "same-origin",
                    ], content: .bytes(Array(html.text.utf8)))
            }
            router.on("GET", path, handler: guarded(handler))
        }
        on("/") { query, address in
            guard let user = query.user else { return try await overview(query, address) }
            guard let day = query.day else { return try await participant(user, query, address) }
            return try await self.day(day, of: user, query, address)
        }
        on("/changes") { query, address in
            let changes = try await register.changes(of: query.user, limit: Self.changesShown)
            return frame(
                query, address, title: "Changes", content: ChangesTable(changes: changes, user: query.user).html)
        }
    }

    private func frame(_ query: LabQuery, _ address: String, title: String?, links: [HTML] = [], content: HTML) -> HTML
    {
        Page(
            title: title, isOpen: isOpen, fault: faults.fault, address: address, studies: studies, links: links,
            query: query, now: clock.now
        ).html(content)
    }

    // MARK: All participants

    private func overview(_ query: LabQuery, _ address: String) async throws -> HTML {
        let now = clock.now
        let all = try await participants.gather(days: query.days, at: now)
        let rows = try all.rows.chosen(by: query)
        let table: HTML =
            all.rows.isEmpty
            ? .none
            : ParticipantTable(
                rows: rows, studies: all.studies, query: query, now: now,
                downloads: Downloads(query: query, studies: all.studies, data: data, now: now).html
            ).html
        let fleetTable = FleetTable(view: all.view, missing: all.missing, daysWithoutManifest: all.daysWithoutManifest)
            .html
        // What the stand-ins for platforms' servers show.
        var (sections, links): ([HTML], [HTML]) = ([], [])
        for standIn in standIns {
            let own = try await standIn.sections(address: address, now: now)
            sections += own
            if !own.isEmpty { links.append(standIn.links) }
        }
        // With one participant there is nothing to choose from.
        let names = Set(all.rows.map(\.participant))
        let only = names.count == 1 ? try await archive.device(all.rows[0].participant) : nil
        let card: HTML = if let only { try await self.card(only, query, isAlone: false) } else { .none }
        let empty = all.rows.isEmpty && sections.isEmpty ? Page.empty(address: address) : .none
        let refusals = DeviceCard.refusalsOfUnknownDevices(
            try await archive.refusalsOfUnknownDevices(limit: 50), now: now)
        let tiles = Page.tiles(try await archive.totals(), isBlinded: try await blinding.hasRules())
        let logs = AlarmCard(alarms: try await heads.alarms(), now: now).html
        return frame(
            query, address, title: nil, links: links,
            content:
                "\(fleetTable)\(table)\(all.rows.isEmpty ? .none : tiles)\(empty)\(logs)\(sections)\(card)\(refusals)")
    }

    // MARK: One participant

    private func participant(_ user: String, _ query: LabQuery, _ address: String) async throws -> HTML {
        let now = clock.now
        let reports = try await fleet.cards(of: user)
        let device = try await archive.device(user)
        guard device != nil || !reports.text.isEmpty else {
            return frame(query, address, title: user, content: Page.unknown(user))
        }
        let note = NoteCard(
            participant: user, note: try await register.note(of: user), keys: try await keys.rows(of: user),
            changes: try await register.changes(of: user, limit: 5), now: now)
        let prompts = try await fleet.fleet.prompts(of: user, from: .epoch, to: .distantFuture, limit: LabTables.limit)
        let days: [PromptDay] =
            if prompts.isEmpty {
                Participants.days([], try await heads.compliances()[user])
            } else {
                PromptDay.days(prompts.map(\.outcome), late: .seconds(60 * query.late))
            }
        let compliance = ComplianceTable(user: user, days: Participants.latest(days, query.days, at: now), query: query)
        let card: HTML = if let device { try await self.card(device, query, isAlone: true) } else { .none }
        let downloads = downloads(query, Set(prompts.map(\.study)).sorted())
        return frame(
            query, address, title: user, content: "\(reports)\(compliance.html)\(note.html)\(card)\(downloads)")
    }

    private func downloads(_ query: LabQuery, _ studies: [String]) -> HTML {
        "<section class=\"card\">\(Downloads(query: query, studies: studies, data: data, now: clock.now).html)</section>"
    }

    private func day(_ day: LocalDate, of user: String, _ query: LabQuery, _ address: String) async throws -> HTML {
        let (from, to) = day.withSpareDays
        let spans = try await descriptions.spans(of: user, from: from, to: to)
        let prompts = try await fleet.fleet.prompts(of: user, from: from, to: to, limit: LabTables.limit)
        let answers = try await blinding.shown(
            archive.answers(of: user, from: from, to: to, limit: 2000, bytes: 64 << 20))
        let page = DayPage(
            user: user, day: day, minute: query.minute, spans: spans,
            known: Actogram.Known(try await archive.coverage(of: user, at: clock.now)), prompts: prompts.map(\.outcome),
            answers: answers.filter { $0.post.writtenTime?.date == day }, files: try await archive.files(of: spans),
            draws: previews.draws, late: query.late)
        let studies = Set(prompts.map(\.study)).sorted()
        return frame(query, address, title: "\(user), \(day)", content: "\(page.html)\(downloads(query, studies))")
    }

    /// A participant's own page (`isAlone`) shows more of the history than the page of all. How much is read
    /// does not grow with what has arrived.
    private func card(_ device: DeviceSummary, _ query: LabQuery, isAlone: Bool) async throws -> HTML {
        let (user, now) = (device.user, clock.now)
        let coverage = try await archive.coverage(of: user, at: now)
        // Time counts up to the last recording that is here.
        let until = min(now, Actogram.Known(coverage).until ?? now)
        // Ten years, where the address names no days.
        var days = query.days ?? 3660
        let recorded = try await descriptions.spans(of: user, from: until - .seconds(86_400 * (days + 1)))
        // The days before are not drawn: not all of their recordings are known here.
        if recorded.count == DescriptionIndex.limit, let first = recorded.first {
            days = max(1, min(days, Int((until - first.start).seconds) / 86_400))
        }
        // How many answers are read, marks drawn on the timeline, and rows of each list shown.
        let (records, marks, rows) = isAlone ? (600, 5000, 100) : (60, 1000, 8)
        let page = isAlone ? Self.recordingsShown : rows
        let uploads = try await archive.uploads(user: user, before: query.before, limit: page + 1)
        let answers = try await archive.records(user: user, kind: .response, limit: records)
        let logs = try await archive.records(user: user, kind: .log, limit: 1)
        let isBlinded = try await !blinding.ruled([user]).isEmpty
        let warned = try await archive.records(user: user, isWarned: true, limit: rows)
        // In a study with rules the number of posts would tell what these drew: without `answerMarks` (nil) the
        // card marks the answers that it shows, and of the log ([]) it draws nothing.
        return DeviceCard(
            device: device, isBlinded: isBlinded, answers: try await blinding.shown(answers),
            answerMarks: !isBlinded ? try await archive.marks(user: user, kind: .response, limit: marks) : nil,
            logMarks: !isBlinded ? try await archive.marks(user: user, kind: .log, limit: marks) : [],
            lastLog: logs.first, logCounts: !isBlinded ? try await archive.logCounts(user: user, limit: 30) : [],
            warned: try await blinding.shown(warned), uploads: Array(uploads.prefix(page)), recorded: recorded,
            coverage: coverage, worn: try await wear.days(in: recorded).days,
            drawn: Set(uploads.filter(previews.draws).map(\.number)), hasOlder: uploads.count > page,
            refusals: try await archive.refusals(user: user, limit: rows), days: days, rows: rows, now: now
        ).html
    }
}
