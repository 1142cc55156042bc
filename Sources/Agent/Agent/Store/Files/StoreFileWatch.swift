// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Detects that another program removed, replaced or cut the files of an open store. SQLite would not notice:
/// it continues with the removed files, whose content is lost when the process ends. `OpenStore.checkFiles` asks
/// every few seconds.
struct StoreFileWatch {
    private let path: String
    private var seen: [String: Seen] = [:]

    private struct Seen {
        let device: dev_t
        let inode: ino_t
        let size: off_t
        /// Allocated blocks. Fewer than before means that the file was truncated and has grown again, with a
        /// hole.
        let blocks: blkcnt_t
    }

    enum Change: Equatable {
        /// A file is not there any more, or is another one.
        case gone(String)
        /// A file is shorter than it was, or has a hole; SQLite may have done that itself.
        case cut(String)
    }

    init(_ files: StoreFiles) {
        path = files.path
        acceptPresentFiles()
    }

    /// Takes the files that are there now as the right ones.
    mutating func acceptPresentFiles() {
        seen = [:]
        for file in [path, path + "-wal", path + "-shm"] { seen[file] = Self.status(of: file) }
    }

    /// Compares the files with the last call. Nil = nothing has changed but what SQLite changes itself.
    mutating func detectChange() -> Change? {
        for (file, name) in [
            (path, "the database"), (path + "-wal", "its write-ahead log"),
            (path + "-shm", "the index of its write-ahead log"),
        ] {
            let now = Self.status(of: file)
            guard let before = seen[file] else {
                seen[file] = now
                continue
            }
            guard let now, now.device == before.device, now.inode == before.inode else {
                return .gone("\(name) was removed or replaced while the agent ran")
            }
            let isCut = now.size < before.size || !file.hasSuffix("-shm") && now.blocks < before.blocks
            if isCut { return .cut("\(name) was cut short while the agent ran") }
            seen[file] = now
        }
        return nil
    }

    private static func status(of path: String) -> Seen? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Seen(device: status.st_dev, inode: status.st_ino, size: status.st_size, blocks: status.st_blocks)
    }
}
