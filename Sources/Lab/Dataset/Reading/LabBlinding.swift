// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Finds what the lab's server must hide from readers of its pages and JSON while a study with rules runs, so
/// that they cannot tell who was treated: answers to prompts that rules raised, entries of the app's log, and counts
/// of them. The same as `BlindedDataset` leaves out of an export. For `PageRoutes`, `DataRoutes` and `Participants`.
package actor LabBlinding {
    /// A participant in a study.
    package struct Name: Sendable, Hashable {
        package let participant: String
        package let study: String

        package init(_ participant: String, in study: String) { (self.participant, self.study) = (participant, study) }
    }

    private let directory: String
    /// Mirrored segments of logs that have been read; none ever changes.
    private var read: Set<String> = []
    /// All uploads up to this number have been looked at.
    private var seen: Int64 = 0
    /// Of these, the segments that were not whole or could not be read, to be tried again: the latest `mostWaiting`.
    private var waiting: [Int64] = []
    private static let mostWaiting = 1000
    /// By study, the tasks that rules raise or decided about, by the segments read.
    private var logged: [String: Set<String>] = [:]
    /// Participants whose segments named such a task.
    private var decided: Set<String> = []
    private var codebooks: [String: Codebook] = [:]
    /// The kept files that `codebooks` are of.
    private var kept: [String: FileStamp] = [:]
    private let clock: any StudyClock
    /// The studies with rules for which `members` and `others` were found.
    private var studies: Set<String> = []
    /// Participants who are in one of `studies`.
    private var members: Set<String> = []
    /// Participants who are in none, as far as records and uploads up to these numbers tell.
    private var others: [String: Newest] = [:]
    /// The enrolments that uploads name.
    private var enrolled: [Name: Enrolments] = [:]

    private struct Newest {
        var record: Int64 = 0
        var upload: Int64 = 0
    }

    /// The enrolments of a participant that uploads up to the number `upload` name, with when they began.
    private struct Enrolments {
        var upload: Int64 = 0
        var began: [String: StudyTime?] = [:]
    }

    /// `directory` is the data folder of the receiver that runs.
    package init(_ directory: String, clock: any StudyClock = SystemClock()) {
        (self.directory, self.clock) = (directory, clock)
    }

    /// What is hidden of each of these; names in studies without rules are left out.
    package func hidden(of names: Set<Name>) throws -> [Name: HiddenPosts] {
        guard !names.isEmpty else { return [:] }
        let reports = try ReadOnlyDatabase(directory + "/fleet.sqlite")
        let ruled = try tasks(reports)
        if !ruled.isEmpty { forgetChangedStudies() }
        let books = Set(names.map(\.study)).filter { ruled[$0] != nil }.map { ($0, codebook(of: $0)) }
        let archive = try books.isEmpty ? nil : ReadOnlyDatabase(directory + "/receiver.sqlite")
        var hidden: [Name: HiddenPosts] = [:]
        for (study, codebook) in books {
            for name in names where name.study == study {
                let prompts = try reports.map { try LabFleet.prompts(of: name.participant, in: study, $0) } ?? []
                let enrolments = try enrolments(of: name, prompts, archive)
                hidden[name] = HiddenPosts(ruled[study] ?? [], PromptLink(prompts, codebook, enrolments), codebook)
            }
        }
        return hidden
    }

    /// As `LabCensus` finds them: those that an upload or a prompt names.
    private func enrolments(
        of name: Name, _ prompts: [StudyPrompt], _ archive: ReadOnlyDatabase?
    ) throws -> [Participant.Enrolment] {
        var known = enrolled[name] ?? Enrolments()
        let rows = try archive?.connection.rows(
            """
            SELECT json_extract(metadata, '$.enrolment'), json_extract(metadata, '$.enrolled'), max(number) FROM upload
            WHERE user = ? AND number > ?
                AND json_extract(iif(json_valid(metadata), metadata, '{}'), '$.study') = ?
            GROUP BY 1, 2 ORDER BY min(number)
            """, name.participant, known.upload, name.study
        ) { (id: try? $0.string(0), began: StudyTime(try? $0.string(1)), upload: try $0.int(2)) }
        for row in rows ?? [] {
            known.upload = max(known.upload, row.upload)
            guard let id = row.id, !id.isEmpty else { continue }
            known.began.updateValue(row.began ?? known.began[id] ?? nil, forKey: id)
        }
        enrolled[name] = known
        let reported = prompts.compactMap(\.enrolment).map { ($0, nil as StudyTime?) }
        return known.began.merging(reported) { known, _ in known }.map { .init(id: $0.key, began: $0.value) }
    }

    /// Whether rules are known to decide in any study.
    package func hasRules() throws -> Bool {
        try !tasks(ReadOnlyDatabase(directory + "/fleet.sqlite")).isEmpty
    }

    /// The tasks of rules in studies of which one is the participant's; empty where none is.
    package func tasks(of participant: String) throws -> Set<String> {
        guard try !ruled([participant]).isEmpty else { return [] }
        return try tasks(ReadOnlyDatabase(directory + "/fleet.sqlite")).values.reduce(into: []) { $0.formUnion($1) }
    }

    /// Those who are in a study in which rules are known to decide, by anything that came of them.
    package func ruled(_ participants: Set<String>) throws -> Set<String> {
        let reports = try ReadOnlyDatabase(directory + "/fleet.sqlite")
        let ruled = Set(try tasks(reports).keys)
        guard !ruled.isEmpty, let archive = try ReadOnlyDatabase(directory + "/receiver.sqlite") else { return [] }
        if ruled != studies { (studies, members, others) = (ruled, [], [:]) }
        let newest = try archive.connection.first(
            "SELECT (SELECT coalesce(max(id), 0) FROM record), (SELECT coalesce(max(number), 0) FROM upload)"
        ) { Newest(record: try $0.int(0), upload: try $0.int(1)) }
        for name in participants.subtracting(members) {
            if try isMember(name, archive, reports) {
                members.insert(name)
            } else {
                others[name] = newest
            }
        }
        return participants.intersection(members)
    }

    private func isMember(
        _ participant: String, _ archive: ReadOnlyDatabase, _ reports: ReadOnlyDatabase?
    ) throws -> Bool {
        if decided.contains(participant) { return true }
        if try isNamed(participant, archive) { return true }
        return try isReported(participant, reports)
    }

    /// Whether a post or file of the participant that was not looked at before names one of `studies`.
    private func isNamed(_ participant: String, _ archive: ReadOnlyDatabase) throws -> Bool {
        let known = others[participant] ?? Newest()
        return try archive.connection.first(
            """
            SELECT EXISTS (
                SELECT 1 FROM upload WHERE user = ?1 AND number > ?2
                AND json_extract(iif(json_valid(metadata), metadata, '{}'), '$.study')
                    IN (SELECT value FROM json_each(?4)))
            OR EXISTS (
                SELECT 1 FROM record, json_each(fields) AS field WHERE user = ?1 AND record.id > ?3
                AND json_extract(field.value, '$[0]') = 'study_id'
                AND json_extract(field.value, '$[1]') IN (SELECT value FROM json_each(?4)))
            """, participant, known.upload, known.record, names
        ) { try $0.bool(0) } ?? false
    }

    private func isReported(_ participant: String, _ reports: ReadOnlyDatabase?) throws -> Bool {
        let found = try reports?.connection.first(
            "SELECT 1 FROM prompt WHERE participant = ? AND study IN (SELECT value FROM json_each(?)) LIMIT 1",
            participant, names
        ) { try $0.int(0) }
        return found != nil
    }

    private var names: String { JSONText.array(studies.map { .string($0) }).text }

    /// By study with rules, the tasks of these: as the logs say, and as prompts that rules raised.
    private func tasks(_ reports: ReadOnlyDatabase?) throws -> [String: Set<String>] {
        if let archive = try ReadOnlyDatabase(directory + "/receiver.sqlite") { try readLogs(archive) }
        var tasks = logged
        let raised = "SELECT DISTINCT study, task FROM prompt WHERE instr(occurrence, '/rule.') > 0"
        try reports?.connection.forEach(raised) { tasks[try $0.string(0), default: []].insert(try $0.string(1)) }
        return tasks.filter { !$0.value.isEmpty }
    }

    private func readLogs(_ archive: ReadOnlyDatabase) throws {
        for path in LabLogs.latestMirrored(directory) where !read.contains(path) {
            guard let found = LabLogs.ruledTasks(path) else { continue }
            note(found)
            read.insert(path)
        }
        let newest = try archive.connection.first("SELECT max(number) FROM upload") { try $0.intOrNil(0) }
        var (left, logs): ([Int64], Set<[String?]>) = ([], [])
        // The latest of each log tells all; earlier ones are read where that cannot be.
        for upload in try LabLogs.uploads(archive, after: seen, waiting) where !logs.contains(upload.log) {
            guard let file = upload.file, let found = LabLogs.ruledTasks("\(directory)/files/\(file)") else {
                left.append(upload.number)
                continue
            }
            guard found.participant == upload.user, found.study == upload.study ?? found.study else { continue }
            logs.insert(upload.log)
            note(found)
        }
        waiting = Array(left.prefix(Self.mostWaiting))
        seen = max(seen, (newest ?? nil) ?? 0)
    }

    private func note(_ found: (study: String, participant: String, tasks: Set<String>)) {
        logged[found.study, default: []].formUnion(found.tasks)
        if !found.tasks.isEmpty { decided.insert(found.participant) }
    }

    /// A study that is edited may have its tasks at other places.
    private func forgetChangedStudies() {
        let now = clock.now
        let files = (try? CodebookReader.stamps(below: directory + "/studies")) ?? [:]
        guard files != kept || !files.values.allSatisfy({ $0.isSettled(at: now) }) else { return }
        (kept, codebooks) = (files, [:])
    }

    /// One that is not here, or cannot be read, is looked for again.
    private func codebook(of study: String) -> Codebook {
        if let known = codebooks[study] { return known }
        let found = try? CodebookReader.read(study, kept: directory + "/studies", given: []).codebook
        guard let found, !found.items.isEmpty || !found.tasksByPlace.isEmpty else { return Codebook() }
        codebooks[study] = found
        return found
    }
}
