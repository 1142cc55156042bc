// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Keeps the log's head (the number and hash of its last row) in a small file beside the database: `EventLog` writes it
/// after each commit, and `StoreOpening` sees by it whether rows are missing.
///
/// Two places are written in turn, each with a checksum, so that a power cut while one is written
/// leaves the other; the file's size never changes, so that a full disk takes it too. It may be
/// behind the log by one commit and what waits for a flush, never ahead of it. Belongs to the store's
/// thread; blocks on the disk.
final class HeadFile {
    private let path: String
    /// Turns count the writes; even ones go to the first place, odd ones to the second. The newest
    /// that was read or written here; nil = the file has not been looked at.
    private var turn: Int64?
    /// What happened to the file from outside since it was last read or written here; nil =
    /// nothing.
    private(set) var tampering: Tampering?
    /// A whole number of sectors and pages of every file system we know.
    private static let slot = 4096
    private static let mark = "studyd log head 1"

    init(_ path: String) { self.path = path }

    /// Detected by content, not by inode: a file system gives the inode of a removed file to the
    /// next one.
    enum Tampering: String {
        case removed
        /// Another file, or an older one, is in its place.
        case replaced
    }

    /// What is known of the log without it.
    enum Knowledge: Equatable {
        /// There is no such file. A log makes it before its first row.
        case none
        /// It is there, and tells of no row yet.
        case begun
        /// It was made, and never written: the power went before the log had a row, or it was emptied.
        case blank
        case head(LogHead)
        /// There is one, and neither of its places can be read.
        case damaged
    }

    /// The newer of the two places.
    func read() -> Knowledge {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return errno == ENOENT ? .none : .damaged }
        defer { close(file) }
        guard let newest = Self.newest(in: file) else { return Self.isBlank(file) ? .blank : .damaged }
        turn = newest.turn
        return newest.head.sequence > 0 ? .head(newest.head) : .begun
    }

    private static func isBlank(_ file: CInt) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 2 * slot)
        return pread(file, &bytes, bytes.count, 0) >= 0 && bytes.allSatisfy { $0 == 0 }
    }

    /// The newer of the two places; nil where neither can be read.
    private static func newest(in file: CInt) -> (turn: Int64, head: LogHead)? {
        let found = (0..<2).compactMap { place in
            var bytes = [UInt8](repeating: 0, count: slot)
            let count = pread(file, &bytes, bytes.count, off_t(place * slot))
            return count > 0 ? parse(bytes[..<count]) : nil
        }
        return found.max { $0.turn < $1.turn }
    }

    /// Sets `tampering` to what was done to the file since it was last read or written here; it stays until
    /// `forgetTampering`.
    func detectTampering() {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        defer { if file >= 0 { close(file) } }
        if file >= 0 || errno == ENOENT { compare(file) }
    }

    func forgetTampering() { tampering = nil }

    /// Returns the newest turn in the file, after which the next write comes, and sets `tampering`. A turn
    /// that is behind by one is no tampering: a command that writes at the same moment may have taken one
    /// place.
    @discardableResult
    private func compare(_ file: CInt) -> Int64 {
        let found = file >= 0 ? Self.newest(in: file)?.turn : nil
        guard let turn else { return found ?? -1 }
        if file < 0 { tampering = .removed } else if found.map({ $0 < turn - 1 }) ?? true { tampering = .replaced }
        return max(turn, found ?? turn)
    }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// Makes it, for a log that has no row yet; returns when its name is on the disk too.
    func begin() throws {
        turn = nil
        try write(LogHead(log: "-", sequence: 0, hash: "-"), makesFile: true)
    }

    /// Returns when it is on the disk. Only the owner of the log makes the file: its absence is
    /// information.
    func write(_ head: LogHead, makesFile: Bool) throws {
        var file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        let isNew = file < 0 && errno == ENOENT && makesFile
        let next = file >= 0 || isNew ? compare(file) + 1 : 0
        if isNew { file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640) }
        guard file >= 0 else { throw Self.fault }
        defer { close(file) }
        // Both places from the beginning: the size never changes.
        if isNew, ftruncate(file, off_t(2 * Self.slot)) != 0 { throw Self.fault }
        let bytes = try Self.text(next, head)
        let count = pwrite(file, bytes, bytes.count, off_t(Int(next % 2) * Self.slot))
        guard count == bytes.count, fdatasync(file) == 0 else { throw Self.fault }
        turn = next
        guard isNew else { return }
        do throws(FileError) { try AtomicFile.syncFolder(of: path) } catch {
            throw StoreError.headNotKept(error.reason)
        }
    }

    private static var fault: StoreError { .headNotKept(String(cString: strerror(errno))) }

    private static func text(_ turn: Int64, _ head: LogHead) throws -> [UInt8] {
        let content = "\(mark)\n\(turn) \(head.log) \(head.sequence) \(head.hash)\n"
        let text = content + (try Digest(ofText: content).description) + "\n"
        return Array(text.utf8) + [UInt8](repeating: 0, count: slot - text.utf8.count)
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> (turn: Int64, head: LogHead)? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines[0] == mark else { return nil }
        let content = "\(lines[0])\n\(lines[1])\n"
        guard let digest = try? Digest(ofText: content), digest.description == lines[2] else { return nil }
        let words = lines[1].split(separator: " ")
        guard words.count == 4, let turn = Int64(words[0]), let sequence = Int64(words[2]) else { return nil }
        return (turn, LogHead(log: String(words[1]), sequence: sequence, hash: String(words[3])))
    }
}

/// The end of the event log, as it is known outside it: with a head one can see that a log lost its
/// end, or was rewritten.
package struct LogHead: Codable, Sendable, Hashable {
    /// Which log it is: the hash of its first row, 64 hexadecimal digits. A log that goes on after
    /// damage keeps its name.
    package var log: String
    package var sequence: Int64
    /// The hash of that row, 64 hexadecimal digits.
    package var hash: String
}
