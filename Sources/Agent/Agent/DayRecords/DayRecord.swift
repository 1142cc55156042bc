// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The small files that say whether recordings in a bucket or on a stick are complete: a manifest for each day, and
/// segments of the event log up to the moment of the manifest. Here are their names, which are the `origin` of their
/// outbox items, and how `DayRecordMaker` drafts those; `study-receiver mirror` and `studyd recordings verify` read
/// the files.
package enum DayRecord {
    static let manifest = "manifest-"
    static let log = "log-"

    static func isName(_ origin: String) -> Bool {
        origin.hasPrefix(manifest) && origin.hasSuffix(".json")
            || origin.hasPrefix(log) && origin.hasSuffix(".jsonl.gz")
    }

    /// `manifest-2026-11-25.json`, and `manifest-2026-11-25-2.json` for the second part.
    static func manifestName(_ day: LocalDate, part: Int) -> String {
        "\(manifest)\(day)\(part > 1 ? "-\(part)" : "").json"
    }

    /// The day in a manifest's name; nil for another name.
    static func day(of origin: String) -> LocalDate? {
        guard origin.hasPrefix(manifest) else { return nil }
        return try? LocalDate(parsing: String(origin.dropFirst(manifest.count).prefix(10)))
    }

    /// `log-000000001-000000250.jsonl.gz`.
    static func logName(_ rows: ClosedRange<Int64>) -> String {
        "\(log)\(Int(rows.lowerBound).padded(9))-\(Int(rows.upperBound).padded(9)).jsonl.gz"
    }

    /// The last row in a log segment's name; nil for another name.
    static func lastRow(of origin: String) -> Int64? {
        guard origin.hasPrefix(log), isName(origin) else { return nil }
        return origin.dropFirst(log.count).prefix { $0 != "." }.split(separator: "-").last.flatMap { Int64($0) }
    }

    /// The outbox item for such a file. Its address is empty: the destination, a bucket or a folder, makes a
    /// path of `participant`, `study` and `enrolment`, which are not sent as HTTP headers.
    static func draft(_ name: String, _ body: [UInt8], of record: EnrolmentRecord, to destination: String)
        -> OutboxDraft
    {
        let type = name.hasSuffix(".gz") ? "application/gzip" : "application/json"
        let fields = [
            ("Content-Type", type), ("participant", record.participant), ("study", record.studyID),
            ("enrolment", record.id),
        ]
        return OutboxDraft(
            origin: name, itemClass: .events, destination: destination,
            content: .request(
                WireRequest(
                    method: "POST", url: "", headers: fields.map { .init(name: $0.0, value: $0.1) }, body: body)))
    }
}
