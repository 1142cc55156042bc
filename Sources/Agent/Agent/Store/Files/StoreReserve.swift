// SPDX-License-Identifier: Apache-2.0
import Database
import Glibc
import SystemKit

/// Disk space kept in reserve for a full disk: removing a recording is a commit too, and a commit needs space.
/// `keep` holds it, `spend` frees it for one commit, then `keep` makes it again. For `RecordingRetention`, opening a
/// store, and leaving a study. Blocks on the disk.
///
/// A file of a few megabytes with its blocks really allocated. Its first block notes the ids of
/// recordings that had to be removed before the log could record it, its second a wish to leave that the log could
/// not record; both are written in place, which a full disk allows.
struct StoreReserve {
    private let path: String
    private static let block = 4096
    /// What stays when the space is freed: the two blocks of notes.
    private static let notes = 2 * block
    /// No more than this, and no more than a sixteenth of a small disk.
    private static let most: Int64 = 4 << 20
    private static let head = "studyd removing\n"
    private static let wishHead = "studyd leaving\n"

    init(_ path: String) { self.path = path }

    /// Makes the reserve, or makes it whole again, where the disk has several times
    /// as much to spare.
    func keep() {
        guard let (free, total) = Self.room(of: path) else { return }
        let size = Self.size(onDiskOf: total)
        var status = stat()
        let has = stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
        guard size > Int64(Self.notes), has < size, free / 3 > size else { return }
        withFile { _ = posix_fallocate($0, 0, off_t(size)) }
    }

    private static func size(onDiskOf total: Int64) -> Int64 { min(most, total / 16 / Int64(block) * Int64(block)) }

    /// Whether what is free may be no more than the reserve, which opening a store has spent.
    static func isFull(free: Int64, total: Int64) -> Bool { free < 2 * size(onDiskOf: total) }

    /// Frees the space of the reserve. False where there was none.
    @discardableResult
    func spend() -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > Self.notes else { return false }
        return truncate(path, off_t(Self.notes)) == 0
    }

    /// Runs it; where the disk is full, once more in the space of the reserve.
    func onFullDisk<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as DatabaseError where error.kind == .diskFull {
            guard spend() else { throw error }
            return try body()
        }
    }

    /// Free and whole bytes of the disk at a path that need not be there.
    static func room(of path: String) -> (free: Int64, total: Int64)? {
        DiskSpace(at: AtomicFile.folder(of: path)).map { ($0.free, $0.total) }
    }

    // MARK: - Notes

    /// Notes ids of recordings whose files are about to be removed before the log can record it; as many as
    /// fit.
    func note(removals ids: [String]) throws {
        var text = Self.head
        for id in ids where text.utf8.count + id.utf8.count + 1 < Self.block { text += id + "\n" }
        try write(text, at: 0)
    }

    /// The ids that were noted and are not cleared.
    func notedRemovals() -> [String] {
        let text = text(at: 0)
        guard text.hasPrefix(Self.head) else { return [] }
        return text.split(separator: "\n").dropFirst().map(String.init)
    }

    /// To be called when the log has recorded all of them.
    func clearNotedRemovals() {
        guard !notedRemovals().isEmpty else { return }
        // A note that came back would speak in the next participant's log.
        withFile { if pwrite($0, [0], 1, 0) == 1 { fdatasync($0) } }
    }

    /// Notes a wish to leave; false where there is no room for it, or the disk refuses.
    func note(_ wish: LeavingWish) -> Bool {
        if notedWish() == wish { return true }
        guard let text = try? Self.wishHead + StoredJSON.text(wish), text.utf8.count < Self.block else { return false }
        return (try? write(text, at: Self.block)) != nil
    }

    /// The wish that was noted and is not cleared; nil = none.
    func notedWish() -> LeavingWish? {
        let text = text(at: Self.block)
        guard text.hasPrefix(Self.wishHead) else { return nil }
        return try? StoredJSON.value(LeavingWish.self, from: String(text.dropFirst(Self.wishHead.count)))
    }

    /// To be called when the log has recorded it, or it holds no more.
    func clearNotedWish() {
        guard !text(at: Self.block).isEmpty else { return }
        withFile { _ = pwrite($0, [0], 1, off_t(Self.block)) }
    }

    private func write(_ text: String, at place: Int) throws {
        let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: Self.block - text.utf8.count)
        var isKept = false
        withFile { isKept = pwrite($0, bytes, bytes.count, off_t(place)) == bytes.count && fdatasync($0) == 0 }
        guard isKept else { throw FileError.last("write", path) }
    }

    /// What a block holds up to the first zero.
    private func text(at place: Int) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.block)
        let count = pread(file, &bytes, bytes.count, off_t(place))
        return String(decoding: bytes[..<max(0, count)].prefix { $0 != 0 }, as: UTF8.self)
    }

    private func withFile(_ body: (CInt) -> Void) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else { return }
        body(file)
        close(file)
    }
}
