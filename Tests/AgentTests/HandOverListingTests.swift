// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite struct HandOverListingTests {
    /// A folder that cannot be read is not known to be empty. The kernel answers ENOTDIR for a
    /// file.
    @Test func aFolderThatCannotBeReadIsNotTakenForAnEmptyOne() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            let database = try StudyDatabase(.memory)
            let stamps = EventClock(clock: SystemClock(), bootID: "b", zone: .utc)
            try await HandOver(folder, stamps: stamps).refuseLoss(in: database)
            try AtomicFile.write([1], to: folder.recordings)
            await #expect(throws: FileError.self) {
                try await HandOver(folder, stamps: stamps).refuseLoss(in: database)
            }
        }
    }

    /// By it a full disk is told from another failure.
    @Test func aLogThatCannotBeMovedFailsWithTheKernelsCode() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            let stamps = EventClock(clock: SystemClock(), bootID: "b", zone: .utc)
            let database = try StudyDatabase(folder, encryption: nil)
            try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
            try AtomicFile.write([1], to: folder.path + "/closed")
            let error = await #expect(throws: FileError.self) {
                try await HandOver(folder, stamps: stamps).close(database)
            }
            #expect(error?.code == ENOTDIR)
        }
    }

    /// The kernel answers EISDIR to unlink(2) of a folder.
    @Test func foldersWithinFoldersAreEmptiedToo() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            let stamps = EventClock(clock: SystemClock(), bootID: "b", zone: .utc)
            for below in [folder.results, folder.results + "/run", folder.results + "/run/empty"] {
                _ = mkdir(below, 0o700)
            }
            for file in ["/a.json", "/run/b.json"] { try AtomicFile.write([1], to: folder.results + file) }
            #expect(try await HandOver(folder, stamps: stamps).close(try StudyDatabase(.memory)) == nil)
            #expect(try FolderListing.names(in: folder.results).isEmpty)
        }
    }
}
