// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The room on the disk under a path, in bytes, as the file system states it. Checks, reports and the limits on
/// the store go by it.
///
/// A file system in user space gives the kernel 64-bit counts of blocks that it chooses itself
/// (fs/fuse/inode.c, `convert_fuse_statfs`), so their product with the size of a block may
/// overflow; it is then `Int64.max`.
package struct DiskSpace: Sendable, Hashable {
    /// Bytes that a program without root's privileges can still write.
    package let free: Int64
    /// Bytes of the whole disk.
    package let total: Int64

    /// The disk that holds `path`; nil where statvfs(3) fails, as it does for a missing path.
    package init?(at path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        self.init(free: UInt64(status.f_bavail), total: UInt64(status.f_blocks), unit: UInt64(status.f_frsize))
    }

    /// `free` and `total` are counts of blocks of `unit` bytes.
    init(free: UInt64, total: UInt64, unit: UInt64) {
        func bytes(_ blocks: UInt64) -> Int64 {
            let (product, isOver) = blocks.multipliedReportingOverflow(by: unit)
            return isOver ? .max : Int64(clamping: product)
        }
        (self.free, self.total) = (bytes(free), bytes(total))
    }
}
