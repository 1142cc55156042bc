// SPDX-License-Identifier: Apache-2.0
import CZlib
import Device
import Glibc
import SystemKit

/// A zip archive (PKWARE's APPNOTE 6.3.10) that is written from front to back, in constant memory but for its
/// directory: sizes and checksums follow each file. The same files and the same library give the same bytes.
/// `ZippedDataset` calls `add` for each file, then `finish`.
package final class ZipStream {
    private let write: ([UInt8]) throws -> Void
    /// From this many bytes on, sizes and offsets are written in 64 bits. Below 2³² with room to
    /// spare, since deflate makes what it cannot pack a little longer.
    private let large: UInt64
    private var directory: [UInt8] = []
    private var (count, offset): (UInt64, UInt64) = (0, 0)

    private static let piece = 1 << 18
    /// Midnight of 1980-01-01: what a file says of time is in its tables.
    private static let moment = two(0) + two(0x21)
    private static let most32 = UInt64(UInt32.max)

    /// `write` gets the archive's bytes in order.
    package init(large: UInt64 = 4_000_000_000, _ write: @escaping ([UInt8]) throws -> Void) {
        (self.large, self.write) = (large, write)
    }

    /// Adds a file. Recordings are left as they are, because packing takes longer than it saves.
    package func add(_ name: String, file path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError.last("read", path) }
        let isLarge = UInt64(status.st_size) >= large
        let start = offset
        // Flags (sizes follow the data; the name is UTF-8), deflate, and the time.
        let common = Self.two(0x0808) + Self.two(8) + Self.moment
        // 0xFFFFFFFF sends a reader to the extra field.
        let unknown = isLarge ? Self.four(Self.most32) : Self.four(0)
        // Zip64 (4.5.3): its id, its length, and the two sizes.
        let extra = isLarge ? Self.two(1) + Self.two(16) + Self.eight(0) + Self.eight(0) : []
        // Local file header (4.3.7); the checksum and the sizes are filled in behind the data.
        try put(Self.four(0x0403_4B50) + Self.version(isLarge) + common + Self.four(0))
        try put(
            unknown + unknown + Self.two(UInt64(name.utf8.count)) + Self.two(UInt64(extra.count)) + name.utf8 + extra)
        // zlib's level: 0 stores, 1 is the fastest.
        let packer = try Packer(level: name.hasPrefix("recordings/") ? 0 : 1)
        _ = try File.forEachPiece(path, size: Self.piece) { piece in
            try packer.add(piece, ends: false, put)
            return true
        }
        try packer.add([], ends: true, put)
        let (sum, packed, size) = (UInt64(packer.checksum), packer.given, packer.taken)
        let sizes = isLarge ? Self.eight(packed) + Self.eight(size) : Self.four(packed) + Self.four(size)
        // Data descriptor (4.3.9).
        try put(Self.four(0x0807_4B50) + Self.four(sum) + sizes)
        enter(name, common + Self.four(sum), packed: packed, size: size, start: start)
    }

    /// Ends the archive; nothing can be added.
    package func finish() throws {
        let start = offset
        let length = UInt64(directory.count)
        try put(directory)
        let isLarge = start >= large
        if count >= 0xFFFF || isLarge {
            let end = offset
            // End of the directory in 64 bits (4.3.14), then its locator (4.3.15).
            try put(
                Self.four(0x0606_4B50) + Self.eight(44) + Self.two(0x032D) + Self.two(45) + Self.four(0) + Self.four(0)
                    + Self.eight(count) + Self.eight(count) + Self.eight(length) + Self.eight(start))
            try put(Self.four(0x0706_4B50) + Self.four(0) + Self.eight(end) + Self.four(1))
        }
        let shown = Self.two(min(count, 0xFFFF))
        // End of the directory (4.3.16).
        try put(
            Self.four(0x0605_4B50) + Self.two(0) + Self.two(0) + shown + shown + Self.four(min(length, Self.most32))
                + Self.four(isLarge ? Self.most32 : start) + Self.two(0))
    }

    private func enter(_ name: String, _ common: [UInt8], packed: UInt64, size: UInt64, start: UInt64) {
        // All three or none, in the order that the format wants.
        let isWide = max(packed, size, start) >= large
        let extra = isWide ? Self.two(1) + Self.two(24) + Self.eight(size) + Self.eight(packed) + Self.eight(start) : []
        let shown = isWide ? [Self.most32, Self.most32, Self.most32] : [packed, size, start]
        // Directory header (4.3.12); 0x032D: made on Unix by version 4.5 of the format.
        directory += Self.four(0x0201_4B50) + Self.two(0x032D) + Self.version(isWide) + common
        directory += Self.four(shown[0]) + Self.four(shown[1])
        directory += Self.two(UInt64(name.utf8.count)) + Self.two(UInt64(extra.count)) + Self.two(0) + Self.two(0)
        // A regular file that its owner writes and all read.
        directory += Self.two(0) + Self.four(0o100644 << 16) + Self.four(shown[2]) + name.utf8 + extra
        count += 1
    }

    private func put(_ bytes: [UInt8]) throws {
        try write(bytes)
        offset += UInt64(bytes.count)
    }

    /// What a reader has to know (APPNOTE 4.4.3.2): deflate, or sizes and offsets of 64 bits.
    private static func version(_ isLarge: Bool) -> [UInt8] { two(isLarge ? 45 : 20) }

    private static func two(_ value: UInt64) -> [UInt8] { little(value, 2) }
    private static func four(_ value: UInt64) -> [UInt8] { little(value, 4) }
    private static func eight(_ value: UInt64) -> [UInt8] { little(value, 8) }

    private static func little(_ value: UInt64, _ count: UInt64) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// One file on its way through zlib.
private final class Packer {
    private(set) var checksum: UInt = 0
    /// Bytes that went in and that came out.
    private(set) var (taken, given): (UInt64, UInt64) = (0, 0)
    private var stream = z_stream()
    private static let room = 1 << 18

    init(level: CInt) throws {
        guard studyd_deflate_begin(&stream, level) == Z_OK else {
            throw FileError.library(name: "zlib", problem: "cannot begin: out of memory")
        }
    }

    deinit { deflateEnd(&stream) }

    func add(_ bytes: ArraySlice<UInt8>, ends: Bool, _ put: ([UInt8]) throws -> Void) throws {
        taken += UInt64(bytes.count)
        // For an empty buffer crc32 would return its initial value.
        if !bytes.isEmpty {
            checksum = bytes.withUnsafeBufferPointer { crc32(checksum, $0.baseAddress, UInt32($0.count)) }
        }
        var input = Array(bytes)
        try input.withUnsafeMutableBufferPointer { source in
            (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
            repeat {
                let packed = try step(ends ? Z_FINISH : Z_NO_FLUSH)
                given += UInt64(packed.count)
                if !packed.isEmpty { try put(packed) }
            } while stream.avail_out == 0
        }
    }

    private func step(_ flush: CInt) throws -> [UInt8] {
        var status = Z_OK
        let packed = [UInt8](unsafeUninitializedCapacity: Self.room) { buffer, filled in
            (stream.next_out, stream.avail_out) = (buffer.baseAddress, UInt32(Self.room))
            status = deflate(&stream, flush)
            filled = Self.room - Int(stream.avail_out)
        }
        // Z_BUF_ERROR: there was nothing to do.
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else {
            throw FileError.library(name: "zlib", problem: "status \(status)")
        }
        return packed
    }
}
