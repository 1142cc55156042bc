// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Disk space kept in reserve for a full disk: removing a recording is a commit too, and a commit needs space.
/// `keep` holds it, `spend` frees it for one commit, then `keep` makes it again. Blocks on the disk.
///
/// A file of a few megabytes with its blocks really allocated. Its first block holds the ids of
/// recordings that had to be removed before the log could record it; it is written in place, which
/// a full disk allows.
struct StoreReserve {
    private let path: String
    private static let block = 4096
    /// No more than this, and no more than a sixteenth of a small disk.
    private static let most: Int64 = 4 << 20
    private static let head = "studyd removing\n"

    init(_ path: String) { self.path = path }

    /// Makes the reserve, or makes it whole again, where the disk has several times
    /// as much to spare.
    func keep() {
        guard let (free, total) = Self.room(of: path) else { return }
        let size = min(Self.most, total / 16 / Int64(Self.block) * Int64(Self.block))
        var status = stat()
        let has = stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
        guard size > Int64(Self.block), has < size, free / 3 > size else { return }
        withFile { _ = posix_fallocate($0, 0, off_t(size)) }
    }

    /// Frees the space of the reserve. False where there was none.
    @discardableResult
    func spend() -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > Self.block else { return false }
        return truncate(path, off_t(Self.block)) == 0
    }

    /// Notes ids of recordings whose files are about to be removed before the log can record it; as many as
    /// fit.
    func record(_ ids: [String]) throws {
        var text = Self.head
        for id in ids where text.utf8.count + id.utf8.count + 1 < Self.block { text += id + "\n" }
        let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: Self.block - text.utf8.count)
        var isKept = false
        withFile { isKept = pwrite($0, bytes, bytes.count, 0) == bytes.count && fdatasync($0) == 0 }
        guard isKept else { throw FileError.last("write", path) }
    }

    /// The ids that `record` noted and `clearNote` has not cleared.
    func noted() -> [String] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.block)
        let count = pread(file, &bytes, bytes.count, 0)
        let text = String(decoding: bytes[..<max(0, count)].prefix { $0 != 0 }, as: UTF8.self)
        guard text.hasPrefix(Self.head) else { return [] }
        return text.split(separator: "\n").dropFirst().map(String.init)
    }

    /// To be called when the log has recorded all of them.
    func clearNote() {
        guard !noted().isEmpty else { return }
        withFile { _ = pwrite($0, [0], 1, 0) }
    }

    /// Free and whole bytes of the disk at a path that need not be there.
    static func room(of path: String) -> (free: Int64, total: Int64)? {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return DiskSpace(at: folder).map { ($0.free, $0.total) }
    }

    private func withFile(_ body: (CInt) -> Void) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else { return }
        body(file)
        close(file)
    }
}
