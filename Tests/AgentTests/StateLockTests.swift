// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Agent

@Suite struct StateLockTests {
    /// flock(2): a lock belongs to the open file, so that a second one of the same process
    /// is a second one.
    @Test func aSecondAgentIsToldWhoHasTheFolder() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path)
            let first = try StateLock(folder)
            let fault = #expect(throws: FileError.self) { _ = try StateLock(folder) }
            #expect(fault?.description.contains("process \(getpid())") == true, "\(fault?.description ?? "")")
            first.release()
            let second = try StateLock(folder)
            second.release()
        }
    }
}
