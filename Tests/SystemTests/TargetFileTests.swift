// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// rename(2) and open(2) are the facts. What programs do with such a file is asked by ScenarioTests
/// (`NamedOutputTests`).
@Suite struct TargetFileTests {
    @Test(arguments: [false, true]) func itHasItsNameWhenItIsWhole(isSynced: Bool) throws {
        let folder = try Folder()
        let (path, beside) = (folder.path + "/file", folder.path + "/beside")
        let target = try TargetFile(path, mode: 0o600, temporary: beside)
        try target.write(Array("new".utf8))
        try target.write(Array("er".utf8))
        #expect(folder.names == ["beside"])
        try target.finish(isSynced: isSynced)
        #expect(folder.names == ["file"] && folder.text("file") == "newer" && folder.mode("file") == 0o600)
    }

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

    @Test(arguments: [nil, "beside"] as [String?]) func whatIsNotFinishedLeavesWhatWasThere(name: String?) throws {
        let folder = try Folder()
        try AtomicFile.write(Array("old".utf8), toNamed: folder.path + "/file")
        do {
            let target = try TargetFile(folder.path + "/file", temporary: name.map { "\(folder.path)/\($0)" })
            try target.write(Array("new".utf8))
            #expect(folder.names.count == 2)
        }
        #expect(folder.names == ["file"] && folder.text("file") == "old")
    }

    @Test func aFolderThatTookItsPlaceStays() throws {
        let folder = try Folder()
        let path = folder.path + "/file"
        let target = try TargetFile(path)
        try #require(mkdir(path, 0o700) == 0)
        #expect(throws: FileError(operation: "rename", path: path, code: EISDIR)) { try target.finish() }
        #expect(folder.names == ["file"])
    }

    @Test func aLinkAndADeviceAreWrittenTo() throws {
        let folder = try Folder()
        try AtomicFile.write(Array("something longer".utf8), toNamed: folder.path + "/file")
        let link = folder.path + "/link"
        try #require(symlink("file", link) == 0)
        for path in [link, "/dev/null"] {
            let target = try TargetFile(path)
            try target.write(Array("new".utf8))
            try target.finish()
        }
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(folder.names.sorted() == ["file", "link"] && folder.text("file") == "new")
    }

    @Test func whatCannotBeOpenedSaysSo() throws {
        let folder = try Folder()
        #expect(throws: FileError(operation: "open", path: folder.path, code: EISDIR)) { try TargetFile(folder.path) }
        let path = folder.path + "/absent/file"
        #expect(throws: FileError(operation: "create", path: path, code: ENOENT)) { try TargetFile(path) }
    }
}
