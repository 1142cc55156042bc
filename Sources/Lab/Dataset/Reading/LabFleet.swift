// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// What devices reported: how each prompt ended, and what their manifests name. `LabFolder` calls `add` for each
/// participant.
struct LabFleet {
    private let fleet: ReadOnlyDatabase
    private let archive: ReadOnlyDatabase
    private let answers: LabAnswers
    private let study: String
    /// By participant, the sources (`FleetSource`) by which the receiver keeps what was produced.
    private let devices: [String: [String]]
    /// By participant, the latest of each enrolment, which may name no prompt.
    private let reports: [String: [LatestReport]]
    init(_ fleet: ReadOnlyDatabase, _ databases: LabDatabases, study: String) throws {
        (self.fleet, archive, answers) = (fleet, databases.archive, LabAnswers(databases))
        self.study = study
        let pairs = try fleet.connection.rows("SELECT DISTINCT participant, device FROM produced ORDER BY device") {
            (participant: try $0.string(0), device: try $0.string(1))
        }
        devices = Dictionary(grouping: pairs.filter { FleetSource($0.device).study == study }, by: \.participant)
            .mapValues { $0.map(\.device) }
        let reports = try fleet.connection.rows(
            "SELECT report, first, received FROM device ORDER BY device", read: LatestReport.init)
        self.reports = Dictionary(grouping: reports.filter { $0["study"] == study }, by: { $0["participant"] ?? "" })
    }

    /// Whether anything was said of that participant's prompts, or of what was produced.
    func knows(_ participant: String) -> Bool { reports[participant] != nil || devices[participant] != nil }

    func add(to record: inout ParticipantRecord, at latest: Instant) throws {
        record.prompts = try Self.prompts(of: record.participant.id, in: study, fleet)
        record.issues += notEnded(record.participant.id, at: latest)
        let answersCome = try answers.comeHere(of: record.participant.id, in: study)
        let runs = try answers.runDigests(of: record.participant.id, in: study)
        let devices = devices[record.participant.id] ?? []
        for device in devices {
            for item in try produced(by: device, of: record.participant.id) {
                guard try !isHere(item, of: record.participant.id, runs) else { continue }
                record.missing.append(item.missing(at: latest, answersCome: answersCome))
            }
        }
        for device in devices { record.missing += try daysWithoutManifest(of: device) }
    }

    private func produced(by device: String, of participant: String) throws -> [Produced] {
        try fleet.connection.rows(
            """
            SELECT device, kind, id, day, name, sha256, bytes, state, why, received FROM produced
            WHERE device = ? AND participant = ? ORDER BY day, kind, id
            """, device, participant
        ) { try Produced($0) }
    }

    /// Of that participant in that study, rules' prompts too.
    static func prompts(
        of participant: String, in study: String, _ fleet: ReadOnlyDatabase
    ) throws -> [StudyPrompt] {
        try fleet.connection.rows(
            """
            SELECT device, occurrence, task, due, outcome, reason, presented, ended, opened, presses, clockError
            FROM prompt WHERE study = ? AND participant = ? ORDER BY moment, device, occurrence
            """, study, participant
        ) { row in
            guard let due = StudyTime(try row.string(3)) else { return nil }
            let presses = try row.stringOrNil(9).flatMap { JSONText(parsing: $0) }?.members ?? []
            var prompt = StudyPrompt(
                occurrence: try row.string(1), enrolment: FleetSource(try row.string(0)).enrolment,
                task: try row.string(2), due: due, presented: StudyTime(try row.stringOrNil(6)),
                opened: StudyTime(try row.stringOrNil(8)), ended: StudyTime(try row.stringOrNil(7)),
                outcome: try row.string(4), reason: try row.stringOrNil(5),
                presses: presses.reduce(into: [:]) { $0[$1.key] = $1.value.double.flatMap(Self.presses) },
                clockError: row[10] == .null ? nil : try row.double(10))
            prompt.clockError = prompt.clockError.map { max($0, prompt.setBack ?? 0) }
            return prompt
        }.compactMap { (prompt: StudyPrompt?) in prompt }
    }

    /// Nil for a number of presses that cannot be real. Bounded, so that sums do not overflow.
    private static func presses(_ count: Double) -> Int? {
        (0...1_000_000).contains(count) ? Int(exactly: count) : nil
    }

