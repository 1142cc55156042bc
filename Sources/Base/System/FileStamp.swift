// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// Tells whether a file has changed without reading it: two stamps differ where it has. The lab uses it for
/// files that it keeps in memory (`KeptStudies`, `LabBlinding`).
///
/// Two changes within one tick of the file system's clock leave it the same: read the file again unless `isSettled`.
package struct FileStamp: Sendable, Hashable {
    /// Of file systems, FAT has the coarsest clock.
    private static let tick = Duration.seconds(2)

    private let device: dev_t
    private let inode: ino_t
    private let size: Int64
    private let modified: Instant
    /// A program that writes can set `modified`, but not this.
    private let changed: Instant

    /// Nil for anything but a regular file.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, inode, size) = (status.st_dev, status.st_ino, Int64(status.st_size))
        modified = Instant(status.st_mtim)
        changed = Instant(status.st_ctim)
    }

    /// Whether any change after `now`, when the stamp was taken, makes another stamp.
    package func isSettled(at now: Instant) -> Bool { now - changed > Self.tick }
}

extension Instant {
    fileprivate init(_ time: timespec) {
        self = Instant(seconds: Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
