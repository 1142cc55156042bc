// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

/// What a folder holds, for everybody who asks.
@Suite struct FolderListingTests {
    @Test func namesComeSortedWithoutTheFolderItself() throws {
        try withFolder(["b", "a", ".hidden"]) { path in
            let all = try FolderListing.names(in: path)
            let shown = try FolderListing.names(in: path) { !$0.hasPrefix(".") }
            #expect(all == [".hidden", "a", "b"])
            #expect(shown == ["a", "b"])
        }
    }

    /// The longest that Linux allows (NAME_MAX), and one that is no ASCII.
    @Test func aLongNameIsWhole() throws {
        let long = String(repeating: "n", count: 255)
        try withFolder([long, "größe"]) { path in
            let all = try FolderListing.names(in: path)
            #expect(all == ["größe", long])
        }
    }

    /// One more than that tells that there are too many.
    @Test(arguments: [(0, 1), (3, 4), (18, 19), (19, 20), (20, 20), (21, 20)])
    func readingEndsAfterAsManyNamesAsAreAllowed(most: Int, count: Int) throws {
        try withFolder((0..<20).map(String.init)) { path in
            let some = try FolderListing.names(in: path, most: most)
            #expect(some.count == count)
        }
    }

    @Test func aFolderThatIsNotThereSaysSo() {
        #expect(throws: FolderListing.Failure(path: "/nowhere", code: ENOENT)) {
            try FolderListing.names(in: "/nowhere")
        }
        #expect(FolderListing.readable("/nowhere").isEmpty)
    }

    /// An error of readdir(3) looks like the end, but for errno: the kernel answers ENOTDIR where
    /// the open stream is no folder any more.
    @Test func aListingThatBreaksOffIsNoShortListing() throws {
        try withFolder(["a"]) { path in
            let folder = try #require(opendir(path))
            defer { closedir(folder) }
            let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
            try #require(dup2(other, dirfd(folder)) >= 0 && close(other) == 0)
            #expect(throws: FolderListing.Failure(path: path, code: ENOTDIR)) {
                try FolderListing.forEach(in: folder, of: path) { _ in true }
            }
        }
    }

    @Test func removalTakesWhatIsInItAndFollowsNoLink() throws {
        try withFolder(["kept"]) { outside in
            try withFolder(["x"]) { path in
                symlink(outside, path + "/link")
                mkdir(path + "/inner", 0o700)
                FolderRemoval.remove(path)
                #expect(access(path, F_OK) != 0)
            }
            let kept = try FolderListing.names(in: outside)
            #expect(kept == ["kept"])
        }
    }

    private func withFolder(_ names: [String], _ body: (String) throws -> Void) throws {
        var template = Array("/tmp/studyd-listing-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { FolderRemoval.remove(path) }
        for name in names { close(open(path + "/" + name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }
        try body(path)
    }
}
