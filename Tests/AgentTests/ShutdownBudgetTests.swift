// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite struct ShutdownBudgetTests {
    /// systemd.service(5): what has not ended after TimeoutStopSec= is killed,
    /// whatever it still seals.
    @Test func theServiceManagerKillsOnlyWhatHasOutlivedItsOwnBudget() throws {
        let unit = try BoundedFile.text(AgentFixture.package + "/systemd/studyd.service")
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("TimeoutStopSec=") })
        let seconds = try #require(Int(line.split(separator: "=")[1]))
        #expect(Duration.seconds(seconds) == ShutdownBudget.agent + ShutdownBudget.margin)
    }

    @Test func aSubmissionThatWaitsForItsFilesAndAStuckDriverFitIn() {
        #expect(HeldSubmission.patience + ShutdownBudget.measuring < ShutdownBudget.agent)
    }
}
