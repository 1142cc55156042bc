// SPDX-License-Identifier: Apache-2.0
import Base
import CZstd
import Glibc
import SystemKit

/// What an upload that came as Zstandard becomes: metadata `content_encoding` is `zstd`, `content_filename` the
/// name, `content_sha256` and `content_length` what has to come out. `TusRoutes` reads these as the upload
/// begins, `UploadFolder` restores the file.
struct ZstandardUpload: Sendable, Hashable {
    let name: String
    let sha256: String
    let length: Int64

    /// Nil for an upload that is to be kept as it came: it is not compressed, or its metadata do not
    /// say what it becomes.
    init?(_ metadata: JSONValue?) {
        guard let metadata, metadata["content_encoding"]?.string == "zstd",
            let name = metadata["content_filename"]?.string, !name.isEmpty,
            let sha256 = metadata["content_sha256"]?.string?.lowercased(), sha256.utf8.count == 64,
            let length = metadata["content_length"]?.string.flatMap({ Int64($0) }),
            (0...UploadFolder.sizeLimit).contains(length)
        else { return nil }
        (self.name, self.sha256, self.length) = (name, sha256, length)
    }

    /// Restores the file at `path` as `target`; false when it is no Zstandard, is longer than
    /// announced, or has another SHA-256. Throws `FileError` and `DigestError`. Blocks on the disk.
    func restore(_ path: String, to target: String) throws -> Bool {
        guard let context = ZSTD_createDCtx() else { return false }
        defer { ZSTD_freeDCtx(context) }
        // A window of more than 2^27 bytes (128 MiB) is an attack on our memory, not a recording.
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
        let sink = try File(target, .replace)
        var written: Int64 = 0
        var isWhole = false
        var output = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        let isGood = try File.forEachPiece(path) { piece in
            var taken = 0
            while taken < piece.count {
                let step = Self.step(context, piece, taken, &output)
                guard let left = step.left, written + Int64(step.made) <= length else { return false }
                try sink.write(Array(output[..<step.made]), at: Int(written))
                (written, taken, isWhole) = (written + Int64(step.made), taken + step.taken, left == 0)
                if step.taken == 0, step.made == 0 { break }
            }
            return true
        }
        guard isGood, isWhole, written == length else { return false }
        try sink.sync()
        return try Digest(ofFile: target).description == sha256
    }

    /// One call of the library; `left` is nil for damage and 0 at the end of a frame.
    private static func step(
        _ context: OpaquePointer, _ input: ArraySlice<UInt8>, _ start: Int, _ output: inout [UInt8]
    ) -> (taken: Int, made: Int, left: Int?) {
        input.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                var from = ZSTD_inBuffer(src: input.baseAddress?.advanced(by: start), size: input.count - start, pos: 0)
                var into = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                let left = ZSTD_decompressStream(context, &into, &from)
                return (from.pos, into.pos, ZSTD_isError(left) != 0 ? nil : left)
            }
        }
    }
}
