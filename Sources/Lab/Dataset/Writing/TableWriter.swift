// SPDX-License-Identifier: Apache-2.0
import Base

/// One table of a dataset while it is written, for `TableSet` and `TrialExport`: `add` for each row, then
/// `finish`.
final class TableWriter<Row> {
    private let table: DatasetTable<Row>
    private let file: TableFile
    private let folder: DatasetFolder
    private let keyPlaces: [Int]
    /// No row so far lacks a part of its key.
    private var isKeyed = true

    init(_ table: DatasetTable<Row>, _ folder: DatasetFolder) throws {
        (self.table, self.folder) = (table, folder)
        keyPlaces = table.columns.indices.filter { table.key.contains(table.columns[$0].name) }
        file = try TableFile(folder, table.file)
        try file.write(table.header)
    }

    func add(_ row: Row) throws {
        let cells = table.cells(row)
        isKeyed = isKeyed && !keyPlaces.contains { cells[$0].isEmpty }
        try file.write(CSVLine.text(cells))
    }

    func finish() throws -> JSONText {
        try file.finish()
        let entry = folder.entry(table.file)
        return table.json(bytes: entry?.bytes ?? 0, sha256: entry?.sha256 ?? "", isKeyed: isKeyed)
    }
}
