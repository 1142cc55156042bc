// SPDX-License-Identifier: Apache-2.0
import CZlib
import SystemKit

/// gzip of whole files, such as recordings that are text, and of bytes in memory; `compress` and `fault` need
/// constant memory. A member is a header, deflated bytes and their CRC-32; a file may have several.
package enum GzipFile {
    static func begins(_ start: [UInt8]) -> Bool { start.starts(with: [0x1F, 0x8B]) }

    private static let piece = 65_536

    /// Throws where zlib could not begin.
    static func check(_ status: CInt) throws(FileError) {
        guard status == Z_OK else { throw .library(name: "zlib", problem: "out of memory") }
    }

    /// Compresses all of `source` into the empty `target`.
    package static func compress(_ source: File, to target: File) throws(FileError) {
        var stream = z_stream()
        try check(studyd_gzip_begin(&stream, 3))
        defer { deflateEnd(&stream) }
        var (place, end) = (0, 0)
        while true {
            var input = try source.read(piece, at: place)
            place += input.count
            let output = try step(&stream, &input, flush: input.count < piece ? Z_FINISH : Z_NO_FLUSH, deflate)
            try target.write(output.bytes, at: end)
            end += output.bytes.count
            if output.isEnd { return }
        }
    }

    /// Compresses a small content into one member.
    package static func compressed(_ content: [UInt8]) throws(FileError) -> [UInt8] {
        var (stream, content) = (z_stream(), content)
        try check(studyd_gzip_begin(&stream, 3))
        defer { deflateEnd(&stream) }
        return try step(&stream, &content, flush: Z_FINISH, deflate).bytes
    }

    /// The content of one whole member; nil where that is damaged or holds more than `limit` bytes.
    static func content(of member: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        var (stream, member) = (z_stream(), Array(member))
        guard studyd_gunzip_begin(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var status = Z_OK
        let content = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            member.withUnsafeMutableBufferPointer { source in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (buffer.baseAddress, UInt32(limit))
                status = inflate(&stream, Z_FINISH)
            }
            filled = limit - Int(stream.avail_out)
        }
        return status == Z_STREAM_END && stream.avail_in == 0 ? content : nil
    }

    /// The content of a gzip file, of all its members (RFC 1952, 2.2), at most `limit` bytes of it. A
    /// cut file gives what there is.
    package static func contents(_ source: File, limit: Int) throws(FileError) -> [UInt8] {
        var stream = z_stream()
        try check(studyd_gunzip_begin(&stream))
        defer { inflateEnd(&stream) }
        var (place, content, isBetweenMembers) = (0, [UInt8](), false)
        while content.count < limit {
            var input = try source.read(piece, at: place)
            guard !input.isEmpty else { break }
            // What lies after the last member is damage of the file, not of the content.
            if isBetweenMembers, !begins(input) { break }
            let output = try step(&stream, &input, flush: Z_NO_FLUSH, inflate)
            content += output.bytes
            place += input.count - Int(stream.avail_in)
            isBetweenMembers = output.isEnd
            if output.isEnd { inflateReset(&stream) }
        }
        return Array(content.prefix(limit))
    }

    /// What is wrong with a gzip file, by the CRC-32 and the length that each of its members ends
    /// with (RFC 1952, 2.3.1) and by its own end; nil when it is whole. Bytes after the last
    /// member are damage, too.
    package static func fault(_ source: File) throws(FileError) -> String? {
        var stream = z_stream()
        try check(studyd_gunzip_begin(&stream))
        defer { inflateEnd(&stream) }
        var (place, status, members) = (0, Z_OK, 0)
        let scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: piece)
        defer { scratch.deallocate() }
        while true {
            var input = try source.read(piece, at: place)
            guard !input.isEmpty else { break }
            place += input.count
            input.withUnsafeMutableBufferPointer { bytes in
                stream.next_in = bytes.baseAddress
                stream.avail_in = UInt32(bytes.count)
                repeat {
                    if status == Z_STREAM_END {
                        guard stream.avail_in > 0 else { return }
                        status = inflateReset(&stream)
                    }
                    stream.next_out = scratch.baseAddress
                    stream.avail_out = UInt32(piece)
                    status = inflate(&stream, Z_NO_FLUSH)
                    if status == Z_STREAM_END { members += 1 }
                } while (status == Z_OK || status == Z_STREAM_END) && (stream.avail_out == 0 || stream.avail_in > 0)
            }
            if status == Z_BUF_ERROR { status = Z_OK }  // it only wants more input
            guard status == Z_OK || status == Z_STREAM_END else {
                let said = stream.msg.map { String(cString: $0) } ?? "status \(status)"
                return members > 0
                    ? "trailing bytes are not gzip (\(said))" : "the gzip data is damaged (\(said))"
            }
        }
        return status == Z_STREAM_END ? nil : "the gzip data is truncated"
    }

    /// Runs `deflate` or `inflate` until all input is taken; `isEnd` once the deflate stream or gzip member has ended.
    static func step(
        _ stream: inout z_stream, _ input: inout [UInt8], flush: CInt,
        _ function: (z_streamp?, CInt) -> CInt
    ) throws(FileError) -> (bytes: [UInt8], isEnd: Bool) {
        var bytes: [UInt8] = []
        var status = Z_OK
        input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            repeat {
                let part = [UInt8](unsafeUninitializedCapacity: piece) { buffer, filled in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(piece)
                    status = function(&stream, flush)
                    filled = piece - Int(stream.avail_out)
                }
                bytes += part
            } while status == Z_OK && (stream.avail_out == 0 || stream.avail_in > 0)
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .library(name: "zlib", problem: "the data is damaged (status \(status))")
        }
        return (bytes, status == Z_STREAM_END)
    }
}
