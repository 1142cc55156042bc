// SPDX-License-Identifier: Apache-2.0
import Glibc
import Store
import SystemKit

/// A file as it goes over the wire: itself, or compressed where that pays.
///
/// The compressed copy lies beside the file as `<name>.zst.tmp` until the upload is over; whoever finds one at a start may delete it, for
/// the same bytes can be made again.
struct Shipment: Sendable, Hashable {
    /// What compresses well. CSV is gzipped when it is sealed, and FLAC is small already.
    static let compressible: Set<String> = ["application/x-cwa", "application/x-nmea"]
    /// Below this many bytes the trouble is greater than the gain.
    static let smallest: Int64 = 4096

    /// What is sent.
    let path: String
    /// Its length.
    let bytes: Int64
    /// The recording.
    let file: FileReference
    /// True when what is sent is Zstandard.
    let isCompressed: Bool

    /// What is sent of the file at `original`. Makes the compressed copy where it is not there; a disk that has no room for one must not
    /// hold up what would empty it, so then the file goes as it is.
    init(_ file: FileReference, at original: String) {
        self.file = file
        let copy = Self.copy(of: original)
        guard Self.compressible.contains(file.contentType), file.bytes >= Self.smallest else {
            (path, bytes, isCompressed) = (original, file.bytes, false)
            return
        }
        var status = stat()
        let size =
            stat(copy, &status) == 0
            ? Int64(status.st_size) : try? ZstandardFile.compress(original, to: copy)
        let pays = size.map { $0 < file.bytes / 10 * 9 } ?? false
        (path, bytes, isCompressed) = pays ? (copy, size ?? 0, true) : (original, file.bytes, false)
    }

    /// Deletes the copy, at the end of an upload.
    static func discard(_ original: String) { unlink(copy(of: original)) }

    private static func copy(of original: String) -> String { original + ".zst.tmp" }

    /// The SHA-256 of what is sent. Reads it.
    func sha256() throws -> String { isCompressed ? try Digest(ofFile: path).description : file.sha256 }

    /// What the server is told of it. `filename`, `filetype` and `sha256` are those of the bytes that come; where they are compressed the
    /// `content_` names say what they become.
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
