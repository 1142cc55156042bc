// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Answers that came to a platform's server as study-receiver plays it: tables of ESMira, runs of FDA
/// MyStudies. Each has its own database. No answer says which prompt it is for: `PromptLink` finds that. `LabFolder`
/// calls `add` for each participant.
struct LabPlatforms {
    private let esmira: ReadOnlyDatabase?
    private let mystudies: ReadOnlyDatabase?
    private let study: String
    /// A participant of FDA MyStudies is named by the key, which all other data of the device have too. The runs of
    /// one who has left have the short name alone, which is here by the key where that is known, and else the name.
    private let shortNames: [String: String]
    /// Columns that ESMira's server writes before the questionnaire's own ones.
    private static let head: Set = [
        "group", "entryId", "userId", "uploaded", "uploaded_formatted", "appType", "appVersion", "studyId", "accessKey",
        "studyVersion", "studyLang", "questionnaireName", "eventType", "timezone", "timezoneOffset", "responseTime",
        "responseTime_formatted", "localDateTime", "formDuration", "pageDurations", "lastInvitation",
        "lastInvitation_formatted",
    ]

    init(_ databases: LabDatabases, study: String, shortNames: [String: String]) {
        (esmira, mystudies, self.study) = (databases.esmira, databases.mystudies, study)
        self.shortNames = shortNames
    }

    /// Names of questions that answers came to, as far as tables name them.
    func items() throws -> [String] {
        var items: [String] = []
        if let esmira, let number = Int64(study) {
            let tables = try esmira.connection.rows(
                "SELECT columns FROM esmiraTable WHERE study = ? AND file <> 'events' ORDER BY file", number
            ) { JSONText(parsing: try $0.string(0))?.array ?? [] }
            items += tables.flatMap { $0.compactMap(\.string) }.filter { !Self.head.contains($0) }
        }
        if let mystudies {
            try mystudies.connection.forEach(
                "SELECT body FROM run JOIN participant ON participant.id = run.participant WHERE study = ?",
                values: [study] as [any DatabaseBindable]
            ) { row in items += Self.results(try row.bytes(0)).map(\.item) }
        }
        return items.uniqued()
    }

    func add(to record: inout ParticipantRecord) throws {
        if let esmira { try addTables(of: esmira, to: &record) }
        if let mystudies { try addRuns(of: mystudies, to: &record) }
    }

    // MARK: ESMira

    private func addTables(of esmira: ReadOnlyDatabase, to record: inout ParticipantRecord) throws {
        guard let number = Int64(study) else { return }
        // The columns of every table, then the rows of this participant.
        var columns: [String: [String]] = [:]
        try esmira.connection.forEach(
            "SELECT file, columns FROM esmiraTable WHERE study = ?", values: [number] as [any DatabaseBindable]
        ) { columns[try $0.string(0)] = (JSONText(parsing: try $0.string(1))?.array ?? []).compactMap(\.string) }
        let rows = try esmira.connection.rows(
            "SELECT id, file, cells FROM esmiraRow WHERE study = ? AND user = ? ORDER BY id", number,
            record.participant.id
        ) { (id: try $0.int(0), file: try $0.string(1), cells: JSONText(parsing: try $0.string(2))?.array ?? []) }
        for row in rows {
            // The server names the column of a sound level twice (ESMira-web 0750ca3, `ResponsesIndex.addInput`).
            var known: Set<String> = []
            let cells = zip(columns[row.file] ?? [], row.cells.map(\.plain)).filter {
                !$0.1.isEmpty && known.insert($0.0).inserted
            }
            let values = Dictionary(cells, uniquingKeysWith: { first, _ in first })
            guard let time = Self.time(values) else {
                let text = "row \(row.id) of \(row.file) says no time at which it was answered; it is left out"
                record.issues.append(.init(.unreadable, record.participant.id, text))
                continue
            }
            if row.file == "events" {
                record.events.append(AppEvent(time: time, page: "esmira", event: values["eventType"] ?? ""))
                continue
            }
            var submission = StudySubmission(
                id: "esmira-\(row.id)", enrolment: nil, task: row.file, taskName: values["questionnaireName"],
                due: nil, answered: time, received: Self.milliseconds(values["uploaded"]), clockError: nil,
                answers: cells.filter { !Self.head.contains($0.0) }.map { .init(item: $0.0, value: $0.1) })
            submission.studyVersion = values["studyVersion"]
            submission.taskVersion = values["studyVersion"]
            record.submissions.append(submission)
        }
    }

