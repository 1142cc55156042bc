// SPDX-License-Identifier: Apache-2.0
import CZstd
import Glibc
import SystemKit

/// Compresses whole files for `UploadPayload`, as Zstandard of level 1, in constant memory. The same bytes come out
/// of the same file and library every time.
package enum ZstandardFile {
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        let path: String
        let problem: String
        package var description: String { "\(path): cannot be compressed: \(problem); check the disk's free space" }
    }

    /// Compresses the file at `path` into `target`, which appears under its name when it is whole.
    /// Not made durable: after a power cut it is made again, and what was left, `….tmp`, is removed
    /// at start (`RecordingFolder.recover`). Fails while another thread makes the same target: two
    /// destinations may send the same file. Returns the bytes of `target`. Blocks on the disk.
    package static func compress(_ path: String, to target: String) throws(Failure) -> Int64 {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw Failure(path: path, problem: "errno \(errno) when opening it") }
        defer { close(source) }
        let unfinished = target + ".new.tmp"
        let sink = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard sink >= 0 else { throw Failure(path: unfinished, problem: "errno \(errno) when making it") }
        defer { close(sink) }
        do throws(Failure) {
            let bytes = try stream(from: source, to: sink, path)
            guard rename(unfinished, target) == 0 else { throw Failure(path: target, problem: "errno \(errno)") }
            return bytes
        } catch {
            unlink(unfinished)
            throw error
        }
    }

    private static func stream(from source: CInt, to sink: CInt, _ path: String) throws(Failure) -> Int64 {
        guard let context = ZSTD_createCCtx() else { throw Failure(path: path, problem: "no memory for libzstd") }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        var input = [UInt8](repeating: 0, count: ZSTD_CStreamInSize())
        var output = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
        var total: Int64 = 0
        while true {
            let count = File.read(source, into: &input)
            guard count >= 0 else { throw Failure(path: path, problem: "errno \(errno) when reading") }
            var taken = 0
            while true {
                let step = step(context, input, taken..<count, &output)
                if let problem = step.problem { throw Failure(path: path, problem: problem) }
                try write(output[..<step.made], to: sink, path)
                total += Int64(step.made)
                taken += step.taken
                if count > 0 ? taken == count : step.isDone { break }
            }
            if count == 0 { return total }
        }
    }

    /// One call of the library; an empty range ends the frame.
    private static func step(
        _ context: OpaquePointer, _ input: [UInt8], _ range: Range<Int>, _ output: inout [UInt8]
    ) -> (taken: Int, made: Int, isDone: Bool, problem: String?) {
        input.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                var from = ZSTD_inBuffer(
                    src: input.baseAddress?.advanced(by: range.lowerBound), size: range.count, pos: 0)
                var into = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                let left = ZSTD_compressStream2(context, &into, &from, range.isEmpty ? ZSTD_e_end : ZSTD_e_continue)
                let problem = ZSTD_isError(left) != 0 ? String(cString: ZSTD_getErrorName(left)) : nil
                return (from.pos, into.pos, left == 0, problem)
            }
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to sink: CInt, _ path: String) throws(Failure) {
        guard File.write(bytes, to: sink) else { throw Failure(path: path, problem: "errno \(errno) when writing") }
    }
}
