// SPDX-License-Identifier: Apache-2.0
import CZlib

/// gzip of whole files, in constant memory.
public enum GzipFile {
    private static let piece = 65_536

    /// Compresses all of `source` into the empty `target`.
    public static func compress(_ source: DiskFile, to target: DiskFile) throws(RecordingError) {
        var stream = z_stream()
        guard studyd_gzip_begin(&stream, 3) == Z_OK else {
            throw .library(name: "zlib", problem: "cannot begin: out of memory")
        }
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

    /// The content of a gzip file, at most `limit` bytes of it. A cut file gives what there is.
    public static func contents(_ source: DiskFile, limit: Int) throws(RecordingError) -> [UInt8] {
        var stream = z_stream()
        guard studyd_gunzip_begin(&stream) == Z_OK else {
            throw .library(name: "zlib", problem: "cannot begin: out of memory")
        }
        defer { inflateEnd(&stream) }
        var (place, content) = (0, [UInt8]())
        while content.count < limit {
            var input = try source.read(piece, at: place)
            guard !input.isEmpty else { break }
            place += input.count
            let output = try step(&stream, &input, flush: Z_NO_FLUSH, inflate)
            content += output.bytes
            if output.isEnd { break }
        }
        return Array(content.prefix(limit))
    }

    private static func step(
        _ stream: inout z_stream, _ input: inout [UInt8], flush: CInt,
        _ function: (z_streamp?, CInt) -> CInt
    ) throws(RecordingError) -> (bytes: [UInt8], isEnd: Bool) {
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
            throw .library(name: "zlib", problem: "the data are damaged (status \(status))")
        }
        return (bytes, status == Z_STREAM_END)
    }
}
