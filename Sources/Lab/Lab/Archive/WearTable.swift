// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// How long each device was worn, by recording and day, so that none is opened twice.
struct WearTable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// `day` counts from 1970; NULL where the recording says nothing of wear.
    static let tables = """
        CREATE TABLE IF NOT EXISTS worn (
            number INTEGER NOT NULL, day INTEGER, worn INTEGER NOT NULL, notWorn INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS wornIn ON worn (number);
        """

    func note(_ days: [LocalDate: WornTime], of upload: Int64) throws {
        _ = try connection.transaction(flushing: false) {
            try connection.run("DELETE FROM worn WHERE number = ?", upload)
            if days.isEmpty { try connection.run("INSERT INTO worn VALUES (?, NULL, 0, 0)", upload) }
            for (day, time) in days {
                try connection.run(
                    "INSERT INTO worn VALUES (?, ?, ?, ?)", upload, day.daysSinceEpoch, time.worn, time.notWorn)
            }
        }
    }

    /// Nil for an upload that was not noted.
    func days(of upload: Int64) throws -> [LocalDate: WornTime]? {
        let rows = try connection.rows("SELECT day, worn, notWorn FROM worn WHERE number = ?", upload) { row in
            (try row.intOrNil(0), WornTime(worn: Int(try row.int(1)), notWorn: Int(try row.int(2))))
        }
        guard !rows.isEmpty else { return nil }
        return rows.reduce(into: [:]) { days, row in
            if let day = row.0 { days[LocalDate(daysSinceEpoch: Int(day))] = row.1 }
        }
    }
}

/// When participants wore their devices, by the recordings of features that have arrived; each is read
/// once, when it is first asked for.
struct WearIndex: Sendable {
    let archive: Archive
    let folder: UploadFolder

    private static let largest: Int64 = 16 << 20
    /// Files that one page reads, at most.
    var most = 200

    /// Wear by day of the device's clock, from those of these recordings that are features. A file
    /// that cannot be read counts for nothing. Not whole where older files are left for the next time.
    func days(in spans: [RecordedSpan]) async throws -> (days: [LocalDate: WornTime], isWhole: Bool) {
        let features = spans.filter { $0.kind == "features" }.compactMap { span in span.upload.map { ($0, span) } }
        var (days, left, isWhole) = ([LocalDate: WornTime](), most, true)
        for (number, span) in Dictionary(features, uniquingKeysWith: { one, _ in one }).sorted(by: { $0.key > $1.key })
        {
            var found = try await archive.worn(in: number)
            if found == nil, left == 0 { isWhole = false }
            if found == nil, left > 0 {
                left -= 1
                found = try await read(number, span)
                if let found { try await archive.noteWorn(found, in: number) }
            }
            days.merge(found ?? [:]) { $0 + $1 }
        }
        return (days, isWhole)
    }

    /// Nil where the disk fails, so that the file is tried again; empty where the file says nothing of wear.
    private func read(_ number: Int64, _ span: RecordedSpan) async throws -> [LocalDate: WornTime]? {
        guard let upload = try await archive.upload(number: number), upload.length <= Self.largest,
            let path = await folder.path(upload)
        else { return [:] }
        do { return try WornTime.days(of: path, named: upload.name, offset: span.offset) } catch {
            return (error as? FileError)?.operation == nil ? [:] : nil
        }
    }
}
