// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Which studies and participants a lab's folder has something of. `LabFolder` makes it first, to choose the
/// study; `study-receiver erase` asks `studies` for a participant's.
package struct LabCensus {
    private let databases: LabDatabases
    private var hasArchives = false
    /// Participants in a folder of several studies of whom only archives came that nothing tells the study of.
    private var ofUnknownStudy: Set<String> = []
    /// By digest, studies whose devices' manifests name that archive of SageResearch.
    private var archiveStudies: [String: Set<String>] = [:]
    /// By study and key, short names of participants who have left FDA MyStudies and sent recordings or reports.
    private var shortNames: [String: [String: String]] = [:]
    /// By study, participant and enrolment, when the enrolment began; nil where nothing has said so.
    private var found: [String: [String: [String: StudyTime?]]] = [:]

    init(_ databases: LabDatabases, study: String?) throws {
        self.databases = databases
        try readRecords()
        try readUploads()
        if let fleet = databases.fleet { try readReports(fleet) }
        if let esmira = databases.esmira { try readESMira(esmira) }
        if let mystudies = databases.mystudies { try readMyStudies(mystudies) }
        try readArchives(of: study)
    }

    /// The studies that the folder has something of that participant in, or `isGuessed` may have, sorted by name.
    package static func studies(
        of participant: String, in directory: String
    ) throws -> (names: [String], isGuessed: Bool) {
        guard let databases = try LabDatabases(in: directory) else { return ([], false) }
        let census = try LabCensus(databases, study: nil)
        let names = census.studies.filter { census.found[$0]?[participant] != nil }
        return (names, census.ofUnknownStudy.contains(participant))
    }

    /// Sorted by name.
    var studies: [String] { found.keys.sorted() }

    /// The study of that name or, without a name, the only one; throws where that cannot be said.
    func choose(_ name: String?, in directory: String) throws -> String {
        let all = studies.map { "\($0.shown) (\(Plural.of(found[$0]?.count ?? 0, "participant")))" }.joined(
            separator: ", ")
        if let name {
            guard found[name] != nil else {
                throw FileError(
                    path: directory, message: "holds nothing of study \(name)",
                    remedy: studies.isEmpty ? nil : "use --study with one of: \(all)")
            }
            return name
        }
        guard let only = studies.first else {
            throw FileError(
                path: directory,
                message: hasArchives
                    ? "holds archives of SageResearch alone, which name no study" : "holds nothing of a study yet",
                remedy: hasArchives ? "name it with --study" : nil)
        }
        guard studies.count == 1 else {
            throw FileError(
                path: directory, message: "holds \(studies.count) studies: \(all)",
                remedy: "choose one with --study; nothing of two studies becomes one dataset")
        }
        return only
    }

    func participants(of study: String) -> [Participant] {
        (found[study] ?? [:]).sorted { $0.key < $1.key }.map { id, enrolments in
            let ordered = enrolments.map { Participant.Enrolment(id: $0.key, began: $0.value) }.sorted {
                ($0.began?.instant ?? .epoch, $0.id) < ($1.began?.instant ?? .epoch, $1.id)
            }
            return Participant(id: id, study: study, enrolments: ordered)
        }
    }

    /// Of participants who have left FDA MyStudies: by the name that they have here, the one that their runs have.
    func shortNames(of study: String) -> [String: String] { shortNames[study] ?? [:] }

    /// When something arrived last.
    func latest() throws -> Instant {
        let times = try [
            latest("SELECT max(received) FROM record", databases.archive),
            latest("SELECT max(changed) FROM upload", databases.archive),
            latest("SELECT max(received) FROM sage", databases.archive),
            latest("SELECT max(received) FROM device", databases.fleet),
            latest(Self.uploadedToESMira, databases.esmira),
            latest("SELECT max(received) FROM run", databases.mystudies),
            latest("SELECT max(enrolled) FROM participant", databases.mystudies),
        ]
        return Instant(milliseconds: times.max() ?? 0)
    }

    /// Each table has its own columns, `uploaded` at any place among them.
    private static let uploadedToESMira = """
        SELECT max(CAST(json_extract(cells, '$[' || place || ']') AS INTEGER)) FROM esmiraRow JOIN (
            SELECT study, file, json_each.key AS place FROM esmiraTable, json_each(columns)
            WHERE json_each.value = 'uploaded') USING (study, file)
        """

    /// In milliseconds; 0 where there is nothing.
    private func latest(_ sql: String, _ database: ReadOnlyDatabase?) throws -> Int64 {
        try database?.connection.first(sql) { try $0.intOrNil(0) ?? 0 } ?? 0
    }

    /// Adds what was found. A beginning that is known already stays where `began` is nil.
    private mutating func note(_ study: String, _ user: String, _ enrolment: String? = nil, _ began: StudyTime? = nil) {
        guard !study.isEmpty, !user.isEmpty else { return }
        if let enrolment, !enrolment.isEmpty {
            let known = found[study]?[user]?[enrolment] ?? nil
            found[study, default: [:]][user, default: [:]][enrolment] = .some(began ?? known)
        } else {
            let known = found[study]?[user] ?? [:]
            found[study, default: [:]][user] = known
        }
    }

    private mutating func readRecords() throws {
        let sql = """
            SELECT DISTINCT user, (SELECT json_extract(value, '$[1]') FROM json_each(fields)
                WHERE json_extract(value, '$[0]') = 'study_id' LIMIT 1) FROM record
            """
        let rows = try databases.archive.connection.rows(sql) { (try $0.string(0), try $0.stringOrNil(1)) }
        for (user, study) in rows { note(study ?? "", user) }
    }

    private mutating func readUploads() throws {
        let sql = """
            SELECT DISTINCT user, json_extract(metadata, '$.study'), json_extract(metadata, '$.enrolment'),
                json_extract(metadata, '$.enrolled') FROM upload WHERE json_valid(metadata)
            """
        let rows = try databases.archive.connection.rows(sql) { row in
            (try row.string(0), text(row, 1), text(row, 2), text(row, 3))
        }
        for (user, study, enrolment, began) in rows { note(study ?? "", user, enrolment, StudyTime(began)) }
    }

    private mutating func readReports(_ fleet: ReadOnlyDatabase) throws {
        let devices = try fleet.connection.rows("SELECT report FROM device") { JSONText(parsing: try $0.string(0)) }
        for case let report? in devices {
            note(report["study"]?.plain ?? "", report["participant"]?.plain ?? "", report["enrolment"]?.plain)
        }
        let prompts = try fleet.connection.rows("SELECT DISTINCT study, participant, device FROM prompt") {
            (try $0.string(0), try $0.string(1), FleetSource(try $0.string(2)))
        }
        for (study, user, key) in prompts { note(study, user, key.enrolment) }
    }

    private mutating func readESMira(_ esmira: ReadOnlyDatabase) throws {
        let users = try esmira.connection.rows("SELECT study, user FROM esmiraUser") {
            (String(try $0.int(0)), try $0.string(1))
        }
        for (study, user) in users { note(study, user) }
    }

    private mutating func readMyStudies(_ mystudies: ReadOnlyDatabase) throws {
        // A participant who has left has no `key` any more, and counts only with runs that were kept.
        let people = try mystudies.connection.rows(
            "SELECT study, key, short FROM participant WHERE key IS NOT NULL OR id IN (SELECT participant FROM run)"
        ) { (study: try $0.string(0), key: try $0.stringOrNil(1), short: try $0.string(2)) }
        let enrolled = Set(people.compactMap(\.key))
        let keys = found.mapValues { users in
            Dictionary(grouping: users.keys.filter { !enrolled.contains($0) }, by: MyStudiesShortName.of)
        }
        for person in people {
            let fitting = keys[person.study]?[person.short] ?? []
            if let key = person.key {
                note(person.study, key)
            } else if let key = fitting.first, fitting.count == 1 {
                shortNames[person.study, default: [:]][key] = person.short
            } else {
                note(person.study, person.short)
            }
        }
    }

    /// Archives of SageResearch name no study: they count as the folder's only study or, where nothing
    /// else has come, as the one that the caller names. In a folder of several see `study(ofArchive:of:)`.
    private mutating func readArchives(of study: String?) throws {
        let archives = try databases.archive.connection.rows("SELECT digest, user FROM sage") {
            (digest: try $0.string(0), user: try $0.string(1))
        }
        hasArchives = !archives.isEmpty
        let all = studies
        guard all.count > 1 else {
            if let only = all.first ?? study { for archive in archives { note(only, archive.user) } }
            return
        }
        try readManifests(naming: Dictionary(archives.map { ($0.digest, $0.user) }) { first, _ in first })
        // Someone of whom nothing else has come may be of any study.
        for user in Set(archives.map(\.user)) where !all.contains(where: { found[$0]?[user] != nil }) {
            for study in all { note(study, user) }
            ofUnknownStudy.insert(user)
        }
    }

    /// Of archives by their participants; a manifest of somebody else does not count.
    private mutating func readManifests(naming archives: [String: String]) throws {
        let sql = "SELECT sha256, device, participant FROM produced WHERE kind = 'submission' AND sha256 IS NOT NULL"
        try databases.fleet?.connection.forEach(sql) { row in
            let (digest, user) = (try row.string(0), try row.string(2))
            guard archives[digest] == user else { return }
            let key = FleetSource(try row.string(1))
            archiveStudies[digest, default: []].insert(key.study)
            note(key.study, user, key.enrolment)
        }
    }

    /// The study of an archive of SageResearch: the one whose manifest names it, else its participant's only one. Nil
    /// where neither tells: one name in two studies may be two people, so that no time decides.
    func study(ofArchive digest: String, of user: String) -> String? {
        let possible = archiveStudies[digest] ?? Set(found.keys.filter { found[$0]?[user] != nil })
        return possible.count == 1 ? possible.first : nil
    }

    /// The text of a column; nil for a JSON member that is no text.
    private func text(_ row: Row, _ column: Int) -> String? { (try? row.stringOrNil(column)) ?? nil }
}
