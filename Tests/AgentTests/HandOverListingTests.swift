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
}
