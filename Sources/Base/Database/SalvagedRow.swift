// SPDX-License-Identifier: Apache-2.0

/// A row found in a damaged file, whatever table it was of.
package struct SalvagedRow: Sendable, Hashable {
    /// Its rowid, which is the value of an INTEGER PRIMARY KEY.
    package let rowid: Int64
    /// In the order of the table. A column that is the rowid is NULL; columns that were added to
    /// the table later may be missing at the end.
    package let values: [DatabaseValue]
    /// It is from the newest image of a page that is in use. The database file has one image of a page, the
    /// write-ahead log may have several.
    package let isCurrent: Bool
    /// False where it is from behind the last commit of a write-ahead log: nothing that was
    /// confirmed, unless the commit itself is what is damaged.
    package let isCommitted: Bool
}

/// How a column of a row is stored (§2.1 of https://sqlite.org/fileformat2.html): its kind, and the bytes it takes.
package enum StoredKind: Sendable, Hashable {
    case null, integer, real
    case text(Int)
    case blob(Int)

    /// Nil for the two types that are reserved.
    init?(serial: Int64) {
        switch serial {
        case 0: self = .null
        case 1...6, 8, 9: self = .integer
        case 7: self = .real
        case 12... where serial % 2 == 0: self = .blob(Int((serial - 12) / 2))
        case 13...: self = .text(Int((serial - 13) / 2))
        default: return nil
        }
    }
}

extension DamagedFile {
    /// Every row with columns that `fits` accepts, from every image of every page; the same row may
    /// come several times.
    ///
    /// A page that is in order is read by its own list of cells. Everything else (a page with a
    /// damaged head, one of another kind) is searched byte by byte for what may begin a row: a
    /// length, a rowid and a list of columns that add up.
    package func forEachRow(fitting fits: ([StoredKind]) -> Bool, _ body: (SalvagedRow) throws -> Void) rethrows {
        try forEachImage { image in
            if let cells = cells(of: image) {
                let readings = cells.map { read(image, at: $0, fits) }
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

    /// Where the cells of a leaf of a table begin (§1.6); nil where the page is none, or its
    /// head does not hold.
    private func cells(of image: Image) -> [Int]? {
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
        guard let types = types(image.bytes, at: place, of: Int(length), local: local) else { return .broken }
        let kinds = types.columns.compactMap { StoredKind(serial: $0.serial) }
        guard fits(kinds) else { return .other }
        let payload = Array(image.bytes[place..<(place + local)])
        var rests: [[UInt8]] = [[]]
        if local < length {
            guard let next = image.bytes.bigEndian32(place + local) else { return .broken }
            rests = overflows(next, Int(length) - local)
        }
        let rows = rests.map { rest in
            SalvagedRow(
                rowid: rowid, values: Self.values(types.columns, (payload + rest)[types.end...]),
                isCurrent: image.isCurrent, isCommitted: image.isCommitted)
        }
        return rows.isEmpty ? .broken : .rows(rows)
    }

    /// The types of the columns (§2.1) and the bytes that each takes, together exactly the length of the row. No
    /// table of ours has a header of more than 200 bytes.
    private func types(
        _ bytes: [UInt8], at start: Int, of length: Int, local: Int
    ) -> (columns: [(serial: Int64, size: Int)], end: Int)? {
        var place = start
        guard let head = bytes.varint(&place), head >= 2, head <= Int64(local), head <= 200 else { return nil }
        let end = start + Int(head)
        var columns: [(serial: Int64, size: Int)] = []
        var sum = Int(head)
        while place < end {
            guard let serial = bytes.varint(&place), let size = Self.size(serial), size <= length else { return nil }
            columns.append((serial, size))
            sum += size
        }
        return place == end && sum == length ? (columns, Int(head)) : nil
    }

    /// How many bytes a column of that type takes (§2.1); nil for the two types that are reserved.
    private static func size(_ serial: Int64) -> Int? {
        switch serial {
        case 0, 8, 9: 0
        case 1...4: Int(serial)
        case 5: 6
        case 6, 7: 8
        case 12...: Int((serial - 12) / 2)
        default: nil
        }
    }

    /// How much of a row of that length is on its own page (§1.6).
    private func localBytes(_ length: Int) -> Int {
        let most = pageSize - 35
        guard length > most else { return length }
        let least = (pageSize - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (pageSize - 4)
        return fitting <= most ? fitting : least
    }

    /// What the chain of overflow pages that begins at page `first` may hold: once by the images that
    /// are certain, then by the first variant of each doubtful page, by the second, and so on. A chain
    /// that breaks off gives nothing.
    private func overflows(_ first: UInt32, _ count: Int) -> [[UInt8]] {
        var most = 0
        var found = [overflow(first, count, newest)].compactMap(\.self)
        var number = 0
        repeat {
            let next = overflow(first, count) { page in
                let variants = doubtful(page)
                most = max(most, variants.count)
                return variants.isEmpty ? newest(page) : variants[min(number, variants.count - 1)]
            }
            if let next, next != found.first { found.append(next) }
            number += 1
        } while number < most
        return found
    }

    private func overflow(_ first: UInt32, _ count: Int, _ page: (UInt32) -> [UInt8]?) -> [UInt8]? {
        var found: [UInt8] = []
        var next = first
        var seen: Set<UInt32> = []
        while found.count < count {
            guard next != 0, seen.insert(next).inserted, let page = page(next), page.count == pageSize,
                let following = page.bigEndian32(0)
            else { return nil }
            found += page[4..<min(pageSize, 4 + count - found.count)]
            next = following
        }
        return found
    }

    private static func values(
        _ columns: [(serial: Int64, size: Int)], _ content: ArraySlice<UInt8>
    ) -> [DatabaseValue] {
        var rest = content
        return columns.map { column in
            defer { rest = rest.dropFirst(column.size) }
            return value(column.serial, rest.prefix(column.size))
        }
    }

    private static func value(_ serial: Int64, _ bytes: ArraySlice<UInt8>) -> DatabaseValue {
        switch serial {
        case 0: .null
        case 8: .integer(0)
        case 9: .integer(1)
        case 7: .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        case ...6: .integer(signed(bytes))
        default: serial % 2 == 0 ? .blob(Array(bytes)) : .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
        let start: Int64 = (bytes.first ?? 0) & 0x80 == 0 ? 0 : -1
        return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }
}

extension [UInt8] {
    /// One to nine bytes, seven bits each but for the ninth (§1.6); nil beyond the end.
    func varint(_ place: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < count else { return nil }
            let byte = self[place]
            place += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }
}
