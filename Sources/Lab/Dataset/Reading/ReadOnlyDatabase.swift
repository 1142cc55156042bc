// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit

/// A database of a receiver or a device that may be running, read as it was at one moment. Writes nothing.
/// `LabDatabases` and `DeviceFolder` open them.
struct ReadOnlyDatabase {
    let connection: Connection
    private let path: String

    /// Nil where there is no such file.
    init?(_ path: String) throws {
        guard access(path, F_OK) == 0 else { return nil }
        self.path = path
        do {
            connection = try Connection(.readOnly(path))
            // In WAL mode the first read after BEGIN fixes the snapshot; later commits are not seen.
            try connection.execute("BEGIN")
            _ = try connection.first("SELECT count(*) FROM sqlite_schema") { try $0.int(0) }
        } catch {
            throw FileError(
                path: path, message: "cannot be read: \(error)",
                remedy: "is it a database of study-receiver or studyd, in a folder that can be written?")
        }
    }

    /// Throws where the table lacks that column: another version wrote the database.
    func need(_ column: String, of table: String) throws {
        let names = try connection.rows("SELECT name FROM pragma_table_info(?)", table) { try $0.string(0) }
        guard !names.contains(column) else { return }
        throw FileError(
            path: path, message: "was written by another version of study-receiver: \(table) has no \(column)",
            remedy: "export it with that version")
    }

    /// Whether another program has committed since it was opened. Ends the read transaction.
    func hasChanged() -> Bool {
        func version() -> Int64? { (try? connection.first("PRAGMA data_version") { try $0.int(0) }) ?? nil }
        let before = version()
        try? connection.execute("COMMIT")
        return version() != before
    }
}
