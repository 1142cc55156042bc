// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A real file system that can be full.
enum SmallDisk {
    /// A tmpfs of 3 MB; says so where it may not be mounted.
    static func with(_ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "full-disk-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("tmpfs", path, "tmpfs", 0, "size=3m") == 0 else {
            try FileManager.default.removeItem(atPath: path)
            return print("SKIPPED: a tmpfs can be mounted by root only")
        }
        defer {
            umount2(path, Int32(MNT_DETACH))
            rmdir(path)
        }
        try await body(path)
    }

    /// Takes all the room there is.
    static func fill(_ disk: String) {
        let file = open(disk + "/ballast", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(file, page, page.count) > 0 {}
        #expect(errno == ENOSPC)
    }
}
