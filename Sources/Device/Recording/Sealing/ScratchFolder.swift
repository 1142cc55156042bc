// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// A folder for what is opened, removed with its content when the last reference goes.
package final class ScratchFolder {
    package let path: String

    /// Below `parent`; without one, where the system keeps temporary files.
    package init(below parent: String? = nil) throws(FileError) {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/studyd-opened-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw .last("create a folder in", parent) }
        path = String(cString: made)
    }

    deinit {
        for name in FolderListing.readable(path) where name != "." && name != ".." { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
