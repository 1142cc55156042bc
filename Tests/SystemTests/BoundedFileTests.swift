// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@Suite struct BoundedFileTests {
    /// Files are read in pieces of 65 536 bytes.
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072]) func aFileMayHaveAsManyBytesAsTheLimit(count: Int) throws
    {
        let folder = try Folder()
        let path = folder.path + "/file"
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try AtomicFile.write(bytes, toNamed: path)
        #expect(try BoundedFile.read(path, limit: count) == bytes)
        guard count > 0 else { return }
        #expect(throws: FileError(path: path, message: "is larger than \(count - 1) bytes")) {
            try BoundedFile.read(path, limit: count - 1)
        }
    }

    @Test(arguments: [(1 << 20, true), ((1 << 20) + 1, false)]) func aTextHasAMebibyteAtMost(count: Int, isRead: Bool)
        throws
    {
        let folder = try Folder()
        try AtomicFile.write([UInt8](repeating: 0x61, count: count), toNamed: folder.path + "/file")
        #expect((try? BoundedFile.text(folder.path + "/file"))?.utf8.count == (isRead ? count : nil))
    }

    /// errno(3), in the words of strerror(3); zero(4) has no end.
    @Test func whatCannotBeReadSaysSo() throws {
        let folder = try Folder()
        try AtomicFile.write([], toNamed: folder.path + "/file")
        for (path, message, remedy) in [
            (folder.path + "/absent", "No such file or directory", "check its name and its folder"),
            (folder.path + "/file/x", "Not a directory", "check its name and its folder"),
            (folder.path, "Is a directory", "name a file in it"),
            ("/dev/zero", "is larger than 8388608 bytes", nil),
        ] as [(String, String, String?)] {
            #expect(throws: FileError(path: path, message: message, remedy: remedy)) { try BoundedFile.read(path) }
        }
    }

    @Test func whatAFileWasToHoldIsSaid() {
        let error = #expect(throws: FileError.self) { try BoundedFile.read("/nowhere/key") }
        #expect(
            error?.reading("the key").description
                == "/nowhere/key: the key cannot be read: No such file or directory; check its name and its folder")
    }
}
