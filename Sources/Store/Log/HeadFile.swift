// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Keeps the log's head in a small file beside the database, written after each commit.
///
/// Two places are written in turn, each with a checksum, so that a power cut while one is written leaves the other; the file's size never changes, so
/// that a full disk takes it too. It may be behind the log by one commit and what waits for a flush, never before it. Belongs to the store's thread; blocks on the disk.
final class HeadFile {
    private let path: String
    private var turn: Int64 = 0
    /// Of a sector and of a page of every file system we know.
    private static let slot = 4096
    private static let mark = "studyd log head 1"

    init(_ path: String) { self.path = path }

    /// What is known of the log without it.
    enum Knowledge: Equatable {
        /// There is no such file. A log makes it before its first row.
        case none
        /// It is there, and tells of no row yet.
        case begun
        case head(LogHead)
        /// There is one, and neither of its places can be read.
        case damaged
    }

    /// The newer of the two places.
    func read() -> Knowledge {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return errno == ENOENT ? .none : .damaged }
        defer { close(file) }
        let found = (0..<2).compactMap { place -> (Int64, LogHead)? in
            var bytes = [UInt8](repeating: 0, count: Self.slot)
            let count = pread(file, &bytes, bytes.count, off_t(place * Self.slot))
            return count > 0 ? Self.parse(bytes[..<count]) : nil
        }
        guard let newest = found.max(by: { $0.0 < $1.0 }) else { return .damaged }
        turn = newest.0
        return newest.1.sequence > 0 ? .head(newest.1) : .begun
    }

    /// There is something in its place.
    var isThere: Bool { access(path, F_OK) == 0 }

    /// Makes it, for a log that has no row yet; returns when its name is on the disk too.
    func begin() throws {
        turn = -1
        try write(LogHead(log: "-", sequence: 0, hash: "-"), makesFile: true)
    }

    /// Returns when it is on the disk. Only whoever answers for the log makes the file: that it is gone tells something.
    func write(_ head: LogHead, makesFile: Bool) throws {
        var file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        let isNew = file < 0 && errno == ENOENT && makesFile
        if isNew { file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640) }
        guard file >= 0 else { throw StoreError.headNotKept(String(cString: strerror(errno))) }
        defer { close(file) }
        // Both places from the beginning: the size never changes.
        if isNew, ftruncate(file, off_t(2 * Self.slot)) != 0 {
            throw StoreError.headNotKept(String(cString: strerror(errno)))
        }
        turn += 1
        let bytes = try Self.text(turn, head)
        let count = pwrite(file, bytes, bytes.count, off_t(Int(turn % 2) * Self.slot))
        guard count == bytes.count, fdatasync(file) == 0 else {
            throw StoreError.headNotKept(String(cString: strerror(errno)))
        }
        guard isNew else { return }
        do throws(FileError) { try AtomicFile.syncFolder(of: path) } catch {
            throw StoreError.headNotKept(error.reason)
        }
    }

    private static func text(_ turn: Int64, _ head: LogHead) throws -> [UInt8] {
        let content = "\(mark)\n\(turn) \(head.log) \(head.sequence) \(head.hash)\n"
        let text = content + (try Digest(ofText: content).description) + "\n"
        return Array(text.utf8) + [UInt8](repeating: 0, count: slot - text.utf8.count)
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> (Int64, LogHead)? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines[0] == mark else { return nil }
        let content = "\(lines[0])\n\(lines[1])\n"
        guard let digest = try? Digest(ofText: content), digest.description == lines[2] else { return nil }
        let words = lines[1].split(separator: " ")
        guard words.count == 4, let turn = Int64(words[0]), let sequence = Int64(words[2]) else { return nil }
        return (turn, LogHead(log: String(words[1]), sequence: sequence, hash: String(words[3])))
    }
}
