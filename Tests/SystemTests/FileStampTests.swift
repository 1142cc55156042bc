// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

@testable import SystemKit

@Suite struct FileStampTests {
    @Test func aFileThatIsReplacedOrLongerHasAnotherStamp() throws {
        let folder = try Folder()
        let path = folder.path + "/a"
        try AtomicFile.write([1], to: path)
        let first = try #require(FileStamp(path))
        #expect(FileStamp(path) == first)
        try AtomicFile.write([2], to: path)
        let second = try #require(FileStamp(path))
        #expect(second != first)
        try #require(truncate(path, 2) == 0)
        #expect(FileStamp(path) != second)
    }

    /// A change within the same tick of the file system's clock may leave it as it was.
    @Test func itIsSettledWhenTheFilesClockHasGoneOn() throws {
        let folder = try Folder()
        try AtomicFile.write([1], to: folder.path + "/a")
        let stamp = try #require(FileStamp(folder.path + "/a"))
        let now = SystemClock().now
        #expect([-60, 0, 60].map { stamp.isSettled(at: now + .seconds($0)) } == [false, false, true])
        // Two seconds after its last change, to the nanosecond.
        var status = stat()
        try #require(stat(folder.path + "/a", &status) == 0)
        let changed = Instant(seconds: Int64(status.st_ctim.tv_sec)) + .nanoseconds(Int64(status.st_ctim.tv_nsec))
        #expect([0, 1].map { stamp.isSettled(at: changed + .nanoseconds(2_000_000_000 + $0)) } == [false, true])
    }

    @Test func onlyARegularFileHasOne() throws {
        let folder = try Folder()
        #expect(FileStamp(folder.path) == nil && FileStamp(folder.path + "/none") == nil)
        #expect(FileStamp("/dev/null") == nil)
    }
}