    /// Looks for the item's digest; for an answer, or an item without a digest, also for an upload of its name.
    /// `runs` are the digests of all that the played server has, which may have deleted what it took.
    private func isHere(_ item: Produced, of user: String, _ runs: Set<String>?) throws -> Bool {
        if let sha256 = item.sha256 {
            let isThere =
                try archive.connection.hasRow("SELECT 1 FROM upload WHERE sha256 = ?", sha256)
                || archive.connection.hasRow("SELECT 1 FROM sage WHERE digest = ?", sha256)
                || runs?.contains(sha256) ?? isPosted(sha256)
            if isThere { return true }
        }
        guard let name = item.name, item.sha256 == nil || item.kind == .submission else { return false }
        return try archive.connection.hasRow(
            """
            SELECT 1 FROM upload WHERE user = ?1 AND sha256 IS NOT NULL
            AND (name = ?2 OR substr(name, 1, length(?2) + 1) = ?2 || '.')
            """, user, name)
    }

    private func isPosted(_ sha256: String) throws -> Bool {
        try fleet.connection.hasRow("SELECT 1 FROM posted WHERE sha256 = ?", [UInt8](hexadecimal: sha256))
    }

    /// Days without a whole manifest, between the first and the last day that has one.
    private func daysWithoutManifest(of device: String) throws -> [MissingItem] {
        let days = try fleet.connection.rows(
            "SELECT day FROM manifest WHERE device = ? GROUP BY day HAVING count(*) >= max(parts) ORDER BY day", device
        ) { try? LocalDate(parsing: try $0.string(0)) }.compactMap(\.self)
        return zip(days, days.dropFirst()).flatMap { one, next in
            one.daysWithoutManifest(before: next).map { day in
                MissingItem(
                    kind: .manifest, enrolment: FleetSource(device).enrolment, day: day, name: "manifest of \(day)",
                    state: "not here", why: nil, isHole: true)
            }
        }
    }

    /// Enrolments that were not heard of to their end: nothing else says that the last day is incomplete. No report
    /// tells that nothing more was to come: tasks may wait for an event, and a day's manifest comes when it is over.
    private func notEnded(_ participant: String, at latest: Instant) -> [DatasetIssue] {
        let own = reports[participant] ?? []
        let lost = own.filter { one in
            // Of two devices that both report, the other's first one may have come since this one's last.
            let isFollowed = own.contains { $0.first > one.received && $0.received > one.nextDue }
            return !one.isLast && (isFollowed || latest - one.received > MissingItem.waitingLimit)
        }
        return lost.map { one in
            let name = "enrolment \(one["enrolment"] ?? "") on device \(one["device"] ?? "")"
            let last = one["at"] ?? one.received.rfc3339Zulu()
            let text = "\(name) reported last at \(last), and not its end: "
            return DatasetIssue(.notEnded, participant, text + "from that day on anything may be missing")
        }
    }

    /// What came last of an enrolment.
    private struct LatestReport {
        private let report: JSONText?
        let first: Instant
        let received: Instant
        var isLast: Bool { self["reason"] == "end" || self["state"] == "ended" }
        /// No further report need come until then. Bounded as the receiver bounds it.
        var nextDue: Instant { received + .seconds(min(report?["nextReportWithin"]?.double ?? 0, 31 * 86_400)) }

        init(_ row: Row) throws {
            report = JSONText(parsing: try row.string(0))
            first = Instant(milliseconds: try row.int(1))
            received = Instant(milliseconds: try row.int(2))
        }

        subscript(_ name: String) -> String? { report?[name]?.string }
    }

    /// A line of a manifest.
    private struct Produced {
        let device: String
        let kind: MissingItem.Kind
        let day: String
        let name: String?
        let id: String
        let sha256: String?
        let bytes: Int64?
        let state: String
        let why: String?
        let received: Instant

        init(_ row: Row) throws {
            device = try row.string(0)
            kind = MissingItem.Kind(rawValue: try row.string(1)) ?? .file
            (id, day, name) = (try row.string(2), try row.string(3), try row.stringOrNil(4))
            (sha256, bytes) = (try row.stringOrNil(5), try row.intOrNil(6))
            (state, why) = (try row.string(7), try row.stringOrNil(8))
            received = Instant(milliseconds: try row.int(9))
        }

        func missing(at latest: Instant, answersCome: Bool) -> MissingItem {
            let problem = MissingItem.problem(
                state, kind, why: why, waited: latest - received, answersComeHere: answersCome)
            return MissingItem(
                kind: kind, enrolment: FleetSource(device).enrolment, day: try? LocalDate(parsing: day),
                name: name ?? id, sha256: sha256, bytes: bytes, state: state, why: why, isHole: problem != nil)
        }
    }
}
