// SPDX-License-Identifier: Apache-2.0
import Base

/// The tables of the page for programs and spreadsheets, at `/tables/NAME.csv` and
/// `/tables/NAME.json`, with the filters of the page's address. docs/lab.schema.json has their columns.
struct LabTables: Sendable {
    let participants: Participants
    let descriptions: DescriptionIndex
    let wear: WearIndex
    let clock: any StudyClock

    /// Rows of one table; they are in memory together.
    static let limit = 100_000

    private var archive: Archive { participants.archive }
    private var fleet: FleetArchive { participants.fleet.fleet }
    private var register: LabRegister { participants.register }

    static func tooMany(_ limit: Int) -> HTTPFailure {
        HTTPFailure(413, "more than \(limit) rows; ask for one participant (user=ID) or for fewer days (days=N)")
    }

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        let table: Router.Handler = { request in
            let file = request.parameters["file"] ?? ""
            let parts = file.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let now = clock.now
            guard parts.count == 2, ["csv", "json"].contains(parts[1]),
                let table = try await self.table(parts[0], LabQuery(request), at: now)
            else {
                throw HTTPFailure(
                    404, "there is no such table; there are \(Self.names.joined(separator: ", ")), as .csv or .json")
            }
            var response: HTTPResponse =
                parts[1] == "csv"
                ? .text(table.csv, type: "text/csv; charset=utf-8; header=present")
                : .json(table.json(at: now))
            response.fields["Cache-Control"] = "no-store"
            response.fields["X-Content-Type-Options"] = "nosniff"
            if parts[1] == "csv" { response.fields["Content-Disposition"] = "attachment; filename=\"\(file)\"" }
            return response
        }
        router.on("GET", "/tables/:file", handler: guarded(table))
    }

    static let names = [
        "participants", "attention", "compliance", "prompts", "coverage", "wear", "answers", "recordings", "changes",
    ]

    func table(_ name: String, _ query: LabQuery, at now: Instant) async throws -> LabTable? {
        switch name {
        case "participants": try await participantTable(query, now)
        case "attention": try await attention(query, now)
        case "compliance": try await compliance(query, now)
        case "prompts": try await prompts(query, now)
        case "coverage": try await coverage(query, now)
        case "wear": try await wear(query, now)
        case "answers": try await answers(query, now)
        case "recordings": try await recordings(query, now)
        case "changes": try await changes(query)
        default: nil
        }
    }

    // MARK: One by one

    private func participantTable(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        let columns = ParticipantRow.Column.allCases
        let rows = try await participants.gather(days: query.days, at: now).rows.chosen(by: query)
        return LabTable(
            name: "participants", columns: columns.map(\.rawValue), rows: rows.map { row in columns.map(row.value) })
    }

    private func attention(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        let rows = try await participants.gather(days: query.days, at: now).rows.chosen(by: query)
        return LabTable(
            name: "attention",
            columns: ["participant", "label", "study", "device", "kind", "part", "since", "priority", "text"],
            rows: rows.flatMap { row in
                row.attention.map { one in
                    [
                        .string(row.participant), row.value(.label), row.value(.study), row.value(.device),
                        .string(one.kind.rawValue), .text(one.part.isEmpty ? nil : one.part),
                        .string(one.since.rfc3339Zulu()), .int(one.kind.priority), .string(one.text),
                    ]
                }
            })
    }

    /// A row for each participant and day that has prompts, and a column for each way to end that
    /// there is.
    private func compliance(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        let all = try await chosenPrompts(query, now)
        let byParticipant = Dictionary(grouping: all) { [$0.participant, $0.study] }
        var rows: [(name: [String], day: PromptDay)] = []
        for (name, prompts) in byParticipant {
            let days = PromptDay.days(prompts.map(\.outcome), late: .seconds(60 * query.late))
            rows += Participants.latest(days, query.days, at: now).map { (name, $0) }
        }
        rows.sort { ($0.name[0], $0.name[1], $0.day.day) < ($1.name[0], $1.name[1], $1.day.day) }
        let endings = Set(rows.flatMap { $0.day.unanswered.keys }).sorted()
        return LabTable(
            name: "compliance",
            columns: [
                "participant", "study", "day", "promptsOver", "promptsAnswered", "promptsLate", "promptsNotAsked",
            ] + endings,
            rows: rows.map { name, day in
                let counts: [JSONValue] = [day.over, day.answered, day.late, day.notAsked].map { .int($0) }
                return [.string(name[0]), .string(name[1]), .string(day.day.description)] + counts
                    + endings.map { .int(day.unanswered[$0] ?? 0) }
            })
    }

    private func prompts(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        LabTable(
            name: "prompts",
            columns: [
                "participant", "study", "device", "occurrence", "task", "due", "outcome", "reason", "presented",
                "ended", "delaySeconds", "enrolment",
            ],
            rows: try await chosenPrompts(query, now).map { one in
                let prompt = one.outcome
                return [
                    .string(one.participant), .string(one.study), .string(one.device), .string(prompt.occurrence),
                    .string(prompt.task), .string(prompt.due), .string(prompt.outcome), .text(prompt.reason),
                    .text(prompt.presented), .text(prompt.ended), .int(prompt.delay?.components.seconds),
                    .text(one.enrolment),
                ]
            })
    }

    private func chosenPrompts(_ query: LabQuery, _ now: Instant) async throws -> [ParticipantPrompt] {
        let (from, to) = Self.span(query, now)
        let all = try await fleet.prompts(of: query.user, from: from, to: to, limit: Self.limit)
        return all.filter { one in
            (query.study ?? one.study) == one.study && (query.day ?? one.outcome.localDay) == one.outcome.localDay
        }
    }

    private func coverage(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        var rows: [[JSONValue]] = []
        for (participant, study) in try await chosen(query) {
            let found = try await archive.coverage(of: participant, at: now)
            // Summed up is the latest enrolment, which may be in another study.
            let known = Actogram.Known(study == nil || study == found?.study ? found : nil)
            let spans = try await spans(of: participant, in: study, query, now, until: known.until)
            let days = query.day == nil ? query.days ?? .max : .max
            rows += Actogram(spans, known, days: days).rows.filter { $0.day == query.day ?? $0.day }.map { row in
                [
                    .string(participant), .string(row.day.description), .string(row.kind),
                    .int(row.wall > 0 ? row.wall : nil), .int(Int(row.stored.rounded())), .int(Int(row.lost.rounded())),
                    .int(row.wall > 0 ? row.notRecorded : nil),
                ]
            }
            guard rows.count <= Self.limit else { throw Self.tooMany(Self.limit) }
        }
        return LabTable(
            name: "coverage",
            columns: [
                "participant", "day", "channel", "wallSeconds", "storedSeconds", "lostSeconds", "notRecordedSeconds",
            ], rows: rows)
    }

    private func wear(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        let (from, until) = query.span(at: now)
        var (rows, isWhole): ([[JSONValue]], Bool) = ([], true)
        for (participant, study) in try await chosen(query) {
            let found = try await wear.days(in: spans(of: participant, in: study, query, now))
            isWhole = isWhole && found.isWhole
            // Only some recordings of the days before and after were asked for: those days are left out.
            let days = found.days.filter { day, _ in day >= from ?? day && (until.map { day < $0 } ?? true) }
            rows += days.sorted { $0.key < $1.key }.map { day, time in
                [.string(participant), .string(day.description), .int(time.worn), .int(time.notWorn)]
            }
            guard rows.count <= Self.limit else { throw Self.tooMany(Self.limit) }
        }
        guard isWhole else {
            throw HTTPFailure(
                503, "there are many recordings of features that were not read before; some were read now: ask again",
                fields: ["Retry-After": "1"])
        }
        return LabTable(name: "wear", columns: ["participant", "day", "wornSeconds", "notWornSeconds"], rows: rows)
    }

    private func recordings(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        var rows: [[JSONValue]] = []
        for (participant, study) in try await chosen(query) {
            let spans = try await spans(of: participant, in: study, query, now)
            let files = try await archive.files(of: spans)
            rows += spans.map { span in
                let file = span.upload.flatMap { files[$0] }
                return [
                    .string(participant), .string(span.file), .string(span.kind),
                    .string(span.start.rfc3339(offset: span.offset)), .string(span.end.rfc3339(offset: span.offset)),
                    .int(span.stored), .int(span.lost), .array(span.reasons.keys.sorted().map { .string($0) }),
                    .boolean(span.isExtra), .int(file?.number), .int(file?.length), .text(file?.sha256),
                ]
            }
            guard rows.count <= Self.limit else { throw Self.tooMany(Self.limit) }
        }
        return LabTable(
            name: "recordings",
            columns: [
                "participant", "file", "channel", "start", "end", "storedSamples", "lostSamples", "lostBecause",
                "ofTask", "number", "bytes", "sha256",
            ], rows: rows)
    }

    private func answers(_ query: LabQuery, _ now: Instant) async throws -> LabTable {
        let (from, to) = Self.span(query, now)
        let records = try await archive.answers(of: query.user, from: from, to: to, limit: Self.limit + 1)
        guard records.count <= Self.limit else { throw Self.tooMany(Self.limit) }
        let chosen = try await participants.blinding.shown(
            records.filter { record in
                (query.study == nil || record.post["study_id"] == query.study)
                    && (query.day == nil || record.post.writtenTime?.date == query.day)
            })
        return LabTable(
            name: "answers",
            columns: [
                "participant", "study", "id", "module", "moduleName", "due", "answered", "delaySeconds",
                "clockErrorSeconds", "received", "responses",
            ],
            rows: chosen.map { record in
                let post = record.post
                return [
                    .text(post["user_id"]), .text(post["study_id"]), .int(record.id), .text(post["module_index"]),
                    .text(post["module_name"]), .text(post["alert_time"]), .text(post["response_time"]),
                    .int(record.latency?.components.seconds), .measured(post["clock_error_in_s"].flatMap(Double.init)),
                    .string(record.received.rfc3339Zulu()), .text(post["responses"]),
                ]
            })
    }

    private func changes(_ query: LabQuery) async throws -> LabTable {
        LabTable(
            name: "changes", columns: ["id", "at", "by", "client", "kind", "participant", "before", "after"],
            rows: try await register.changes(of: query.user, limit: Self.limit).map { $0.json.members.map(\.value) })
    }

    // MARK: What is asked for

    /// The participants that are asked for, of those that have sent anything; with the study, where it is asked for
    /// and their devices report of several.
    private func chosen(_ query: LabQuery) async throws -> [(participant: String, study: String?)] {
        let reports = Dictionary(grouping: await fleet.all().map(\.report), by: \.participant)
        let reported = reports.mapValues { Set($0.map(\.study)) }
        let users = try await users(query, reported)
        return users.map { ($0, (reported[$0]?.count ?? 0) > 1 ? query.study : nil) }
    }

    private func users(_ query: LabQuery, _ reported: [String: Set<String>]) async throws -> [String] {
        if let user = query.user { return [user] }
        let users = try await archive.devices(limit: Participants.most).map(\.user).sorted()
        guard let study = query.study else { return users }
        let sent = try await archive.studies(of: users.filter { reported[$0] == nil })
        return users.filter { user in reported[user]?.contains(study) ?? (sent[user] == study) }
    }

    /// The recordings of the days that are asked for, of `study` where it is not nil; the latest days are those
    /// before `until`.
    private func spans(
        of participant: String, in study: String?, _ query: LabQuery, _ now: Instant, until: Instant? = nil
    ) async throws -> [RecordedSpan] {
        try await descriptions.allSpans(
            of: participant, in: study, from: Self.span(query, min(now, until ?? now)).from,
            to: Self.span(query, now).to)
    }

    /// The days that are asked for, with a day to spare at both ends: a participant's day is not UTC's.
    private static func span(_ query: LabQuery, _ now: Instant) -> (from: Instant, to: Instant) {
        if let day = query.day { return day.withSpareDays }
        guard let days = query.days else { return (.epoch, .distantFuture) }
        return (now - .seconds(86_400 * (days + 1)), now + .seconds(86_400))
    }
}
