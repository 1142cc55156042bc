// SPDX-License-Identifier: Apache-2.0
import CZlib
import SystemKit

/// The lines of a plain or gzipped file one after another, in bounded memory: what 64 KiB of the file expand
/// to. Checks and `RecordedFile` read with it. Used by one thread.
package final class TextLines {
    private static let piece = 65_536
    /// What is longer is no text, and is given out in pieces.
    private static let longestLine = 1 << 16
    /// Bytes of the file that were read so far.
    package private(set) var bytesRead = 0
    /// The last line given out had no line end.
    package private(set) var isTorn = false
    private let file: File
    private let stream: UnsafeMutablePointer<z_stream>?
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(_ file: File, isCompressed: Bool) throws(FileError) {
        self.file = file
        guard isCompressed else {
            stream = nil
            return
        }
        // zlib keeps the address of its stream, so it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        self.stream = stream
        try GzipFile.check(studyd_gunzip_begin(stream))
    }

    deinit {
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The next line without its line end, up to a cut or damaged end; nil after the last.
    package func next() throws(FileError) -> ArraySlice<UInt8>? {
        // Up to here there is no line end.
        var searched = start
        while true {
            if let newline = buffer[searched...].firstIndex(of: 0x0A) {
                defer { start = newline + 1 }
                isTorn = false
                return buffer[start..<newline]
            }
            searched = buffer.count - start
            if isAtEnd || searched >= Self.longestLine {
                defer { start = buffer.count }
                guard start < buffer.count else { return nil }
                isTorn = true
                return buffer[start...]
            }
            buffer.removeFirst(start)
            start = 0
            try fill()
        }
    }

    private func fill() throws(FileError) {
        var input = try file.read(Self.piece, at: bytesRead)
        bytesRead += input.count
        if input.isEmpty { isAtEnd = true }
        guard let stream else {
            buffer += input
            return
        }
        inflate(stream, &input)
    }

    /// Damage ends the text, as a cut does.
    private func inflate(_ stream: UnsafeMutablePointer<z_stream>, _ input: inout [UInt8]) {
        input.withUnsafeMutableBufferPointer { source in
            stream.pointee.next_in = source.baseAddress
            stream.pointee.avail_in = UInt32(source.count)
            var isFull = false
            while stream.pointee.avail_in > 0 || isFull, !isAtEnd {
                var status = Z_OK
                buffer += [UInt8](unsafeUninitializedCapacity: Self.piece) { part, filled in
                    stream.pointee.next_out = part.baseAddress
                    stream.pointee.avail_out = UInt32(Self.piece)
                    status = CZlib.inflate(stream, Z_NO_FLUSH)
                    filled = Self.piece - Int(stream.pointee.avail_out)
                }
                isFull = stream.pointee.avail_out == 0
                // Another member may follow.
                if status == Z_STREAM_END { status = inflateReset(stream) }
                isAtEnd = status != Z_OK && status != Z_BUF_ERROR
            }
        }
    }
}
