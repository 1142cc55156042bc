// SPDX-License-Identifier: Apache-2.0

/// A row found in a damaged file, whatever table it was of. `Salvage` decides what becomes of it.
package struct SalvagedRow: Sendable, Hashable {
    /// Its rowid, which is the value of an INTEGER PRIMARY KEY.
    package let rowid: Int64
    /// In the order of the table. A column that is the rowid is NULL; columns that were added to
    /// the table later may be missing at the end.
    package let values: [DatabaseValue]
    /// It is from the newest image of a page that is in use. The database file has one image of a page, the
    /// write-ahead log may have several.
    package let isCurrent: Bool
    /// False where it is from after the last commit of a write-ahead log: nothing that was
    /// confirmed, unless the commit itself is what is damaged.
    package let isCommitted: Bool
}

extension DamagedFile {
    /// Every row with columns that `fits` accepts, from every image of every page; the same row may
    /// come several times.
    ///
    /// A page that is in order is read by its own list of cells. Everything else (a page with a
    /// damaged header, one of another kind) is searched byte by byte for what may begin a row: a
    /// length, a rowid and a list of columns that add up.
    package func forEachRow(fitting fits: ([StoredKind]) -> Bool, _ body: (SalvagedRow) throws -> Void) rethrows {
        try forEachImage { image in
            if let offsets = cellOffsets(of: image) {
                let readings = offsets.map { read(image, at: $0, fits) }
                for case .rows(let rows) in readings { try rows.forEach(body) }
                // Whole rows that do not fit are another table's: there is no need to search the page.
                guard readings.contains(.broken) else { return }
            }
            guard !isInterior(image) else { return }
            for offset in 0..<max(0, image.bytes.count - 4) {
                if case .rows(let rows) = read(image, at: offset, fits) { try rows.forEach(body) }
            }
        }
    }

    /// The first byte of a page (§1.6).
    private static let tableLeaf: UInt8 = 13, tableInterior: UInt8 = 5, indexInterior: UInt8 = 2

    /// Where the cells of a leaf of a table begin (§1.6); nil where the page is none, or its header is damaged.
    private func cellOffsets(of image: Image) -> [Int]? {
        let base = image.number == 1 ? 100 : 0  // page 1 begins with the file's header
        let bytes = image.bytes
        guard bytes.count == pageSize, bytes[base] == Self.tableLeaf, let count = bytes.bigEndian16(base + 3) else {
            return nil
        }
        let offsets = (0..<count).compactMap { bytes.bigEndian16(base + 8 + 2 * $0) }
        return offsets.allSatisfy { $0 >= base + 8 + 2 * count && $0 < pageSize } ? offsets : nil
    }

    /// A page that only leads to others (§1.6): each of its cells begins with the number of a
    /// page that there is.
    private func isInterior(_ image: Image) -> Bool {
        let base = image.number == 1 ? 100 : 0
        let bytes = image.bytes
        guard bytes.count == pageSize, bytes[base] == Self.tableInterior || bytes[base] == Self.indexInterior,
            let count = bytes.bigEndian16(base + 3), base + 12 + 2 * count <= pageSize,
            let last = bytes.bigEndian32(base + 8)
        else { return false }
        let children = (0..<count).map { bytes.bigEndian16(base + 12 + 2 * $0).flatMap(bytes.bigEndian32) ?? 0 }
        return (children + [last]).allSatisfy { $0 > 0 && Int($0) * pageSize <= mostBytes }
    }

    private enum Reading: Equatable {
        /// Several where it continues on a page with a bit that is wrong, and it is unknown which.
        case rows([SalvagedRow])
        /// A whole row of another table.
        case other
        case broken
    }

    /// The row whose cell begins at `start`: the length of its content, the rowid, as much of the content as is kept
    /// on the page, and, where that is not all, the number of the first overflow page (§1.6).
    private func read(_ image: Image, at start: Int, _ fits: ([StoredKind]) -> Bool) -> Reading {
        var place = start
        guard let length = image.bytes.varint(&place), length > 1, length <= Int64(mostBytes),
            let rowid = image.bytes.varint(&place)
        else { return .broken }
        let local = localBytes(Int(length))
        guard place + local <= image.bytes.count else { return .broken }
        guard let header = header(image.bytes, at: place, of: Int(length), local: local) else { return .broken }
        guard fits(header.columns.map(\.kind)) else { return .other }
        let payload = Array(image.bytes[place..<(place + local)])
        var rests: [[UInt8]] = [[]]
        if local < length {
            guard let next = image.bytes.bigEndian32(place + local) else { return .broken }
            rests = OverflowChain(file: self, first: next, length: Int(length) - local).contents()
        }
        let rows = rests.map { rest in
            SalvagedRow(
                rowid: rowid, values: Self.values(header.columns, (payload + rest)[header.length...]),
                isCurrent: image.isCurrent, isCommitted: image.isCommitted)
        }
        return rows.isEmpty ? .broken : .rows(rows)
    }

    /// A row's header (§2.1): the types of its columns, which with the header take exactly the `length` of the row,
    /// and the header's own length. No table of ours has a header of more than 200 bytes.
    private func header(
        _ bytes: [UInt8], at start: Int, of length: Int, local: Int
    ) -> (columns: [SerialType], length: Int)? {
        var place = start
        guard let stated = bytes.varint(&place), stated >= 2, stated <= Int64(local), stated <= 200 else { return nil }
        var columns: [SerialType] = []
        var sum = Int(stated)
        while place < start + Int(stated) {
            guard let type = bytes.varint(&place).flatMap(SerialType.init), type.size <= length else { return nil }
            columns.append(type)
            sum += type.size
        }
        return place == start + Int(stated) && sum == length ? (columns, Int(stated)) : nil
    }

    /// How much of a row of that length is on its own page (§1.6).
    private func localBytes(_ length: Int) -> Int {
        let most = pageSize - 35
        guard length > most else { return length }
        let least = (pageSize - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (pageSize - 4)
        return fitting <= most ? fitting : least
    }

    private static func values(_ columns: [SerialType], _ content: ArraySlice<UInt8>) -> [DatabaseValue] {
        var rest = content
        return columns.map { column in
            defer { rest = rest.dropFirst(column.size) }
            return column.value(rest.prefix(column.size))
        }
    }
}
