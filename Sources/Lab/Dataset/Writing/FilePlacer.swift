// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Places recordings and other files in a dataset for `DatasetExport`: as another name of the same file where
/// that is possible, else as a copy. Each is read once and checked against the digest that it arrived with.
struct FilePlacer {
    /// The most bytes of an encrypted file, which is decrypted in memory.
    private static let largest = 100_000_000

    let folder: DatasetFolder
    /// Gets the number of bytes that were read since the last call.
    let progress: (Int64) -> Void

    enum Result {
        case placed
        /// Its digest is not that of what arrived, or it cannot be decrypted.
        case damaged
        /// What the kernel said.
        case unreadable(String)
        case gone
    }

    /// Whether it is there; its bytes are not read.
    static func look(for source: String) -> Result { access(source, R_OK) == 0 ? .placed : .gone }

    func place(_ source: String, as name: String, bytes: Int64, sha256: String) throws -> Result {
        let target = "\(folder.path)/\(name)"
        if let entry = folder.unchanged(name), entry.sha256 == sha256 {
            try folder.note(name, entry, isNew: false)
            progress(bytes)
            return .placed
        }
        guard access(source, R_OK) == 0 else { return .gone }
        if let slash = target.lastIndex(of: "/") { try File.makeFolder(String(target[..<slash])) }
        unlink(target)
        let found: DatasetFolder.Entry
        do { found = try linkOrCopy(source, to: target) } catch let error as FileError
            where error.path == source && error.operation == "read"
        {
            unlink(target)
            return .unreadable(error.reason)
        }
        guard found.sha256 == sha256 else {
            unlink(target)
            return .damaged
        }
        try folder.note(name, found, isNew: true)
        return .placed
    }

    /// The same for a file that may lie encrypted.
    func place(_ file: OtherFile, as name: String) throws -> Result {
        guard let key = file.key else {
            return try place(file.source, as: name, bytes: file.bytes, sha256: file.sha256)
        }
        progress(file.bytes)
        if let entry = folder.unchanged(name), entry.sha256 == file.sha256 {
            try folder.note(name, entry, isNew: false)
            return .placed
        }
        guard let encrypted = try? BoundedFile.read(file.source, limit: Self.largest) else { return .gone }
        guard let opened = key.open(encrypted) else { return .damaged }
        try folder.write(opened, to: name)
        return .placed
    }

    /// Makes a hard link, or a copy where that fails. Reads every byte in both cases, for the digest.
    private func linkOrCopy(_ source: String, to target: String) throws -> DatasetFolder.Entry {
        let file = link(source, target) == 0 ? nil : try TargetFile(target)
        let digest = try DigestStream()
        var bytes = 0
        _ = try File.forEachPiece(source, size: 1 << 20) { piece in
            try digest.update(piece)
            if let file, !File.write(piece, to: file.descriptor) { throw FileError.last("write", target) }
            bytes += piece.count
            progress(Int64(piece.count))
            return true
        }
        try file?.finish()
        return DatasetFolder.Entry(bytes: bytes, sha256: try digest.finish().hexadecimal)
    }
}
