// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What lies beside recordings so that they are enough by themselves, in a bucket or on a stick: a
/// day's manifest, and the log in segments of rows, as far as it had come when that was made. It goes as a
/// small file, whose name is the item's origin.
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

    /// The day that a manifest's name has.
    static func day(of origin: String) -> LocalDate? {
        guard origin.hasPrefix(manifest) else { return nil }
        return try? LocalDate(parsing: String(origin.dropFirst(manifest.count).prefix(10)))
    }

    static func logName(_ rows: ClosedRange<Int64>) -> String {
        "\(log)\(Int(rows.lowerBound).padded(9))-\(Int(rows.upperBound).padded(9)).jsonl.gz"
    }

    /// The last row of a segment of that name.
    static func lastRow(of origin: String) -> Int64? {
        guard origin.hasPrefix(log), isName(origin) else { return nil }
        return origin.dropFirst(log.count).prefix { $0 != "." }.split(separator: "-").last.flatMap { Int64($0) }
    }

    /// The destination, a bucket or a folder, gives the address. The three fields with small initials are
    /// what it makes the path of; they are no headers of HTTP.
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
