// SPDX-License-Identifier: Apache-2.0
import Logging
import Study
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct LastReportTests {
    /// A participant is taken off the study for the lab alone, and only once. No receiver answers at that port.
    @Test(arguments: [(false, true, 1), (true, true, 1), (false, false, 0), (true, false, 1)])
    func whoTakesPartStillIsTakenOffOnce(hasLeft: Bool, hasReceiver: Bool, rows: Int) async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        if hasLeft { try await bench.leave() }
        let text = "board = 'b'\n" + (hasReceiver ? "[report]\nurl = 'http://127.0.0.1:1'\n" : "")
        let report = LastReport(
            try AgentConfiguration(parsing: text, file: "studyd.toml"), folder: bench.folder,
            stamps: EventClock(clock: bench.clock, bootID: "boot", zone: .utc),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await report.send(from: bench.database, deletesUnsent: false)
        #expect(try await bench.database.events(kind: "withdrawn").count == rows)
        #expect(try await bench.database.latestEnrolment()?.withdrawn != nil || rows == 0)
    }

    @Test func withoutAnyEnrolmentNothingIsDone() async throws {
        let bench = try ReportBench()
        let report = LastReport(
            try AgentConfiguration(parsing: "board = 'b'\n[report]\nurl = 'http://127.0.0.1:1'\n", file: "studyd.toml"),
            folder: bench.folder, stamps: EventClock(clock: bench.clock, bootID: "boot", zone: .utc),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await report.send(from: bench.database, deletesUnsent: true)
        #expect(try await bench.database.events().isEmpty)
    }
}