    private static func milliseconds(_ text: String?) -> Instant? {
        text.flatMap(Int64.init).map(Instant.init(milliseconds:))
    }

    /// The widest that java.time.ZoneOffset has, in seconds; no place's clock is as far from UTC.
    private static let farthest = 18 * 3600

    /// The time and the offset are in milliseconds; an app may have posted anything.
    private static func time(_ values: [String: String]) -> StudyTime? {
        guard let instant = milliseconds(values["responseTime"]) else { return nil }
        let offset = values["timezoneOffset"].flatMap { Int($0) }.map { $0 / 1000 }
        return StudyTime(instant, offset: offset.flatMap { (-farthest...farthest).contains($0) ? $0 : nil })
    }

    // MARK: FDA MyStudies

    private func addRuns(of mystudies: ReadOnlyDatabase, to record: inout ParticipantRecord) throws {
        let runs = try mystudies.connection.rows(
            """
            SELECT run.id, activity, received, body, version FROM run
            JOIN participant ON participant.id = run.participant
            WHERE study = ? AND (key = ? OR key IS NULL AND short = ?) ORDER BY run.id
            """, study, record.participant.id, shortNames[record.participant.id] ?? record.participant.id
        ) { row in
            (
                id: try row.int(0), activity: try row.string(1), received: try row.int(2), body: try row.bytes(3),
                version: try row.string(4)
            )
        }
        for run in runs {
            let body = JSONText(parsing: String(decoding: run.body, as: UTF8.self))
            guard let ended = Self.moment(body?["data"]?["endTime"]?.string) else {
                let text = "run \(run.id) of \(run.activity) says no time at which it ended; it is left out"
                record.issues.append(.init(.unreadable, record.participant.id, text))
                continue
            }
            var submission = StudySubmission(
                id: "mystudies-\(run.id)", enrolment: nil, task: run.activity,
                taskName: body?["metadata"]?["name"]?.string, due: nil,
                opened: Self.moment(body?["data"]?["startTime"]?.string), answered: ended,
                received: Instant(milliseconds: run.received), clockError: nil, answers: Self.results(run.body))
            submission.studyVersion = body?["metadata"]?["studyVersion"]?.string
            submission.taskVersion = run.version.isEmpty ? nil : run.version
            record.submissions.append(submission)
        }
    }

    /// A form is one answer, in JSON. Where the form was filled out once, each of its questions is an answer,
    /// too, since the platform's server gives each a column (LabKey/mobileAppStudy e740c28,
    /// `storeMultiValuedResults`). Filled out several times, a question has several values, and gets none.
    private static func results(_ body: [UInt8]) -> [StudySubmission.Answer] {
        let results = JSONText(parsing: String(decoding: body, as: UTF8.self))?["data"]?["results"]?.array ?? []
        var known: Set<String> = []
        return (results + results.flatMap(questions)).map(answer).filter { known.insert($0.item).inserted }
    }

    private static func questions(of result: JSONText) -> [JSONText] {
        guard result["resultType"]?.string == "grouped", let rounds = result["value"]?.array, rounds.count == 1
        else { return [] }
        return rounds[0].array
    }

    /// The server stores no value of a question that was skipped (`SurveyResult.getParsedValue`).
    private static func answer(_ result: JSONText) -> StudySubmission.Answer {
        StudySubmission.Answer(
            item: result["key"]?.string ?? "",
            value: result["skipped"]?.bool == true ? "" : result["value"]?.plain ?? "",
            answered: moment(result["endTime"]?.string))
    }

    /// `2026-05-28T20:20:00.000+0000`: `StudyTime` takes a colon in the offset only.
    private static func moment(_ text: String?) -> StudyTime? {
        guard let text else { return nil }
        let tail = text.suffix(5)
        let isBare = tail.first.map { "+-".contains($0) } == true && tail.dropFirst().allSatisfy(\.isNumber)
        return StudyTime(isBare ? "\(text.dropLast(2)):\(text.suffix(2))" : text)
    }
}
