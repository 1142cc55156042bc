// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Removes a file so that nothing of it can be found on the disk afterwards: what was secret in a setup folder
/// (`TakeoverSteps`), an enrolment token (`TakeoverRest`), a Wi-Fi's password (`WiFiFile`).
///
/// It is overwritten where it lies, synced, and then removed. A card's or stick's own controller
/// may have written it to other cells all the same and keep the old ones: that cannot be checked
/// from outside.
package enum SecretWipe {
    /// One that is not there is no error; a folder is wiped with all that is in it, and links are
    /// removed, not followed.
    package static func wipe(_ path: String) throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw .last("look at", path) }
            return
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in FolderListing.readable(path) { try wipe(path + "/" + name) }
            guard rmdir(path) == 0 else { throw .last("remove", path) }
            return
        }
        if status.st_mode & S_IFMT == S_IFREG { try overwrite(path, cluster: Int(status.st_blksize)) }
        guard unlink(path) == 0 else { throw .last("remove", path) }
        try AtomicFile.syncFolder(of: path)
    }

    /// Up to the end of its last cluster, where an earlier and longer version may still be.
    private static func overwrite(_ path: String, cluster: Int) throws(FileError) {
        let file = try File(path, .update)
        let zeros = [UInt8](repeating: 0, count: min(max(cluster, 512), 1 << 20))
        for offset in stride(from: 0, to: try file.size(), by: zeros.count) { try file.write(zeros, at: offset) }
        try file.sync(metadata: true)
    }
}
