// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Removes a file, or a folder with everything in it; links are removed, not followed. What cannot
/// be removed stays.
package enum FolderRemoval {
    /// One that is not there is no error.
    package static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in FolderListing.readable(path) { remove(path + "/" + name) }
        rmdir(path)
    }
}
