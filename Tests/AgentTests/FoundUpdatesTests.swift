// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct FoundUpdatesTests {
    /// Studies count their versions each for itself.
    @Test func aRefusedVersionIsThatOfItsEnrolment() {
        let found = FoundUpdates()
        #expect(found.refusedVersion(of: "a") == nil)
        #expect(found.refuse("3", "cannot be run", of: "a"))
        #expect(!found.refuse("3", "cannot be run", of: "a"))
        #expect(found.refusedVersion(of: "a") == "3" && found.refusedVersion(of: "b") == nil)
        #expect(found.refuse("3", "cannot be run", of: "b"))
        #expect(found.refuse("4", "cannot be run", of: "a"))
        #expect(found.refusedVersion(of: "a") == "4")
    }
}
