// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// What the kernel does is the fact: rename(2) "if newpath already exists, it will be atomically
/// replaced"; a tmpfs without room answers ENOSPC; a folder that is no place for a file answers
/// EISDIR or ENOENT. The order of the calls is shown by strace in ScenarioTests
/// (`NamedOutputTests`).
@Suite struct AtomicFileTests {
    @Test func theOldContentOrTheNewAndNothingBeside() throws {
        let folder = try Folder()
        let path = folder.path + "/file"
        try AtomicFile.write(Array("old".utf8), to: path)
        chmod(path, 0o640)
        // Left by a power cut, and longer than what comes.
        try AtomicFile.write(Array("something longer".utf8), toNamed: path + ".new")
        try AtomicFile.write(Array("new".utf8), to: path)
        #expect(folder.text("file") == "new" && folder.names == ["file"])
        #expect(folder.mode("file") == 0o640)
    }

    /// chown(2): only a privileged process may change the owner.
    @Test func forRootTheFileKeepsItsOwner() throws {
        let folder = try Folder()
        let path = folder.path + "/file"
        try AtomicFile.write(Array("old".utf8), to: path)
        guard chown(path, 4711, 4712) == 0 else {
            return print("SKIPPED forRootTheFileKeepsItsOwner: an owner can be changed by root only")
        }
        for write in [AtomicFile.write(_:toNamed:), { try AtomicFile.write($0, to: $1) }] {
            try write(Array("new".utf8), path)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_uid == 4711 && status.st_gid == 4712)
        }
    }

    @Test(arguments: [
        ("/name", "/"), ("name", "."), ("/a/name", "/a"), ("a/name", "a"), ("/a/b/name", "/a/b"), ("./name", "."),
        ("/a/", "/a"),
    ])
    func theFolderIsWhatIsBeforeTheLastSlash(path: String, folder: String) {
        #expect(AtomicFile.folder(of: path) == folder)
    }

    @Test func aLinkInTheWayIsNotFollowed() throws {
        let folder = try Folder()
        try AtomicFile.write(Array("mine".utf8), to: folder.path + "/victim")
        #expect(symlink(folder.path + "/victim", folder.path + "/file.new") == 0)
        try AtomicFile.write(Array("new".utf8), to: folder.path + "/file")
        #expect(folder.text("victim") == "mine" && folder.text("file") == "new")
    }

    @Test func whatAnotherProgramWroteTakesItsPlaceOrGoes() throws {
        let folder = try Folder()
        let (path, made) = (folder.path + "/file", folder.path + "/made")
        try AtomicFile.write(Array("made".utf8), toNamed: made)
        try AtomicFile.place(made, at: path)
        #expect(folder.text("file") == "made" && folder.names == ["file"])
        mkdir(folder.path + "/taken", 0o755)
        try AtomicFile.write(Array("made".utf8), toNamed: made)
        #expect(throws: FileError(operation: "rename", path: made, code: EISDIR)) {
            try AtomicFile.place(made, at: folder.path + "/taken")
        }
        #expect(folder.names == ["file", "taken"])
        #expect(throws: FileError(operation: "open", path: made, code: ENOENT)) { try AtomicFile.place(made, at: path) }
    }

    @Test func aFullDiskKeepsTheOldFileAndNothingOfTheNew() throws {
        let folder = try Folder()
        guard folder.mountSmall() else {
            return print("SKIPPED aFullDiskKeepsTheOldFileAndNothingOfTheNew: a tmpfs can be mounted by root only")
        }
        let path = folder.path + "/file"
        try AtomicFile.write(Array("old".utf8), to: path)
        let large = [UInt8](repeating: 1, count: 2 << 20)
        for write in [AtomicFile.write(_:toNamed:), { try AtomicFile.write($0, to: $1) }] {
            let error = #expect(throws: FileError.self) { try write(large, path) }
            #expect(error?.code == ENOSPC && error?.explanation.remedy?.contains("free space") == true)
            #expect(folder.text("file") == "old" && folder.names == ["file"])
        }
        try AtomicFile.write(Array("new".utf8), to: path)
        #expect(folder.text("file") == "new")
    }

    /// Any file of any program: of a lab's disk, or of another user.
    @Test(arguments: [
        (ENOSPC, "No space left on device; free space on its disk"),
        (EDQUOT, "Disk quota exceeded; free space on its disk"),
        (
            EACCES,
            "Permission denied; check the rights of the file and of its folders, and which user this runs as"
        ), (EROFS, "Read-only file system; its disk is mounted read-only"),
        (EIO, "Input/output error; the storage is failing: replace the SD card or disk"), (EPIPE, "Broken pipe"),
    ]) func theRemedyFitsAnyFile(_ code: CInt, _ words: String) {
        #expect(FileError(operation: "open", path: "a", code: code).description == "a: cannot open: \(words)")
    }

    /// A file system without a sync, as proc(5), answers EINVAL (fsync(2)): for a folder that is left to the kernel.
    @Test func whatCannotBeSyncedIsNamed() throws {
        let folder = try Folder()
        let path = folder.path + "/file"
        try AtomicFile.write(Array("new".utf8), to: path)
        try AtomicFile.sync(path)
        try AtomicFile.sync(folder.path)
        try AtomicFile.syncAll(of: folder.path)
        try AtomicFile.syncFolder(of: path)
        try AtomicFile.syncFolder(of: "/proc/self/status")
        let nowhere = "/nowhere/at/all"
        let refused: [(FileError, () throws -> Void)] = [
            (FileError(operation: "open", path: nowhere, code: ENOENT), { try AtomicFile.sync(nowhere) }),
            (FileError(operation: "sync", path: "/proc/self", code: EINVAL), { try AtomicFile.sync("/proc/self") }),
            (FileError(operation: "open", path: nowhere, code: ENOENT), { try AtomicFile.syncAll(of: nowhere) }),
            (
                FileError(operation: "open the folder of", path: nowhere, code: ENOENT),
                { try AtomicFile.syncFolder(of: nowhere) }
            ),
            (
                FileError(operation: "open the folder of", path: path + "/x", code: ENOTDIR),
                { try AtomicFile.syncFolder(of: path + "/x") }
            ),
            (FileError(operation: "rename", path: nowhere, code: ENOENT), { try AtomicFile.rename(nowhere, to: path) }),
        ]
        for (error, call) in refused { #expect(throws: error) { try call() } }
        try AtomicFile.rename(path, to: folder.path + "/other")
        #expect(folder.names == ["other"])
    }
}
