// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// The bytes of an item as every destination but the study's own server sends them: a recording as it is or
/// compressed where that pays, or a request's body as a file that exists only in memory.
///
/// The compressed copy is beside the file as `<name>.zst.tmp` until the upload is over; a copy that is left
/// over may be deleted, since the same bytes can be made again.
struct UploadPayload: Sendable, Hashable {
    /// Smaller files are not compressed: it gains too little.
    private static let smallest: Int64 = 4096

    private let content: Content
    let bytes: Int64
    /// The file as it was sealed, before any compression.
    let file: FileReference
    /// True when what is sent is Zstandard.
    let isCompressed: Bool

    private enum Content: Sendable, Hashable {
        case file(String)
        case bytes([UInt8])
    }

    /// The payload of a job; files of the media types `compressible` are compressed. While the job has no
    /// `location` yet, a file is checked: throws `UnusablePayload` for one that is gone or no longer has its
    /// SHA-256.
    init(_ job: DeliveryJob, compressing compressible: Set<String>) throws {
        switch job.content {
        case .request(let request): try self.init(request, of: job.item)
        case .file(let file):
            let original = "\(job.directory)/\(file.path)"
            if job.location == nil || access(original, F_OK) != 0 { try Self.check(file, at: original) }
            self.init(file, at: original, compressing: compressible)
        }
    }

    private static func check(_ file: FileReference, at original: String) throws {
        // A copy from an earlier attempt may be of another file or library.
        discardCopy(of: original)
        guard access(original, F_OK) == 0 else { throw UnusablePayload(reason: "\(original) is missing") }
        let found = try Digest(ofFile: original).description
        guard found == file.sha256 else {
            throw UnusablePayload(
                reason: "\(original) has SHA-256 \(found) instead of \(file.sha256): the file was changed")
        }
    }

    /// The payload of the file at `original`. Makes the compressed copy where it is not there; on a disk
    /// without room for it the file is sent as it is, since sending is what frees the disk.
    init(_ file: FileReference, at original: String, compressing compressible: Set<String>) {
        self.file = file
        let copy = Self.copy(of: original)
        guard compressible.contains(file.contentType), file.bytes >= Self.smallest else {
            (content, bytes, isCompressed) = (.file(original), file.bytes, false)
            return
        }
        var status = stat()
        // Without this check a failing try would fill the disk to its last byte.
        let hasRoom = DiskSpace(at: original).map { $0.free > file.bytes } ?? false
        // Of the compressed copy, an earlier one or a new one; nil where there is no room or it cannot be made.
        let size =
            stat(copy, &status) == 0
            ? Int64(status.st_size) : hasRoom ? try? ZstandardFile.compress(original, to: copy) : nil
        // At least a tenth has to be saved.
        let pays = size.map { $0 < file.bytes / 10 * 9 } ?? false
        (content, bytes, isCompressed) = pays ? (.file(copy), size ?? 0, true) : (.file(original), file.bytes, false)
    }

    /// A request's body as a file named `answers-<item>.json` or `hello-<item>.json`, or a day's record under
    /// its own name; the last two have their header fields, but for the first (the content type), as
    /// metadata.
    init(_ request: WireRequest, of item: OutboxItem) throws {
        let type = request.headers.first { $0.name.lowercased() == "content-type" }?.value ?? "application/octet-stream"
        var metadata = ["kind": "answers"]
        let origin = item.item.origin
        let isRecord = DayRecord.isName(origin)
        if origin == Hello.origin || isRecord {
            metadata = Dictionary(request.headers.dropFirst().map { ($0.name, $0.value) }) { first, _ in first }
            metadata["kind"] = String(origin.prefix { $0 != "-" })
        }
        let ending = type.contains("json") ? "json" : "bin"
        bytes = Int64(request.body.count)
        file = FileReference(
            path: isRecord ? origin : "\(metadata["kind"] ?? "answers")-\(item.item.id).\(ending)",
            sha256: try Digest(of: request.body).description, bytes: bytes,
            contentType: type, recording: nil, metadata: metadata)
        content = .bytes(request.body)
        isCompressed = false
    }

    /// Path of the file that is sent; empty for bytes in memory.
    var path: String { if case .file(let path) = content { path } else { "" } }

    /// `length` bytes of the payload from `offset` on, as the body of a request.
    func piece(from offset: Int64, length: Int64) -> HTTPRequest.Body {
        switch content {
        case .file(let path): .file(path: path, offset: offset, length: length)
        case .bytes(let bytes): .bytes(Array(bytes[Int(offset)..<Int(offset + length)]))
        }
    }

    /// The same bytes in memory; fewer only where the file became shorter.
    func bytes(from offset: Int64, length: Int64) throws -> [UInt8] {
        switch content {
        case .file(let path): try File(path, .read).read(Int(length), at: Int(offset))
        case .bytes(let bytes): Array(bytes[Int(offset)..<Int(offset + length)])
        }
    }

    func digest(from offset: Int64, length: Int64) throws -> Digest {
        switch content {
        case .file(let path): try Digest(ofFile: path, from: offset, length: length)
        case .bytes(let bytes): try Digest(of: Array(bytes[Int(offset)..<Int(offset + length)]))
        }
    }

    /// The MD5 of that piece in hexadecimal: what object stores have for a tag.
    func md5(from offset: Int64, length: Int64) throws -> String {
        let stream = try DigestStream(.md5, path: path)
        switch content {
        case .file(let path): try stream.update(file: path, from: offset, length: length)
        case .bytes(let bytes): try stream.update(bytes[Int(offset)..<Int(offset + length)])
        }
        return try stream.finish().hexadecimal
    }

    /// Deletes the copy, at the end of an upload.
    static func discardCopy(of original: String) { unlink(copy(of: original)) }

    private static func copy(of original: String) -> String { original + ".zst.tmp" }

    /// The SHA-256 of what is sent. Reads it.
    func sha256() throws -> String {
        isCompressed ? try Digest(ofFile: path).description : file.sha256
    }

    /// Metadata for the server. `filename`, `filetype` and `sha256` describe the bytes that are sent; where
    /// they are compressed, the `content_` keys describe the file that they become.
    func metadata() throws -> [(String, String)] {
        guard isCompressed else {
            return [("filename", file.path), ("filetype", file.contentType), ("sha256", file.sha256)]
        }
        return [
            ("filename", file.path + ".zst"), ("filetype", "application/zstd"), ("sha256", try sha256()),
            ("content_encoding", "zstd"), ("content_filename", file.path), ("content_type", file.contentType),
            ("content_sha256", file.sha256), ("content_length", String(file.bytes)),
        ]
    }
}

/// A file that will never be sent as it was sealed (finished): destinations refuse the item for this reason.
struct UnusablePayload: Error { let reason: String }
