// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Glibc
import SystemKit

/// One study in the state folder of a device, read without the agent, which may be running: what
/// `study-receiver export` reads where `--data` is a device's folder. What a lab only hears about is here at
/// first hand: each answer's moment and presses, and the reason of each loss.
package final class DeviceFolder: StudyDataset {
    package let study: String
    package var codebook: Codebook { editions.codebook }
    package let participants: [Participant]
    package let latest: Instant
    package let issues: [DatasetIssue]

    private let state: ReadOnlyDatabase
    private let directory: String
    private let enrolments: [DeviceEnrolmentRow]
    private let keys: [AgeIdentity]
    private let editions: StudyEditions

    /// Whether `directory` is the state folder of a device.
    package static func isThere(_ directory: String) -> Bool { access(directory + "/studyd.sqlite", F_OK) == 0 }

    /// Takes `study` and `studyFiles` as `LabFolder` does. `keys` decrypt answers that the device encrypted.
    package init(_ directory: String, study: String?, studyFiles: [String] = [], keys: [AgeIdentity] = []) throws {
        guard let state = try ReadOnlyDatabase(directory + "/studyd.sqlite") else {
            throw FileError(
                path: directory, message: "is not the state folder of studyd", remedy: "it holds studyd.sqlite")
        }
        (self.state, self.directory, self.keys) = (state, directory, keys)
        // The study: the one that was asked for, or the only one.
        let all = try state.connection.rows("SELECT record FROM enrolment ORDER BY sequence") {
            DeviceEnrolmentRow(try $0.string(0))
        }.compactMap(\.self)
        let studies = all.map(\.study).uniqued()
        guard let first = studies.first else {
            throw FileError(path: directory, message: "no participant was ever enrolled on this device")
        }
        guard studies.count == 1 || study != nil, studies.contains(study ?? first) else {
            throw FileError(
                path: directory, message: "the device took part in: \(studies.joined(separator: ", "))",
                remedy: "choose one of them with --study")
        }
        let chosen = study ?? first
        self.study = chosen
        let moved = Set(
            try state.connection.rows("SELECT DISTINCT enrolment FROM event WHERE kind = 'zoneChanged'") {
                try $0.string(0)
            })
        enrolments = try all.filter { $0.study == chosen }.map { row in
            var row = row
            if moved.contains(row.id) { row.follow(try TrialRow.all(of: row.id, in: state)) }
            return row
        }
        participants = Dictionary(grouping: enrolments, by: \.participant).sorted { $0.key < $1.key }.map { id, rows in
            Participant(id: id, study: chosen, enrolments: rows.map { .init(id: $0.id, began: $0.began) })
        }
        latest = Instant(
            nanoseconds: try state.connection.first("SELECT max(wall) FROM event") { try $0.intOrNil(0) ?? 0 } ?? 0)
        let files = try state.connection.rows("SELECT digest, bytes FROM study_file ORDER BY received, digest") {
            (digest: try $0.string(0), bytes: try $0.bytes(1))
        }
        editions = try CodebookReader.read(chosen, files: files, given: studyFiles)
        issues = studies.filter { $0 != chosen }.map {
            DatasetIssue(.otherStudy, "", "the device also took part in \($0), which is not in this dataset")
        }
    }

    package func items() throws -> [String] {
        let questions = try state.connection.rows("SELECT DISTINCT enrolment, question FROM answer") {
            (enrolment: try $0.string(0), key: try $0.string(1))
        }
        let found = Set(
            enrolments.flatMap { row in questions.filter { $0.enrolment == row.id }.map { row.item($0.key) } })
        let known = codebook.items.map(\.item)
        return known.filter(found.contains).uniqued() + found.subtracting(known).sorted()
    }

    package func record(of participant: Participant) throws -> ParticipantRecord {
        var record = ParticipantRecord(participant)
        for enrolment in enrolments where enrolment.participant == participant.id {
            record.prompts += try prompts(of: enrolment)
            record.submissions += try submissions(of: enrolment, &record.issues)
            try addRecordings(of: enrolment, to: &record)
            record.loggedZone = enrolment.lastZone
        }
        record.prompts.sort { ($0.due.instant, $0.occurrence) < ($1.due.instant, $1.occurrence) }
        PromptLink(record.prompts, codebook).link(&record.submissions)
        record.submissions.sort { ($0.answered.instant, $0.id) < ($1.answered.instant, $1.id) }
        record.issues += record.clockIssues
        return record
    }

    package func trial() throws -> StudyTrial? {
        let ruled = enrolments.filter { $0.rules != nil }
        guard !ruled.isEmpty else { return nil }
        let files = try Set(ruled.compactMap(\.rules)).sorted().compactMap { digest in
            try state.connection.first("SELECT bytes FROM study_file WHERE digest = ?", digest) {
                StudyTrial.Rules(digest: digest, text: String(decoding: try $0.bytes(0), as: UTF8.self))
            }
        }
        let rows = try ruled.reduce(into: [String: [TrialRow]]()) { $0[$1.id] = try TrialRow.all(of: $1.id, in: state) }
        return StudyTrial(ruled, files) { rows[$0.id] ?? [] }
    }

    private func prompts(of enrolment: DeviceEnrolmentRow) throws -> [StudyPrompt] {
        try state.connection.rows(
            """
            SELECT id, task, due, presented, outcome, ended, (
                SELECT min(opened) FROM run WHERE run.enrolment = o.enrolment AND run.occurrence = o.id
            ), json_extract(record, '$.isSignalled'), (
                SELECT left_at FROM run WHERE run.enrolment = o.enrolment AND run.occurrence = o.id
                ORDER BY opened LIMIT 1
            ) FROM occurrence AS o
            WHERE enrolment = ? AND outcome IS NOT NULL AND json_extract(record, '$.isNotice') IS NULL ORDER BY due, id
            """, enrolment.id
        ) { row in
            func time(_ column: Int) throws -> StudyTime? { enrolment.timeOrNil(try row.intOrNil(column)) }
            // `missed/device-off`
            let outcome = try row.string(4).split(separator: "/", maxSplits: 1).map(String.init)
            // As reports have it.
            let notSignalled = try row.intOrNil(7) == 0 ? "not-signalled" : nil
            var prompt = StudyPrompt(
                occurrence: try row.string(0), enrolment: enrolment.id, task: try row.string(1),
                due: enrolment.time(try row.int(2)), presented: try time(3), opened: try time(6), ended: try time(5),
                outcome: outcome.first ?? "", reason: outcome.count > 1 ? outcome[1] : notSignalled)
            prompt.left = try time(8)
            return prompt
        }
    }

    private func submissions(
        of enrolment: DeviceEnrolmentRow, _ issues: inout [DatasetIssue]
    ) throws -> [StudySubmission] {
        let runs = try state.connection.rows(
            """
            SELECT task, opening, occurrence, opened, submitted FROM run WHERE enrolment = ? AND submitted IS NOT NULL
            ORDER BY submitted, task, opening
            """, enrolment.id
        ) { row in
            StudySubmission(
                id: "\(enrolment.id)-\(try row.string(0))-\(try row.int(1))", enrolment: enrolment.id,
                task: try row.string(0), taskName: nil, prompt: try row.stringOrNil(2), due: nil,
                opened: enrolment.time(try row.int(3)), answered: enrolment.time(try row.int(4)), received: nil,
                clockError: nil, answers: [])
        }
        let answers = try answers(of: enrolment, &issues)
        let files = try RunFiles(state.connection, of: enrolment.id)
        return runs.map { run in
            var run = run
            run.answers = answers[run.id] ?? []
            editions.setVersions(of: &run, file: files.digest(of: run.id))
            return run
        }
    }

    /// By the id of the run's submission.
    private func answers(
        of enrolment: DeviceEnrolmentRow, _ issues: inout [DatasetIssue]
    ) throws -> [String: [StudySubmission.Answer]] {
        var answers: [String: [StudySubmission.Answer]] = [:]
        let encrypted = try EncryptedAnswers(state.connection, of: enrolment.id, keys)
        var unopened = 0
        try state.connection.forEach(
            "SELECT task, opening, question, value, presses FROM answer WHERE enrolment = ? ORDER BY sequence, question",
            values: [enrolment.id] as [any DatabaseBindable]
        ) { row in
            let (task, opening, item) = (try row.string(0), try row.int(1), try row.string(2))
            guard let value = encrypted.value(try row.string(3), of: item, in: task, opening) else {
                unopened += 1
                return
            }
            let answer = StudySubmission.Answer(
                item: enrolment.item(item), value: DeviceValue.text(value), presses: try row.intOrNil(4).map { Int($0) }
            )
            answers["\(enrolment.id)-\(task)-\(opening)", default: []].append(answer)
        }
        if unopened > 0 {
            let text =
                "\(Plural.of(unopened, "answer is", "answers are")) sealed and left out: give the key of a recipient, --key identity.txt"
            issues.append(.init(.encrypted, enrolment.participant, text))
        }
        return answers
    }

    private func addRecordings(of enrolment: DeviceEnrolmentRow, to record: inout ParticipantRecord) throws {
        let rows = try state.connection.rows(
            "SELECT record, removed FROM recording WHERE enrolment = ? ORDER BY sequence", enrolment.id
        ) { (note: JSONText(parsing: try $0.string(0)), removed: try $0.stringOrNil(1)) }
        for row in rows {
            guard let name = row.note?["path"]?.string, let sha256 = row.note?["sha256"]?.string else { continue }
            let bytes = row.note?["bytes"]?.double.flatMap { Int64(exactly: $0) } ?? 0
            let path = "\(directory)/recordings/\(name)"
            guard row.removed == nil, access(path, F_OK) == 0 else {
                let day = row.note?["start"]?.double.map { enrolment.time(Int64($0)).day }
                // `removed` is why the device deleted it.
                let isExplained = row.removed != nil
                record.missing.append(
                    MissingItem(
                        kind: .recording, enrolment: enrolment.id, day: day, name: name, sha256: sha256, bytes: bytes,
                        state: isExplained ? "deleted" : "not here", why: row.removed, isHole: !isExplained))
                continue
            }
            let beside = row.note?["descriptionPath"]?.string.map { "\(directory)/recordings/\($0)" }
            let description = beside.flatMap { path in
                (try? BoundedFile.read(path, limit: 4 << 20)).flatMap {
                    try? RecordingDescription(json: $0, path: path)
                }
            }
            if description == nil {
                record.issues.append(.init(.noDescription, record.participant.id, "\(name) has no description"))
            }
            record.recordings.append(
                StudyRecording(
                    enrolment: enrolment.id, name: name, source: path, bytes: bytes, sha256: sha256,
                    description: description, descriptionSource: description == nil ? nil : beside))
        }
    }
}

/// An answer as a device's log has it: one member that names its kind.
enum DeviceValue {
    static func text(_ json: String) -> String {
        guard let member = JSONText(parsing: json)?.members.first else { return json }
        switch (member.key, member.value) {
        case ("cleared", _): return ""
        case ("choices", .array(let choices)) where choices.count == 1: return choices[0].plain
        case ("dateTime", .array(let parts)) where parts.count == 2:
            guard let day = parts[0].double.flatMap({ Int(exactly: $0) }), let time = Int64(parts[1].plain) else {
                return member.value.plain
            }
            let moment = LocalDateTime(LocalDate(daysSinceEpoch: day), .midnight).instant(offset: 0)
            return LocalDateTime(moment + .nanoseconds(time), offset: 0).text(fractionDigits: 0)
        default: return member.value.plain
        }
    }
}
