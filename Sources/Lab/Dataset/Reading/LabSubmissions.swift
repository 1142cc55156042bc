// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// Answers and app events as records of the schema platform, which the receiver keeps as they came. `LabFolder`
/// calls `add` for each participant.
struct LabSubmissions {
    private let archive: ReadOnlyDatabase
    private let study: String

    init(_ archive: ReadOnlyDatabase, study: String) {
        (self.archive, self.study) = (archive, study)
    }

    /// Names of questions that were answered: a dataset that is passed on shows no other study's.
    func items() throws -> [String] {
        try archive.connection.rows(
            """
            SELECT DISTINCT answer.key FROM record, json_each(fields) AS field,
                json_each(CASE json_valid(json_extract(field.value, '$[1]')) WHEN 1
                    THEN json_extract(field.value, '$[1]') ELSE '{}' END) AS answer
            WHERE kind <> 'log' AND json_extract(field.value, '$[0]') = 'responses' AND EXISTS (
                SELECT 1 FROM json_each(fields) WHERE json_extract(value, '$[0]') = 'study_id'
                AND json_extract(value, '$[1]') = ?)
            """, study
        ) { try $0.string(0) }
    }

    func add(to record: inout ParticipantRecord) throws {
        var (submissions, events): ([StudySubmission], [AppEvent]) = ([], [])
        try archive.connection.forEach(
            "SELECT id, received, kind, fields, duplicateOf FROM record WHERE user = ? ORDER BY id",
            values: [record.participant.id] as [any DatabaseBindable]
        ) { row in
            let fields = Fields(try row.string(3))
            guard fields["study_id"] == study else { return }
            if try row.string(2) == "log" {
                if let event = Self.event(fields) { events.append(event) }
            } else if let submission = Self.submission(
                fields, id: try row.int(0), received: Instant(milliseconds: try row.int(1)),
                repeats: try row.intOrNil(4))
            {
                submissions.append(submission)
            }
        }
        record.submissions += submissions
        record.events += events.sorted { ($0.time, $0.page, $0.event) < ($1.time, $1.page, $1.event) }
    }

    private static func event(_ fields: Fields) -> AppEvent? {
        guard let time = Self.time("timestamp", { fields[$0] }) else { return nil }
        return AppEvent(time: time, page: fields["page"] ?? "", event: fields["event"] ?? "")
    }

    private static func submission(
        _ fields: Fields, id: Int64, received: Instant, repeats: Int64?
    ) -> StudySubmission? {
        var submission = StudySubmission(post: { fields[$0] }, id: id, received: received, repeats: repeats)
        submission?.answers = (fields["responses"].flatMap { JSONText(parsing: $0) }?.members ?? []).map {
            // momenTUM's app sends a list without a tick as `[]`.
            StudySubmission.Answer(item: $0.key, value: $0.value == .array([]) ? "" : $0.value.plain)
        }
        return submission
    }

    /// The time of a field, with the milliseconds of the field `NAME_in_ms` where both name the same second.
    fileprivate static func time(_ name: String, _ value: (String) -> String?) -> StudyTime? {
        guard let time = StudyTime(value(name)) else { return nil }
        let fine = value(name + "_in_ms").flatMap(Int64.init).map(Instant.init(milliseconds:))
        guard let fine, fine.seconds == time.instant.seconds else { return time }
        return StudyTime(fine, offset: time.offset)
    }

    /// The fields of a post: pairs of name and value.
    private struct Fields {
        private var values: [String: String] = [:]

        init(_ text: String) {
            for case .array(let pair) in JSONText(parsing: text)?.array ?? [] where pair.count == 2 {
                if let name = pair[0].string, values[name] == nil { values[name] = pair[1].plain }
            }
        }

        subscript(_ name: String) -> String? { values[name] }
    }
}

extension StudySubmission {
    /// A post of the schema platform by its fields, without its answers; nil where it says no time.
    package init?(post value: (String) -> String?, id: Int64, received: Instant, repeats: Int64?) {
        guard let answered = LabSubmissions.time("response_time", value) else { return nil }
        self.init(
            id: "schema-\(id)", enrolment: nil, task: value("module_id") ?? value("module_index") ?? "",
            taskName: value("module_name"), due: StudyTime(value("alert_time")), answered: answered,
            received: received, clockError: value("clock_error_in_s").flatMap(Double.init), answers: [],
            repeats: repeats.map { "schema-\($0)" })
    }
}
