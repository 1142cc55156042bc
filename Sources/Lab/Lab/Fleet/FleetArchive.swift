// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Dataset
import SystemKit

/// What devices have reported: the latest of each in memory and on the disk, how each prompt ended,
/// a short history, and what their manifests name. In its own database, `fleet.sqlite`.
/// `FleetRoutes` calls `take` with what devices send, `Mirror` with what lies in a bucket or on a stick.
actor FleetArchive {
    private let connection: Connection
    private var devices: [String: FleetDevice] = [:]
    /// SQLite's `data_version`: changes when another program has written to the file.
    private var dataVersion: Int64?

    /// A hostile client cannot fill the disk with devices: of those without a good key, this many are kept.
    private static let mostDevices = 10_000
    /// The most devices without a good key that report from one address.
    static let mostDevicesOfOne = 500
    /// The most rows of one source; the oldest are deleted.
    private static let promptsKept = 5000
    private static let trendsKept = 240
    private static let producedKept = 100_000

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        try Schema(version: 2, Self.tables).prepare(connection)
        try connection.execute("CREATE INDEX IF NOT EXISTS promptOfParticipant ON prompt (participant, moment)")
        try connection.execute("CREATE INDEX IF NOT EXISTS producedOfParticipant ON produced (participant)")
        try connection.execute(
            """
            CREATE INDEX IF NOT EXISTS promptOfRule ON prompt (study, task) WHERE instr(occurrence, '/rule.') > 0
            """)
        devices = try Self.load(connection)
        dataVersion = try Self.dataVersion(connection)
    }

    /// For `Mirror`: from now on commits wait for the disk only in `flush`.
    func flushLater() throws { try connection.flushLater() }
    func flush() throws { try connection.flush() }

    private static func dataVersion(_ connection: Connection) throws -> Int64? {
        try connection.first("PRAGMA data_version") { try $0.int(0) }
    }

    /// Reads the devices again where another program has written: `study-receiver devices forget` runs beside
    /// the server.
    private func refresh() throws {
        let version = try Self.dataVersion(connection)
        guard version != dataVersion else { return }
        devices = try Self.load(connection)
        dataVersion = version
    }

    /// `device` is a source (`FleetSource`): the enrolment of a device in a study. A device has had several.
    private static let tables = """
        CREATE TABLE device (
            device TEXT PRIMARY KEY, first INTEGER NOT NULL, received INTEGER NOT NULL, client TEXT NOT NULL,
            keyed INTEGER NOT NULL, report TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX deviceOfClient ON device (client);
        CREATE TABLE prompt (
            device TEXT NOT NULL, occurrence TEXT NOT NULL, study TEXT NOT NULL, participant TEXT NOT NULL,
            moment INTEGER NOT NULL, task TEXT NOT NULL, due TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT,
            presented TEXT, ended TEXT, opened TEXT, presses TEXT, clockError REAL,
            PRIMARY KEY (device, occurrence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX promptByMoment ON prompt (device, moment);
        CREATE TABLE trend (
            device TEXT NOT NULL, received INTEGER NOT NULL, free INTEGER, battery REAL, temperature REAL,
            waiting INTEGER, PRIMARY KEY (device, received)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE produced (
            device TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, participant TEXT NOT NULL, day TEXT NOT NULL,
            name TEXT, sha256 TEXT, bytes INTEGER, count INTEGER, state TEXT NOT NULL, why TEXT,
            received INTEGER NOT NULL, here INTEGER NOT NULL, PRIMARY KEY (device, kind, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX producedByDay ON produced (device, day);
        CREATE INDEX producedAbsent ON produced (device, day) WHERE here = 0 AND why IS NULL;
        CREATE TABLE manifest (
            device TEXT NOT NULL, day TEXT NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
            PRIMARY KEY (device, day, part)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE posted (sha256 BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        """

    private static let participant = "iif(json_valid(report), json_extract(report, '$.participant'), NULL)"

    static let participantRows: ParticipantRows = {
        let isTheirs = """
            device IN (SELECT device FROM device WHERE \(participant) = ?1 UNION
                SELECT device FROM prompt WHERE participant = ?1 UNION
                SELECT device FROM produced WHERE participant = ?1)
            OR instr(device, char(31) || ?1 || char(31)) > 0 AND device NOT IN (SELECT device FROM device)
            """
        return ParticipantRows(
            "fleet.sqlite", version: 2,
            names: ["device": participant, "prompt": "participant", "produced": "participant"],
            [
                .init(
                    "posted", nil, where: "lower(hex(sha256)) IN (SELECT sha256 FROM produced WHERE participant = ?1)"),
                .init("trend", "report", where: isTheirs), .init("manifest", "manifest", where: isTheirs),
                .init("prompt", "outcome", where: "participant = ?1"),
                .init("produced", "listed item", where: "participant = ?1"),
                .init("device", "enrolment", where: "\(participant) = ?1"),
            ])
    }()

    private static func load(_ connection: Connection) throws -> [String: FleetDevice] {
        var devices: [String: FleetDevice] = [:]
        try connection.forEach("SELECT device, first, received, keyed, report FROM device") { row in
            guard let report = try? DeviceReport(try JSONReader.value(try row.string(4))) else { return }
            devices[try row.string(0)] = FleetDevice(
                report: report, first: Instant(milliseconds: try row.int(1)),
                received: Instant(milliseconds: try row.int(2)), isKeyed: try row.bool(3))
        }
        for device in devices.keys { try devices[device]?.recount(prompts(of: device, connection)) }
        return devices
    }

    // MARK: Reports

    /// Takes a report in. Throws 507 where it is of one device too many.
    func take(_ report: DeviceReport, isKeyed: Bool, from client: String, at now: Instant) throws {
        try refresh()
        let id = report.source
        let known = devices[id]
        if known == nil, !isKeyed { try checkRoom(for: client) }
        let isLatest = known.map { !report.isStale(beside: $0.report) } ?? true
        var device = known ?? FleetDevice(report: report.withoutPrompts, first: now, received: now, isKeyed: isKeyed)
        if isLatest { (device.report, device.isKeyed) = (report.withoutPrompts, isKeyed) }
        // Not the later of both: this server's clock may have been put back.
        device.received = now
        try connection.transaction {
            // A later report has told what this one takes back, and perhaps what came of those prompts since.
            if isLatest { try remove(report.returned, of: id) }
            for prompt in report.prompts {
                try note(prompt, of: id, report.study, report.participant, replaces: isLatest)
            }
            if !report.prompts.isEmpty || !report.returned.isEmpty {
                try keepLatest("prompt", ["moment", "occurrence"], Self.promptsKept, of: id)
                device.recount(try Self.prompts(of: id, connection))
            }
            try connection.run(
                """
                INSERT INTO device VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (device) DO UPDATE SET
                received = excluded.received, client = excluded.client, keyed = excluded.keyed, report = excluded.report
                """, id, device.first.milliseconds, now.milliseconds, client, device.isKeyed,
                device.report.json.text)
            if isLatest { try noteTrend(report, at: now) }
        }
        devices[id] = device
    }

    private func checkRoom(for client: String) throws {
        let ofOne = try connection.first("SELECT count(*) FROM device WHERE client = ? AND keyed = 0", client) {
            try $0.int(0)
        }
        let ofAll = devices.values.count(where: { !$0.isKeyed })
        guard ofAll < Self.mostDevices, ofOne ?? 0 < Int64(Self.mostDevicesOfOne) else {
            throw HTTPFailure(
                507, "too many devices without a key report from there; use --device-keys, or remove some")
        }
    }

    private func note(
        _ prompt: PromptOutcome, of source: String, _ study: String, _ participant: String, replaces: Bool
    ) throws {
        try connection.run(
            """
            INSERT OR \(replaces ? "REPLACE" : "IGNORE") INTO prompt
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, source, prompt.occurrence, study, participant, prompt.dueInstant.milliseconds, prompt.task, prompt.due,
            prompt.outcome, prompt.reason, prompt.presented, prompt.ended, prompt.opened, prompt.presses?.text,
            prompt.clockError)
    }

    /// Outcomes that a wrong clock brought; those prompts come again.
    private func remove(_ returned: [String], of source: String) throws {
        for occurrence in returned {
            try connection.run("DELETE FROM prompt WHERE device = ? AND occurrence = ?", source, occurrence)
        }
    }

    private func hasReported(_ source: String, since moment: Instant) throws -> Bool {
        let at: String? =
            try connection.first(
                "SELECT iif(json_valid(report), json_extract(report, '$.at'), NULL) FROM device WHERE device = ?",
                source
            ) { try $0.stringOrNil(0) } ?? nil
        return at.flatMap(Instant.parsed).map { $0 >= moment } ?? false
    }

    private func noteTrend(_ report: DeviceReport, at now: Instant) throws {
        try connection.run(
            "INSERT OR REPLACE INTO trend VALUES (?, ?, ?, ?, ?, ?)", report.source, now.milliseconds, report.diskFree,
            report.battery, report.temperature, report.outboxWaiting)
        try keepLatest("trend", ["received"], Self.trendsKept, of: report.source)
    }

    /// Deletes all but the last rows of a source; no two may be equal in the columns of `order`, or both would go.
    private func keepLatest(_ table: String, _ order: [String], _ kept: Int, of source: String) throws {
        let columns = order.joined(separator: ", ")
        try connection.run(
            """
            DELETE FROM \(table) WHERE device = ?1 AND (\(columns)) <= (SELECT \(columns) FROM \(table)
            WHERE device = ?1 ORDER BY \(order.map { $0 + " DESC" }.joined(separator: ", ")) LIMIT 1 OFFSET ?2)
            """, source, kept)
    }

    /// A prompt that a rule raised would tell what was drawn for the participant: only an unblinded dataset
    /// has it.
    private static let isShown = "instr(occurrence, '/rule.') = 0"

    /// The latest prompts of a source, newest first.
    private static func prompts(
        of source: String, limit: Int = promptsKept, _ connection: Connection
    ) throws -> [PromptOutcome] {
        try connection.rows(
            """
            SELECT \(outcomeColumns) FROM prompt WHERE device = ? AND \(isShown)
            ORDER BY moment DESC LIMIT ?
            """, source, limit, read: outcome)
    }

    private static let outcomeColumns =
        "occurrence, task, due, outcome, reason, presented, ended, opened, presses, clockError"

    private static func outcome(_ row: Row) throws -> PromptOutcome {
        PromptOutcome(
            occurrence: try row.string(0), task: try row.string(1), due: try row.string(2), outcome: try row.string(3),
            reason: try row.stringOrNil(4), presented: try row.stringOrNil(5), ended: try row.stringOrNil(6),
            opened: try row.stringOrNil(7), presses: try row.stringOrNil(8).flatMap { try? JSONReader.value($0) },
            clockError: row[9] == .null ? nil : try row.double(9))
    }

    /// Sorted by participant.
    func all() -> [FleetDevice] {
        try? refresh()
        return devices.values.sorted { ($0.report.participant, $0.id) < ($1.report.participant, $1.id) }
    }

    func sources(of device: String) -> [String] {
        devices.keys.filter { FleetSource($0).device == device }.sorted()
    }

    func prompts(of source: String, limit: Int) throws -> [PromptOutcome] {
        try Self.prompts(of: source, limit: limit, connection)
    }

    /// The prompts of all participants, or of one, that were due between these moments, by participant,
    /// oldest first; throws 413 where there are more than `limit`.
    func prompts(of participant: String?, from: Instant, to: Instant, limit: Int) throws -> [ParticipantPrompt] {
        let found = try connection.rows(
            """
            SELECT \(Self.outcomeColumns), device, study, participant FROM prompt
            WHERE \(participant == nil ? "" : "participant = ?1 AND ")\(Self.isShown) AND moment >= ?2 AND moment < ?3
            ORDER BY participant, moment, occurrence LIMIT ?4
            """, participant, from.milliseconds, to.milliseconds, limit + 1
        ) { row in
            let source = try row.string(10)
            return ParticipantPrompt(
                participant: try row.string(12), study: try row.string(11), device: FleetSource(source).device,
                enrolment: FleetSource(source).enrolment, outcome: try Self.outcome(row))
        }
        guard found.count <= limit else { throw LabTables.tooMany(limit) }
        return found
    }

    /// What a source's latest reports said, oldest first.
    func trend(of source: String) throws -> [FleetTrend] {
        try connection.rows(
            "SELECT received, free, battery, temperature, waiting FROM trend WHERE device = ? ORDER BY received", source
        ) { row in
            func number(_ column: Int) throws -> Double? { row[column] == .null ? nil : try row.double(column) }
            return FleetTrend(
                received: Instant(milliseconds: try row.int(0)), free: try number(1), battery: try number(2),
                temperature: try number(3), waiting: try number(4))
        }
    }

    /// Removes what devices in that participant's name have reported, and what `mirror` knows of them
    /// without a report, and returns how much of each. What they delivered is not here.
    func forget(_ participant: String) throws -> [String] {
        let forgotten = try connection.transaction {
            let counts = try Self.participantRows.counts(of: participant, in: connection)
            for table in Self.participantRows.tables where table.name != "posted" {
                try connection.run("DELETE FROM \(table.name) WHERE \(table.condition)", participant)
            }
            return counts
        }
        devices = try Self.load(connection)
        return forgotten
    }

    // MARK: Manifests

    /// Takes a manifest in; `here` are the indices of those of its entries that have arrived. What has
    /// arrived once stays noted as such.
    func take(_ manifest: DeviceManifest, here: Set<Int>, at now: Instant) throws {
        try connection.transaction {
            for (index, entry) in manifest.entries.enumerated() {
                try connection.run(
                    """
                    INSERT INTO produced VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (device, kind, id) DO UPDATE SET day = excluded.day, name = excluded.name,
                    sha256 = excluded.sha256, bytes = excluded.bytes, count = excluded.count, state = excluded.state,
                    why = excluded.why, here = max(here, excluded.here)
                    """, manifest.source, entry.kind, entry.id, manifest.participant, manifest.day, entry.name,
                    entry.sha256, entry.bytes, entry.count, entry.state, entry.why, now.milliseconds,
                    here.contains(index))
            }
            try connection.run(
                "INSERT OR REPLACE INTO manifest VALUES (?, ?, ?, ?)", manifest.source, manifest.day, manifest.part,
                manifest.parts)
            try keepLatest("produced", ["day", "kind", "id"], Self.producedKept, of: manifest.source)
        }
    }

    /// In a copy of the database, beside which something was lost: what had arrived is looked for again. Without
    /// the answers, they are forgotten.
    static func forgetArrivals(in copy: String, andAnswers isWithoutAnswers: Bool) throws {
        let connection = try Connection(.file(copy))
        if try Schema.has(participantRows.version, connection) {
            try connection.run("UPDATE produced SET here = 0")
            if isWithoutAnswers { try connection.run("DELETE FROM posted") }
        }
        try connection.leaveWriteAheadLog()
    }

    func manifestCount(of source: String) throws -> Int {
        try connection.first("SELECT count(*) FROM manifest WHERE device = ?", source) { Int(try $0.int(0)) } ?? 0
    }

    /// Takes in how prompts ended as a segment of a device's log says, which `Mirror` reads, and what
    /// was taken back in it. A report that was made after the segment's `end` has told both, and
    /// perhaps what came of those prompts since: then only prompts without a row are taken in. One
    /// that the report took back has none, so that it comes again and stays until its next outcome
    /// arrives. Segments are to come in their order.
    func take(
        _ prompts: [PromptOutcome], returned: [String] = [], end: Instant = .distantFuture, study: String,
        participant: String, enrolment: String
    ) throws {
        let source = FleetSource.id(study: study, device: participant, enrolment: enrolment)
        try connection.transaction {
            let isOvertaken = try hasReported(source, since: end)
            if !isOvertaken { try remove(returned, of: source) }
            for prompt in prompts { try note(prompt, of: source, study, participant, replaces: !isOvertaken) }
            try keepLatest("prompt", ["moment", "occurrence"], Self.promptsKept, of: source)
        }
        try devices[source]?.recount(Self.prompts(of: source, connection))
    }

    /// Notes the digest of an answer's body, by which a manifest names it.
    func notePosted(_ body: [UInt8]) throws {
        _ = try connection.transaction(flushing: false) {
            try connection.run("INSERT OR IGNORE INTO posted VALUES (?)", try Digest(of: body).bytes)
        }
    }

    func hasPosted(_ sha256: String) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM posted WHERE sha256 = ?", [UInt8](hexadecimal: sha256))
    }

    /// Whether that source has reported; `FleetRoutes` refuses manifests of one that has not.
    func knows(_ source: String) -> Bool { devices[source] != nil }

    /// The entries of manifests that had not arrived when they were last looked for, and whose absence the
    /// manifest does not explain.
    func absent(limit: Int) throws -> [ProducedItem] {
        try connection.rows(
            """
            SELECT device, kind, id, participant, day, name, sha256, bytes, count, state, why, received FROM produced
            WHERE here = 0 AND why IS NULL ORDER BY device, day, kind, id LIMIT ?
            """, limit
        ) { row in
            ProducedItem(
                device: try row.string(0), participant: try row.string(3), day: try row.string(4),
                received: Instant(milliseconds: try row.int(11)),
                entry: .init(
                    kind: try row.string(1), id: try row.string(2), name: try row.stringOrNil(5),
                    sha256: try row.stringOrNil(6), bytes: try row.intOrNil(7), count: try row.intOrNil(8),
                    state: try row.string(9), why: try row.stringOrNil(10)))
        }
    }

    func noteHere(_ items: [ProducedItem]) throws {
        try connection.transaction {
            for item in items {
                try connection.run(
                    "UPDATE produced SET here = 1 WHERE device = ? AND kind = ? AND id = ?", item.device,
                    item.entry.kind, item.entry.id)
            }
        }
    }

    /// Days without a whole manifest between the first and the last of each device.
    func daysWithoutManifest() throws -> [(source: String, day: String)] {
        let whole = try connection.rows(
            "SELECT device, day FROM manifest GROUP BY device, day HAVING count(*) >= max(parts) ORDER BY device, day"
        ) { (source: try $0.string(0), day: try $0.string(1)) }
        var missing: [(source: String, day: String)] = []
        for (one, next) in zip(whole, whole.dropFirst()) where one.source == next.source {
            guard let from = try? LocalDate(parsing: one.day), let to = try? LocalDate(parsing: next.day) else {
                continue
            }
            missing += from.daysWithoutManifest(before: to).map { (source: one.source, day: $0.description) }
        }
        return missing
    }
}

extension FleetDevice {
    /// Replaces both counts by day with those of these prompts, which are all that are kept of the device.
    fileprivate mutating func recount(_ prompts: [PromptOutcome]) {
        days = [:]
        for prompt in prompts where prompt.counts {
            days[prompt.day, default: PromptCount()].over += 1
            if prompt.isAnswered { days[prompt.day, default: PromptCount()].answered += 1 }
        }
        promptDays = PromptDay.days(prompts, late: .seconds(60 * LabQuery.usualLate))
    }
}
