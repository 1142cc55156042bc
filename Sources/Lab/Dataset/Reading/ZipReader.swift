// SPDX-License-Identifier: Apache-2.0
import CZlib

/// The entries of a zip archive in memory: stored or deflated, below 4 GB, without encryption (PKWARE's APPNOTE
/// 6.3.9): what `LabArchives` opens.
struct ZipReader {
    private struct Entry {
        let method: UInt16
        let checksum: UInt32
        let packed: Int
        let size: Int
        let header: Int
    }

    private let bytes: [UInt8]
    private let entries: [String: Entry]
    private static let mostEntries = 1000

    /// Nil for anything but such an archive.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.end(of: bytes) else { return nil }
        // End record (4.3.16): count of entries at 10, offset of the directory at 16.
        let count = bytes.number(end + 10, 2)
        guard count <= Self.mostEntries else { return nil }
        var (entries, place): ([String: Entry], Int) = ([:], bytes.number(end + 16, 4))
        for _ in 0..<count {
            // Directory header (4.3.12): flags at 8, method 10, CRC-32 16, both sizes 20 and 24; lengths of name,
            // extra field and comment 28, 30 and 32; offset of the local header 42; the name 46.
            guard place + 46 <= end, bytes.number(place, 4) == 0x0201_4B50 else { return nil }
            let name = bytes.number(place + 28, 2)
            let next = place + 46 + name + bytes.number(place + 30, 2) + bytes.number(place + 32, 2)
            // Bit 0: encrypted.
            guard next <= end, bytes.number(place + 8, 2) & 1 == 0 else { return nil }
            let text = String(decoding: bytes[place + 46..<place + 46 + name], as: UTF8.self)
            entries[text] = Entry(
                method: UInt16(bytes.number(place + 10, 2)), checksum: UInt32(bytes.number(place + 16, 4)),
                packed: bytes.number(place + 20, 4), size: bytes.number(place + 24, 4),
                header: bytes.number(place + 42, 4))
            place = next
        }
        (self.bytes, self.entries) = (bytes, entries)
    }

    /// A file of at most `limit` bytes; nil where there is none, or where it is not what was packed.
    func contents(of name: String, limit: Int) -> [UInt8]? {
        guard let entry = entries[name], entry.size <= limit, entry.header + 30 <= bytes.count else { return nil }
        // Local header (4.3.7): 30 bytes, with the lengths of name and extra field at 26 and 28.
        let start = entry.header + 30 + bytes.number(entry.header + 26, 2) + bytes.number(entry.header + 28, 2)
        guard start + entry.packed <= bytes.count else { return nil }
        let packed = bytes[start..<start + entry.packed]
        let contents = entry.method == 0 ? Array(packed) : entry.method == 8 ? Self.inflate(packed, entry.size) : nil
        guard let contents, contents.count == entry.size else { return nil }
        return crc32(0, contents, UInt32(contents.count)) == UInt(entry.checksum) ? contents : nil
    }

    /// Where the record of the end of the directory begins; a comment may follow it.
    private static func end(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= 22 else { return nil }
        let first = max(0, bytes.count - 22 - 65_535)
        return (first...bytes.count - 22).last { bytes.number($0, 4) == 0x0605_4B50 }
    }

    private static func inflate(_ packed: ArraySlice<UInt8>, _ size: Int) -> [UInt8]? {
        var stream = z_stream()
        guard studyd_inflate_begin(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = Array(packed)
        // One byte more than the stated size, so that longer contents are noticed.
        var output = [UInt8](repeating: 0, count: size + 1)
        let result = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                return CZlib.inflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { return nil }
        return Array(output.prefix(Int(stream.total_out)))
    }
}

extension [UInt8] {
    /// Little-endian.
    fileprivate func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(self[place + $1]) << (8 * $1) }
    }
}
