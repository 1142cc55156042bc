// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Guards the index of the write-ahead log (`-shm`), which SQLite maps into memory. Where another process
/// cuts that file short, the next access beyond its end kills this process (SIGBUS, mmap(2)).
///
/// `Connection` calls `restore` before each statement: it gives the file its length back. The zeros in it make
/// SQLite rebuild the index from the log (https://sqlite.org/walformat.html#wal_index_file_format).
struct MappedIndex {
    private let path: String
    /// The file that SQLite has mapped; another one that takes its name is left alone.
    private var inode: ino_t?
    private var size: off_t = 0

    init(_ path: String) { self.path = path }

    /// True where the file had been cut short and has its length again.
    mutating func restore() -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, inode == nil || inode == status.st_ino else { return false }
        inode = status.st_ino
        guard status.st_size < size else {
            size = status.st_size
            return false
        }
        return truncate(path, size) == 0
    }
}
