// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Takes a folder of our own away, with all that is in it; links are not followed.
enum FolderRemoval {
    static func remove(_ path: String) {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            let inner = path + "/" + name
            var info = stat()
            guard lstat(inner, &info) == 0 else { continue }
            if info.st_mode & S_IFMT == S_IFDIR { remove(inner) } else { unlink(inner) }
        }
        closedir(folder)
        rmdir(path)
    }
}
