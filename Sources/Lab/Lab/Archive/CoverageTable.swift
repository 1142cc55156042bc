// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// How much of each device's time is recorded, summed up as descriptions come: a page costs the same however
/// many there are. Used within the actor `Archive` only, which makes a `Coverage` of it.
struct CoverageTable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// In `covered` the empty `reason` stands for what is stored, any other for what is lost by it.
    static let tables = """
        CREATE TABLE enrolled (
            user TEXT PRIMARY KEY, enrolment TEXT NOT NULL, study TEXT NOT NULL, moment INTEGER, channels TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE covered (
            user TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, milliseconds INTEGER NOT NULL,
            PRIMARY KEY (user, kind, reason)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE coveredSpan (
            user TEXT NOT NULL, kind TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
            PRIMARY KEY (user, kind)
        ) STRICT, WITHOUT ROWID;
        """

    /// Notes what the metadata of an upload says. A later enrolment of the same participant deletes what was
    /// summed up of the one before.
    func noteEnrolment(_ new: DeviceEnrolment, of user: String) throws {
        try connection.transaction {
            if let known = try enrolled(user), known.enrolment != new.enrolment {
                // An upload that was left over from an earlier enrolment says nothing of this one.
                if let moment = known.moment, new.moment.map({ $0 <= moment }) ?? true { return }
                for table in ["covered", "coveredSpan", "enrolled"] {
                    try connection.run("DELETE FROM \(table) WHERE user = ?", user)
                }
            }
            try connection.run(
                """
                INSERT INTO enrolled VALUES (?, ?, ?, ?, ?) ON CONFLICT (user) DO UPDATE SET
                moment = coalesce(excluded.moment, moment), channels = iif(excluded.channels = '', channels, excluded.channels)
                """, user, new.enrolment, new.study, new.moment?.milliseconds, new.channels.joined(separator: " "))
        }
    }

    private func enrolled(_ user: String) throws -> DeviceEnrolment? { try enrolments(of: user)[user] }

    /// Counts a recording by its description, unless it is of an earlier enrolment.
    func noteRecording(_ span: RecordedSpan, of user: String, enrolment: String?) throws {
        guard !span.isExtra, !span.isOfEvents, user != "" else { return }
        if let enrolment, let known = try enrolled(user)?.enrolment, known != enrolment { return }
        let (seconds, attoseconds) = (span.end - span.start).components
        let length = Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000_000)
        // The recording's time, divided in proportion to its samples: stored, and lost by each reason.
        let whole = Double(max(1, span.stored + span.lost))
        var parts = span.reasons.mapValues { length * Double($0) / whole }
        parts[""] = length * span.share
        try connection.transaction {
            for (reason, milliseconds) in parts where milliseconds >= 1 {
                try connection.run(
                    """
                    INSERT INTO covered VALUES (?, ?, ?, ?)
                    ON CONFLICT (user, kind, reason) DO UPDATE SET milliseconds = milliseconds + excluded.milliseconds
                    """, user, span.kind, reason, Int64(milliseconds))
            }
            try connection.run(
                """
                INSERT INTO coveredSpan VALUES (?, ?, ?, ?) ON CONFLICT (user, kind) DO UPDATE SET
                first = min(first, excluded.first), last = max(last, excluded.last)
                """, user, span.kind, span.start.milliseconds, span.end.milliseconds)
        }
    }

    /// The coverage of all participants, in as many statements as for one.
    func coverages(at now: Instant) throws -> [String: Coverage] { try coverages(of: nil, at: now) }

    /// The coverage of a device's channels; nil where neither its enrolment nor a
    /// recording is known.
    func coverage(of user: String, at now: Instant) throws -> Coverage? { try coverages(of: user, at: now)[user] }

    private func coverages(of user: String?, at now: Instant) throws -> [String: Coverage] {
        let (enrolments, channels) = (try enrolments(of: user), try channels(of: user))
        var coverages: [String: Coverage] = [:]
        for user in Set(enrolments.keys).union(channels.keys) {
            let (enrolment, known) = (enrolments[user], channels[user] ?? [])
            let missing = (enrolment?.channels ?? []).filter { kind in
                kind != "buttons" && !known.contains { $0.kind == kind }
            }
            let all = known + missing.map { .init(kind: $0, first: nil, last: nil) }
            coverages[user] = Coverage(all.sorted { $0.kind < $1.kind }, since: enrolment?.moment, at: now)
            coverages[user]?.study = enrolment?.study
        }
        return coverages
    }

    private func enrolments(of user: String?) throws -> [String: DeviceEnrolment] {
        var enrolments: [String: DeviceEnrolment] = [:]
        try forEach("user, enrolment, study, moment, channels FROM enrolled", of: user) { row in
            enrolments[try row.string(0)] = DeviceEnrolment(
                enrolment: try row.string(1), study: try row.string(2),
                moment: try row.intOrNil(3).map { Instant(milliseconds: $0) },
                channels: try row.string(4).split(separator: " ").map(String.init))
        }
        return enrolments
    }

    private func channels(of user: String?) throws -> [String: [Coverage.Channel]] {
        let sums = try sums(of: user)
        var channels: [String: [Coverage.Channel]] = [:]
        try forEach("user, kind, first, last FROM coveredSpan", of: user, limit: Self.mostChannels) { row in
            let (user, kind) = (try row.string(0), try row.string(1))
            var lost = sums[user]?[kind] ?? [:]
            let stored = lost.removeValue(forKey: "") ?? 0
            channels[user, default: []].append(
                .init(
                    kind: kind, first: Instant(milliseconds: try row.int(2)),
                    last: Instant(milliseconds: try row.int(3)), stored: stored, lost: lost))
        }
        return channels
    }

    /// Milliseconds by participant, kind and reason.
    private func sums(of user: String?) throws -> [String: [String: [String: Int64]]] {
        var sums: [String: [String: [String: Int64]]] = [:]
        // By reason, so that the empty one, of what is stored, comes first for each channel.
        try forEach(
            "user, kind, reason, milliseconds FROM covered", of: user, order: "ORDER BY reason",
            limit: 100 * Self.mostChannels
        ) { row in
            sums[try row.string(0), default: [:]][try row.string(1), default: [:]][try row.string(2)] = try row.int(3)
        }
        return sums
    }

    /// The channels of one participant that are read, at most.
    private static let mostChannels = 100

    /// Rows of one participant, `limit` at most, or all rows of all.
    private func forEach(
        _ columns: String, of user: String?, order: String = "", limit: Int = 1, _ body: (Row) throws -> Void
    ) throws {
        let filter = user == nil ? order : "WHERE user = ? \(order) LIMIT \(limit)"
        let values = user.map { [$0] as [any DatabaseBindable] } ?? []
        try connection.forEach("SELECT \(columns) \(filter)", values: values, body)
    }
}
