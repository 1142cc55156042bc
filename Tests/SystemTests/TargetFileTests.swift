// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// open(2), rename(2) and fsync(2) say what the kernel answers.
@Suite struct TargetFileTests {
    private func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    private func write(_ text: String, to path: String, isFinished: Bool = true) throws {
        let target = try TargetFile(path)
        try target.write(Array(text.utf8))
        if isFinished { try target.finish() }
    }

    @Test(arguments: [nil, "old"]) func whatIsNotFinishedLeavesWhatWasThere(old: String?) throws {
        let folder = try Folder()
        let path = folder.path + "/file"
        if let old { try write(old, to: path) }
        try write("new", to: path, isFinished: false)
        #expect(folder.names == (old == nil ? [] : ["file"]) && folder.text("file") == old ?? "")
        try write("new", to: path)
        #expect(folder.names == ["file"] && folder.text("file") == "new")
    }

    /// Rights to run a file as its owner are for what was there, and not for what comes.
    @Test(
        arguments: [(0o600, 0o600), (0o644, 0o644), (0o751, 0o751), (0o4755, 0o755), (0o2775, 0o775)]
            as [(mode_t, mode_t)])
    func aFileInPlaceOfAnotherHasItsRights(old: mode_t, new: mode_t) throws {
        let folder = try Folder()
        let path = folder.path + "/file"
        try write("old", to: path)
        #expect(chmod(path, old) == 0)
        try write("new", to: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == new)
    }

    @Test func aNewFileHasTheRightsThatAreAskedFor() throws {
        let folder = try Folder()
        for name in ["a", "b"] {
            let target = try TargetFile(
                folder.path + "/" + name, mode: 0o600, temporary: name == "a" ? nil : folder.path + "/c")
            try target.finish(isSynced: name == "a")
            #expect(folder.mode(name) == 0o600)
        }
        #expect(folder.names.sorted() == ["a", "b"])
    }

    /// The name beside is free for others again.
    @Test func whatIsFinishedTakesNothingAway() throws {
        let folder = try Folder()
        let beside = folder.path + "/beside"
        do {
            let target = try TargetFile(folder.path + "/file", temporary: beside)
            try target.finish()
            try AtomicFile.write(Array("another".utf8), toNamed: beside)
            withExtendedLifetime(target) {}
        }
        #expect(folder.names.sorted() == ["beside", "file"] && folder.text("beside") == "another")
    }

    /// poll(2): POLLHUP once all who write have closed it. That is so of one that is given up, too.
    @Test(arguments: [true, false]) func aPipeIsWrittenToAndStays(isFinished: Bool) throws {
        let folder = try Folder()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        try write("new", to: path, isFinished: isFinished)
        var bytes = [UInt8](repeating: 0, count: 9)
        let count = read(reader, &bytes, bytes.count)
        #expect(count == 3 && Array(bytes.prefix(3)) == Array("new".utf8))
        #expect(kind(path) == S_IFIFO && folder.names == ["pipe"])
        var end = pollfd(fd: reader, events: 0, revents: 0)
        #expect(poll(&end, 1, 10_000) == 1 && end.revents == Int16(POLLHUP))
    }

    @Test func whereALinkLeadsIsWrittenAndTheLinkStays() throws {
        let folder = try Folder()
        let (path, aim) = (folder.path + "/link", folder.path + "/file")
        try write("something longer", to: aim)
        try #require(symlink(aim, path) == 0)
        try write("new", to: path)
        #expect(folder.text("file") == "new" && kind(path) == S_IFLNK && kind(aim) == S_IFREG)
        unlink(aim)
        #expect(throws: FileError(operation: "open", path: path, code: ENOENT)) { try TargetFile(path) }
        #expect(folder.names == ["link"] && kind(path) == S_IFLNK)
    }

    @Test func whatTheKernelRefusesIsNamed() throws {
        let folder = try Folder()
        #expect(throws: FileError(operation: "open", path: folder.path, code: EISDIR)) { try TargetFile(folder.path) }
        #expect(throws: FileError(operation: "create", path: "/nowhere/at/all", code: ENOENT)) {
            try TargetFile("/nowhere/at/all")
        }
        #expect(throws: FileError(operation: "write", path: "/dev/full", code: ENOSPC)) {
            try write("new", to: "/dev/full")
        }
        let path = folder.path + "/file"
        let target = try TargetFile(path)
        try #require(mkdir(path, 0o700) == 0)
        #expect(throws: FileError(operation: "rename", path: path, code: EISDIR)) { try target.finish() }
        #expect(folder.names == ["file"] && kind(path) == S_IFDIR)
    }

    /// NAME_MAX is 255.
    @Test func aNameMayBeAsLongAsANameCanBe() throws {
        let folder = try Folder()
        let name = String(repeating: "n", count: 255)
        try write("new", to: folder.path + "/" + name)
        #expect(folder.names == [name] && folder.text(name) == "new")
        let path = folder.path + "/n" + name
        #expect(throws: FileError(operation: "rename", path: path, code: ENAMETOOLONG)) { try write("new", to: path) }
        #expect(folder.names == [name])
    }
}
