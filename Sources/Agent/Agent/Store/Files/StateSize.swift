// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// What a state folder takes on its disk, in bytes of the blocks that are really taken; links are
/// not followed. `RecordingRetention` compares it with the cap. Blocks on the disk.
struct StateSize {
    /// In the folder of recordings: sealed ones, the one that is open, descriptions, what is
    /// being compressed.
    let recordings: Int64
    /// The store with its log and journals, the reserve, what was set aside, results, sounds.
    let others: Int64

    /// `recordings` may lie elsewhere, behind a link.
    init(of folder: String, recordings: String) {
        others = Self.bytes(below: folder, without: recordings)
        self.recordings = Self.bytes(below: recordings)
    }

    private static func bytes(below folder: String, without exception: String? = nil) -> Int64 {
        var sum: Int64 = 0
        var folders: [String] = []
        // A file that is deleted meanwhile takes nothing any more.
        try? FolderListing.forEach(in: folder) { name in
            var status = stat()
            let path = folder + "/" + name
            guard path != exception, lstat(path, &status) == 0 else { return true }
            sum += Int64(status.st_blocks) * 512
            if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
            return true
        }
        return folders.reduce(sum) { $0 + bytes(below: $1, without: exception) }
    }
}
