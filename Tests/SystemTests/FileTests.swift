// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// open(2), write(2) and read(2) are the facts.
@Suite struct FileTests {
    /// What opening gives where nothing is and where three bytes are: the size, or an errno.
    static let modes: [(mode: File.Mode, absent: Int, present: Int, isWritable: Bool)] = [
        (.read, -Int(ENOENT), 3, false), (.update, -Int(ENOENT), 3, true), (.create, 0, -Int(EEXIST), true),
        (.replace, 0, 0, true), (.updateOrCreate, 0, 3, true),
    ]

    @Test(arguments: modes.indices) func aModeSaysWhatMayBeThere(_ index: Int) throws {
        let (mode, absent, present, isWritable) = Self.modes[index]
        let folder = try Folder()
        func size(_ name: String) -> Int {
            do throws(FileError) { return try File("\(folder.path)/\(name)", mode).size() } catch {
                return -Int(error.code)
            }
        }
        try AtomicFile.write([1, 2, 3], to: folder.path + "/present")
        #expect(size("absent") == absent)
        #expect(size("present") == present)
        guard present >= 0 else { return }
        let file = try File(folder.path + "/present", mode)
        if isWritable {
            try file.write([9], at: 0)
            #expect(try file.read(1, at: 0) == [9])
            try file.truncate(to: 0)
            #expect(try file.size() == 0)
        } else {
            // ftruncate(2): a file that is not open for writing.
            #expect(throws: FileError(operation: "truncate", path: file.path, code: EINVAL)) {
                try file.truncate(to: 0)
            }
            #expect(throws: FileError(operation: "write", path: file.path, code: EBADF)) { try file.write([9], at: 0) }
        }
    }

    /// mincore(2): what is clean stays in memory, since it may be what the medium refused (fsync(2), EIO). On a
    /// disk; what lies in memory alone is never dropped.
    @Test func beginningToWriteDropsNothing() throws {
        let path = "/var/tmp/studyd-begin-\(getpid())"
        let (file, pages, page) = (try File(path, .create), 8, Int(getpagesize()))
        defer { unlink(path) }
        try file.write([UInt8](repeating: 7, count: pages * page), at: 0)
        try file.sync()
        file.beginWriting()
        let reader = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(reader) }
        let mapped = try #require(mmap(nil, pages * page, PROT_READ, MAP_SHARED, reader, 0))
        defer { munmap(mapped, pages * page) }
        var resident = [UInt8](repeating: 0, count: pages)
        try #require(mincore(mapped, pages * page, &resident) == 0)
        #expect(resident.map { $0 & 1 } == [UInt8](repeating: 1, count: pages))
    }

    /// fsync(2): EINVAL for a special file "which does not support synchronization"; pread(2): EISDIR.
    @Test(arguments: [false, true]) func whatCannotBeSyncedOrReadSaysSo(metadata: Bool) throws {
        let device = try File("/dev/null", .update)
        let error = FileError(operation: "sync", path: "/dev/null", code: EINVAL)
        #expect(throws: error) { try device.sync(metadata: metadata) }
        #expect(throws: error) { try device.syncOrRewrite(metadata: metadata) }
        let folder = try Folder()
        #expect(throws: FileError(operation: "read", path: folder.path, code: EISDIR)) {
            try File(folder.path, .read).read(1, at: 0)
        }
    }

    @Test func fewerBytesThanWantedComeAtTheEndAlone() throws {
        let folder = try Folder()
        let file = try File(folder.path + "/file", .create)
        try file.write(Array("abcdef".utf8), at: 0)
        try file.write([], at: 100)
        for (count, offset, text) in [
            (0, 0, ""), (1, 0, "a"), (6, 0, "abcdef"), (7, 0, "abcdef"), (3, 2, "cde"), (2, 5, "f"), (1, 6, ""),
            (1, 7, ""),
        ] {
            #expect(try file.read(count, at: offset) == Array(text.utf8), "\(count) at \(offset)")
        }
        try file.write([1], at: 7)
        #expect(try file.read(9, at: 5) == [UInt8(ascii: "f"), 0, 1])
        #expect(try file.size() == 8)
        try file.truncate(to: 2)
        #expect(try file.read(9, at: 0) == Array("ab".utf8))
    }

    /// full(4): "Writes to the /dev/full device fail with an ENOSPC error."
    @Test(.timeLimit(.minutes(10))) func aFullDiskIsSaid() throws {
        let full = try File("/dev/full", .update)
        #expect(throws: FileError(operation: "write", path: "/dev/full", code: ENOSPC)) { try full.write([1], at: 0) }
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(!File.write([1], to: descriptor))
        #expect(File.write([], to: descriptor))
    }

    @Test(arguments: [(0, []), (1, [1]), (4, [4]), (5, [4, 1]), (8, [4, 4]), (9, [4, 4, 1])] as [(Int, [Int])])
    func aFileComesInPieces(length: Int, pieces: [Int]) throws {
        let folder = try Folder()
        let bytes = (0..<length).map { UInt8($0) }
        try AtomicFile.write(bytes, to: folder.path + "/file")
        var (sizes, all): ([Int], [UInt8]) = ([], [])
        let isWhole = try File.forEachPiece(folder.path + "/file", size: 4) { piece in
            sizes.append(piece.count)
            all += piece
            return true
        }
        #expect(isWhole && sizes == pieces && all == bytes)
        var calls = 0
        let isSeen = try File.forEachPiece(folder.path + "/file", size: 4) { _ in
            calls += 1
            return false
        }
        #expect(isSeen == pieces.isEmpty && calls == min(pieces.count, 1))
    }

    @Test func whatCannotBeReadInPiecesSaysSo() throws {
        let folder = try Folder()
        #expect(throws: FileError(operation: "open", path: folder.path + "/absent", code: ENOENT)) {
            try File.forEachPiece(folder.path + "/absent") { _ in true }
        }
        #expect(throws: FileError(operation: "read", path: folder.path, code: EISDIR)) {
            try File.forEachPiece(folder.path) { _ in true }
        }
    }

    /// Above it is only the root, which is always there: what fails is the folder itself, with a name longer
    /// than NAME_MAX.
    @Test func aFolderRightBelowTheRootNeedsNoOther() {
        let path = "/" + String(repeating: "x", count: 300)
        let error = #expect(throws: FileError.self) { try File.makeFolder(path) }
        #expect(error?.path == path)
    }

    @Test func foldersAreMadeDownToTheLast() throws {
        let folder = try Folder()
        let deep = folder.path + "/a/b/c"
        for _ in 0..<2 { try File.makeFolder(deep) }
        for path in [deep, folder.path + "/a"] {
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & (S_IFMT | 0o777) == S_IFDIR | 0o700)
        }
        try AtomicFile.write([], to: deep + "/file")
        #expect(throws: FileError(operation: "create the folder", path: deep + "/file/x", code: ENOTDIR)) {
            try File.makeFolder(deep + "/file/x")
        }
    }

    @Test func aRealPathHasNoLinks() throws {
        let folder = try Folder()
        #expect(symlink("/proc", folder.path + "/link") == 0 && File.realPath(folder.path + "/link") == "/proc")
        #expect(File.realPath(folder.path + "/absent") == nil)
    }
}
