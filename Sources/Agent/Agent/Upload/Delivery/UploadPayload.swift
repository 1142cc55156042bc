// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// A file as it goes over the wire: itself, or compressed where that pays.
///
/// The compressed copy is beside the file as `<name>.zst.tmp` until the upload is over; one found
/// at a start may be deleted, for the same bytes can be made again. A request's body goes as a file
/// that exists only in memory.
struct UploadPayload: Sendable, Hashable {
    /// Below this many bytes the trouble is greater than the gain.
    private static let smallest: Int64 = 4096

    private let content: Content
    let bytes: Int64
    let file: FileReference
    /// True when what is sent is Zstandard.
    let isCompressed: Bool

    private enum Content: Sendable, Hashable {
        case file(String)
        case bytes([UInt8])
    }

    /// What is sent of the file at `original`, compressed where its media type is one of
    /// `compressible`. Makes the compressed copy where it is not there; a disk that has no room for
    /// one must not hold up what would empty it, so then the file goes as it is.
    init(_ file: FileReference, at original: String, compressing compressible: Set<String>) {
        self.file = file
        let copy = Self.copy(of: original)
        guard compressible.contains(file.contentType), file.bytes >= Self.smallest else {
            (content, bytes, isCompressed) = (.file(original), file.bytes, false)
            return
        }
        var status = stat()
        let size =
            stat(copy, &status) == 0
            ? Int64(status.st_size) : try? ZstandardFile.compress(original, to: copy)
        let pays = size.map { $0 < file.bytes / 10 * 9 } ?? false
        (content, bytes, isCompressed) = pays ? (.file(copy), size ?? 0, true) : (.file(original), file.bytes, false)
    }

    /// The body of a request: `answers-<item>.json`, or `hello-<item>.json` with its
    /// fields as metadata.
    init(_ request: WireRequest, of item: OutboxItem) throws {
        let type = request.headers.first { $0.name.lowercased() == "content-type" }?.value ?? "application/octet-stream"
        var metadata = ["kind": "answers"]
        if item.item.origin == Hello.origin {
            metadata = Dictionary(request.headers.dropFirst().map { ($0.name, $0.value) }) { first, _ in first }
            metadata["kind"] = "hello"
        }
        let ending = type.contains("json") ? "json" : "bin"
        bytes = Int64(request.body.count)
        file = FileReference(
            path: "\(metadata["kind"] ?? "answers")-\(item.item.id).\(ending)",
            sha256: try Digest(of: request.body).description, bytes: bytes,
            contentType: type, recording: nil, metadata: metadata)
        content = .bytes(request.body)
        isCompressed = false
    }

    /// Where it lies; empty for what lies nowhere.
    var path: String { if case .file(let path) = content { path } else { "" } }

    /// This many of its bytes from `offset` on, as a request carries them.
    func piece(from offset: Int64, length: Int64) -> HTTPRequest.Body {
        switch content {
        case .file(let path): .file(path: path, offset: offset, length: length)
        case .bytes(let bytes): .bytes(Array(bytes[Int(offset)..<Int(offset + length)]))
        }
    }

    /// Deletes the copy, at the end of an upload.
    static func discard(_ original: String) { unlink(copy(of: original)) }

    private static func copy(of original: String) -> String { original + ".zst.tmp" }

    /// The SHA-256 of what is sent. Reads it.
    func sha256() throws -> String {
        isCompressed ? try Digest(ofFile: path).description : file.sha256
    }

    /// What the server gets to know of it. `filename`, `filetype` and `sha256` are those of the
    /// bytes that come; where they are compressed the `content_` names say what they become.
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
