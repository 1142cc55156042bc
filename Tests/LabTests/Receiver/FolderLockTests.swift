// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Lab

@Suite struct FolderLockTests {
    /// flock(2): of two descriptors that were opened apart, also in one process, one has it.
    @Test func oneHasAFolderAtATime() async throws {
        try await withFolder { folder in
            let first = try #require(try FolderLock.take(folder + "/lab"))
            #expect(try FolderLock.take(folder + "/lab") == nil)
            let other = try #require(try FolderLock.take(folder + "/other"))
            close(first)
            let again = try #require(try FolderLock.take(folder + "/lab"))
            close(again)
            close(other)
        }
    }
}
