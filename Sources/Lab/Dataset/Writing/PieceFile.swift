// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A file that is written piece by piece under a temporary name and takes its own in `finish`. It uses no
/// `DatasetFolder`, so that several can be written at once, on different threads (`BIDSPlan`); `DatasetFolder`
/// writes its own files by it.
final class PieceFile {
    private let path: String
    private let earlier: DatasetFolder.Entry?
    private let target: TargetFile
    private let digest: DigestStream?
    private var bytes = 0
    private var buffer: [UInt8] = []
    private static let piece = 1 << 16
    /// Stands for the digest of a file that was written without one.
    private static let noDigest = "-"

    /// `earlier` is what an earlier export wrote there: a file with the same digest stays. Without a digest, which
    /// takes longer than the writing on a processor without SHA instructions, the file is always replaced.
    init(_ path: String, earlier: DatasetFolder.Entry?, isDigested: Bool = true) throws {
        (self.path, self.earlier) = (path, earlier)
        if let slash = path.lastIndex(of: "/") { try File.makeFolder(String(path[..<slash])) }
        target = try TargetFile(path)
        digest = isDigested ? try DigestStream() : nil
    }

    func write(_ bytes: [UInt8]) throws {
        if buffer.isEmpty, bytes.count >= Self.piece { return try pass(bytes) }
        buffer += bytes
        if buffer.count >= Self.piece { try flush() }
    }

    private func flush() throws {
        try pass(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private func pass(_ piece: [UInt8]) throws {
        try target.write(piece)
        try digest?.update(piece)
        bytes += piece.count
    }

    /// Puts the file in its place, unless the same content is there. Nothing is synced: an export can be repeated,
    /// and checks the sizes of the files that are there.
    func finish() throws -> (entry: DatasetFolder.Entry, isNew: Bool) {
        try flush()
        let sum = try digest?.finish().hexadecimal ?? Self.noDigest
        let entry = DatasetFolder.Entry(bytes: bytes, sha256: sum)
        let isSame = digest != nil && earlier == entry && (try? Digest(ofFile: path).description) == entry.sha256
        // Else the temporary file is deleted with this object.
        if !isSame { try target.finish(isSynced: false) }
        return (entry, !isSame)
    }
}
