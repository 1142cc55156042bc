// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Gives a state folder back to its owner after root has worked in it: `sudo studyd enroll` before the
/// service has ever run must not leave files that the service cannot write. Commands and `FolderTakeover` make it
/// before they work, and call `restore` at the end.
///
/// Only what root owns changes its owner, links are never followed, and a file with several names is
/// left alone: it may belong to someone else.
package struct StateOwner: Sendable, Hashable {
    private let path: String
    /// The folder's owner, or the service's user for a folder that is not there yet.
    package let user: uid_t
    private let group: gid_t

    /// Nil for any user but root, and where the folder is root's. To be called before the folder is made.
    package init?(of path: String, service: String = "studyd") {
        guard geteuid() == 0 else { return nil }
        self.path = path
        var status = stat()
        if stat(path, &status) == 0 {
            (user, group) = (status.st_uid, status.st_gid)
        } else {
            guard let owner = Self.ids(of: service) else { return nil }
            (user, group) = owner
        }
        guard user != 0 else { return nil }
    }

    private static func ids(of name: String) -> (uid_t, gid_t)? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return (entry.pw_uid, entry.pw_gid)
    }

    /// Gives the folder, and whatever in it belongs to root, to its owner. Errors are ignored: what cannot be
    /// given stays root's.
    package func restore() {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fchown(folder, user, group)
        changeOwner(below: folder, depth: 0)
    }

    /// Eight levels deep at most; closes the descriptor.
    private func changeOwner(below descriptor: CInt, depth: Int) {
        guard let folder = fdopendir(descriptor) else {
            _ = close(descriptor)
            return
        }
        defer { closedir(folder) }
        var names: [String] = []
        // What cannot be listed keeps its owner.
        try? FolderListing.forEach(in: folder, of: "") { name in
            names.append(name)
            return true
        }
        for name in names {
            var status = stat()
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if status.st_uid == 0, isFolder || status.st_nlink == 1 {
                _ = fchownat(descriptor, name, user, group, AT_SYMLINK_NOFOLLOW)
            }
            guard isFolder, depth < 8 else { continue }
            let next = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if next >= 0 { changeOwner(below: next, depth: depth + 1) }
        }
    }
}
