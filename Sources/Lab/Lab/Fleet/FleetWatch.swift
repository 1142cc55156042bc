// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// Looks at the fleet for `FleetService` and notices what begins to need attention and what no longer does;
/// each such change is one notice, which waits on the disk until the webhook has taken it.
actor FleetWatch {
    struct View: Sendable {
        let now: Instant
        let devices: [FleetDevice]
        /// By `FleetDevice.id`, the most urgent first; `since` is when it was noticed or, where the device
        /// knows better, began.
        let attention: [String: [Attention]]
        /// Exchanged for another device, or enrolled again.
        let replaced: Set<String>
        let newestVersion: String?
        let expectedVersion: String?
        /// Why the limits of the folder are not in force.
        let limitsProblem: String?

        /// The devices that take part, or took part last, in their participants' names.
        var present: [FleetDevice] { devices.filter { !replaced.contains($0.id) } }
    }

    private let archive: FleetArchive
    private let keys: DeviceKeys
    private let connection: Connection
    private let limitsFile: String
    private let expectedVersion: String?
    private let listeningSince: Instant
    private let makesNotices: Bool
    private let report: @Sendable (String) -> Void
    private var limits = FleetLimits.Table()
    private var limitsProblem: String?
    /// What was true at the last `look`: by `FleetDevice.id` and `Attention.key`, since when.
    private var standing: [String: [String: Instant]] = [:]
    /// Further ones are dropped, the oldest first.
    private static let noticesKept: Int64 = 500
    private static let attemptsMade = 12

    init(
        _ location: Connection.Location, archive: FleetArchive, keys: DeviceKeys, limitsFile: String,
        expectedVersion: String?, makesNotices: Bool, since: Instant, report: @escaping @Sendable (String) -> Void
    ) throws {
        (self.archive, self.keys, self.limitsFile, self.report) = (archive, keys, limitsFile, report)
        (self.expectedVersion, self.makesNotices, listeningSince) = (expectedVersion, makesNotices, since)
        connection = try Connection(location)
        try Schema(
            version: 1,
            """
            CREATE TABLE standing (
                device TEXT NOT NULL, key TEXT NOT NULL, since INTEGER NOT NULL, title TEXT NOT NULL,
                PRIMARY KEY (device, key)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE notice (
                id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, priority INTEGER NOT NULL,
                tags TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL
            ) STRICT;
            """
        ).prepare(connection)
        standing = try Self.load(connection)
    }

    /// By their titles, as `FleetChange` words them.
    static let participantRows: ParticipantRows = {
        let words = Attention.Kind.allCases.flatMap(FleetChange.words(of:)).map { "'\($0)'" }
        let isTheirs = """
            substr(title, 1, length(?1) + 2) = ?1 || ': '
            AND substr(title, length(?1) + 3) IN (\(words.joined(separator: ", ")))
            """
        return ParticipantRows(
            "fleet-watch.sqlite",
            [.init("standing", "alarm", where: isTheirs), .init("notice", "notice", where: isTheirs)])
    }()

    private static func load(_ connection: Connection) throws -> [String: [String: Instant]] {
        var standing: [String: [String: Instant]] = [:]
        try connection.forEach("SELECT device, key, since FROM standing") { row in
            standing[try row.string(0), default: [:]][try row.string(1)] = Instant(milliseconds: try row.int(2))
        }
        return standing
    }

    /// Looks now, and notes what has changed. Only `FleetService` may call it: of two calls at once, the one
    /// that ends last may have seen the older state.
    @discardableResult
    func look(at now: Instant) async throws -> View {
        let view = try await view(at: now)
        try note(view.attention, of: view.devices, at: now)
        return view
    }

    /// What the page and `/api/fleet` show.
    func view(at now: Instant) async throws -> View {
        readLimits()
        let devices = await archive.all()
        let rules = FleetRules(
            now: now, listeningSince: listeningSince, limits: limits, expectedVersion: expectedVersion,
            keyWarnings: try await keys.warnings())
        var found = rules.attention(of: devices, standing: standing)
        for (device, all) in found {
            let known = standing[device] ?? [:]
            found[device] = all.sorted { $0.kind.rank < $1.kind.rank }.map { $0.backdated(to: known[$0.key]) }
        }
        let namesakes = Dictionary(grouping: devices, by: \.name)
        let replaced = devices.filter { device in
            rules.isReplaced(device, by: (namesakes[device.name] ?? []).filter { $0.id != device.id })
        }
        return View(
            now: now, devices: devices, attention: found, replaced: Set(replaced.map(\.id)),
            newestVersion: FleetRules.newest(devices.compactMap(\.report.version)), expectedVersion: expectedVersion,
            limitsProblem: limitsProblem)
    }

    private func readLimits() {
        do {
            limits = try FleetLimits.Table.read(limitsFile)
            limitsProblem = nil
        } catch {
            let problem = Explanation(error).description
            if limitsProblem != problem { report(problem) }
            limitsProblem = problem
        }
    }

    // MARK: Changes

    private func note(_ found: [String: [Attention]], of devices: [FleetDevice], at now: Instant) throws {
        let byDevice = Dictionary(devices.map { ($0.id, $0) }) { first, _ in first }
        var changes: [FleetChange] = []
        for (device, all) in found {
            let known = standing[device] ?? [:]
            changes += all.filter { known[$0.key] == nil }.map { .init(device, byDevice[device], begun: $0) }
        }
        for (device, known) in standing {
            let all = found[device] ?? []
            let now = Set(all.map(\.key))
            let isRevoked = all.contains { $0.kind == .revoked }
            changes += known.keys.filter { !now.contains($0) }
                .map { .init(device, byDevice[device], ended: $0, isRevoked: isRevoked) }
        }
        guard !changes.isEmpty else { return }
        try connection.transaction { for change in changes { try write(change, at: now) } }
        for change in changes { standing[change.device, default: [:]][change.key] = change.begun?.since }
    }

    private func write(_ change: FleetChange, at now: Instant) throws {
        if let begun = change.begun {
            try connection.run(
                "INSERT OR REPLACE INTO standing VALUES (?, ?, ?, ?)", change.device, change.key,
                begun.since.milliseconds, change.title)
        } else {
            try connection.run("DELETE FROM standing WHERE device = ? AND key = ?", change.device, change.key)
        }
        guard makesNotices else { return }
        try connection.run(
            "INSERT INTO notice (title, body, priority, tags, attempts, due) VALUES (?, ?, ?, ?, 0, ?)", change.title,
            change.body, change.priority, change.tags, now.milliseconds)
        try connection.run("DELETE FROM notice WHERE id <= ?", connection.lastInsertedRow - Self.noticesKept)
    }

    // MARK: Notices

    func nextNotice(at now: Instant) throws -> FleetNotice? {
        try connection.first(
            "SELECT id, title, body, priority, tags, attempts FROM notice WHERE due <= ? ORDER BY id LIMIT 1",
            now.milliseconds
        ) { row in
            FleetNotice(
                id: try row.int(0), title: try row.string(1), body: try row.string(2), priority: Int(try row.int(3)),
                tags: try row.string(4), attempts: Int(try row.int(5)))
        }
    }

    /// Deletes a notice that was taken or will never be; else all notices wait, twice as long after each of a
    /// dozen attempts, 17 hours in all.
    func note(_ answer: WebhookAnswer, to notice: FleetNotice, at now: Instant) throws {
        switch answer {
        case .taken: try connection.run("DELETE FROM notice WHERE id = ?", notice.id)
        case .refused(let why): try giveUp(notice, why)
        case .later(let why) where notice.attempts + 1 >= Self.attemptsMade: try giveUp(notice, why)
        case .later:
            // The webhook would not take the notices after it either, so they wait, too.
            let due = now + .seconds(30 << notice.attempts)
            try connection.run("UPDATE notice SET due = max(due, ?)", due.milliseconds)
            try connection.run("UPDATE notice SET attempts = attempts + 1 WHERE id = ?", notice.id)
        }
    }

    private func giveUp(_ notice: FleetNotice, _ why: String) throws {
        report("webhook: \(notice.title): given up: \(why)")
        try connection.run("DELETE FROM notice WHERE id = ?", notice.id)
    }
}
