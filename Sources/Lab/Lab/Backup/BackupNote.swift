// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The file by which a folder is known to be a backup: `Backup` writes it, `Restore` looks for it.
struct BackupNote: Sendable {
    static let name = "study-receiver-backup.json"
    private static let format = "study-receiver-backup 1"

    /// When the backup was made; nil until the first one is whole.
    var made: Instant?
    /// Names of the databases in it, such as `receiver.sqlite`.
    var databases: [String] = []
    /// Paths that are not restored, since they are about to be deleted.
    var removed: [String] = []

    init() {}

    /// Nil where there is none.
    init?(in folder: String) throws {
        try LabFile.checkAccess(to: folder)
        let path = "\(folder)/\(Self.name)"
        guard access(path, F_OK) == 0 else { return nil }
        let text = String(decoding: try BoundedFile.read(path, limit: 256 << 20), as: UTF8.self)
        guard let value = try? JSONReader.value(text), value["format"]?.string == Self.format else {
            throw FileError(
                path: path, message: "is damaged, or of another version of study-receiver",
                remedy: "use that version, or another folder")
        }
        made = value["made"]?.string.flatMap { try? Instant(rfc3339: $0) }
        databases = Self.texts(value["databases"]).filter { $0.hasSuffix(".sqlite") && !$0.contains("/") }
        removed = Self.texts(value["removed"])
    }

    private static func texts(_ value: JSONValue?) -> [String] { value?.array?.compactMap { $0.string } ?? [] }

    func write(to folder: String) throws {
        let value: JSONValue = .members([
            "format": .string(Self.format), "made": .text(made?.rfc3339Zulu()),
            "databases": .array(databases.map(JSONValue.string)), "removed": .array(removed.map(JSONValue.string)),
        ])
        try AtomicFile.write(Array((value.text + "\n").utf8), to: "\(folder)/\(Self.name)", mode: 0o600)
    }
}
