// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A file that is written piece by piece beside its place, which it takes when it is whole. It knows
/// no folder of a dataset, so that several are written at once.
final class PieceFile {
    private let path: String
    private let earlier: DatasetFolder.Entry?
    private let target: TargetFile
    private let digest: DigestStream?
    private var bytes = 0
    private var buffer: [UInt8] = []
    private static let piece = 1 << 16
    /// In place of the digest of a file that nothing compares with another.
    private static let noDigest = "-"

    /// `earlier` is what an earlier export wrote there. Without a digest, which takes longer than the
    /// writing where the processor has no instruction for it, the file is replaced even by the same.
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

    /// Nothing is synced: an export can be repeated, and looks at the sizes of what is there.
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
