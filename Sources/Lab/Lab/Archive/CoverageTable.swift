// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// How much of each device's time is recorded, summed up as descriptions come: a page costs the
/// same however many there are. Used within the actor `Archive` only.
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

    private func enrolled(_ user: String) throws -> DeviceEnrolment? {
        try connection.first("SELECT enrolment, study, moment, channels FROM enrolled WHERE user = ?", user) { row in
            DeviceEnrolment(
                enrolment: try row.string(0), study: try row.string(1),
                moment: try row.intOrNil(2).map { Instant(milliseconds: $0) },
                channels: try row.string(3).split(separator: " ").map(String.init))
        }
    }

    /// Counts a recording by its description, unless it is of an earlier enrolment.
    func noteRecording(_ span: RecordedSpan, of user: String, enrolment: String?) throws {
        guard !span.isExtra, !span.isOfEvents, user != "" else { return }
        if let enrolment, let known = try enrolled(user)?.enrolment, known != enrolment { return }
        let length =
            Double((span.end - span.start).components.seconds) * 1000
            + Double((span.end - span.start).components.attoseconds / 1_000_000_000_000_000)
        // The recording's time, divided in proportion to its samples: stored, and lost by each reason.
        let whole = Double(max(1, span.stored + span.lost))
        var parts = span.reasons.mapValues { length * Double($0) / whole }
        parts[""] = length * span.share
        try connection.transaction {
            for (reason, part) in parts where part >= 1 {
                try connection.run(
                    """
                    INSERT INTO covered VALUES (?, ?, ?, ?)
                    ON CONFLICT (user, kind, reason) DO UPDATE SET milliseconds = milliseconds + excluded.milliseconds
                    """, user, span.kind, reason, Int64(part))
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
        // A negative limit is none (https://sqlite.org/lang_select.html#limitoffset).
        let (filter, limit) = user == nil ? ("", -1) : ("WHERE user = ?", 100)
        let values: [any DatabaseBindable] = if let user { [user] } else { [] }
        var enrolled: [String: (moment: Instant?, channels: [String], study: String)] = [:]
        try connection.forEach("SELECT user, moment, channels, study FROM enrolled \(filter)", values: values) { row in
            enrolled[try row.string(0)] = (
                try row.intOrNil(1).map { Instant(milliseconds: $0) },
                try row.string(2).split(separator: " ").map(String.init), try row.string(3)
            )
        }
        var parts: [String: [String: [String: Int64]]] = [:]
        try connection.forEach(
            // By reason, so that the empty one, of what is stored, comes first for each channel.
            "SELECT user, kind, reason, milliseconds FROM covered \(filter) ORDER BY reason LIMIT \(100 * limit)",
            values: values
        ) { row in
            parts[try row.string(0), default: [:]][try row.string(1), default: [:]][try row.string(2)] = try row.int(3)
        }
        var channels: [String: [Coverage.Channel]] = [:]
        try connection.forEach(
            "SELECT user, kind, first, last FROM coveredSpan \(filter) LIMIT \(limit)", values: values
        ) { row in
            let (user, kind) = (try row.string(0), try row.string(1))
            var lost = parts[user]?[kind] ?? [:]
            let stored = lost.removeValue(forKey: "") ?? 0
            channels[user, default: []].append(
                .init(
                    kind: kind, first: Instant(milliseconds: try row.int(2)),
                    last: Instant(milliseconds: try row.int(3)), stored: stored, lost: lost))
        }
        var found: [String: Coverage] = [:]
        for user in Set(enrolled.keys).union(channels.keys) {
            let (known, expected) = (channels[user] ?? [], enrolled[user]?.channels ?? [])
            let missing = expected.filter { kind in kind != "buttons" && !known.contains { $0.kind == kind } }
            let all = known + missing.map { .init(kind: $0, first: nil, last: nil) }
            found[user] = Coverage(all.sorted { $0.kind < $1.kind }, since: enrolled[user]?.moment, at: now)
            found[user]?.study = enrolled[user]?.study
        }
        return found
    }
}

/// What a device says of its enrolment, with each upload and when it says hello; `moment` is
/// nil while its clock is not sure.
struct DeviceEnrolment: Sendable, Hashable {
    let enrolment: String
    let study: String
    let moment: Instant?
    /// What it is to measure, as far as it has reported.
    let channels: [String]
}
