// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Logging
import Patience
import Simulation
import Study
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct MaintenanceServiceTests {
    /// What is kept is looked at once a minute: what is above the cap goes then, and not before.
    @Test func whatIsAboveTheCapGoesAfterAMinute() async throws {
        let folder = NSTemporaryDirectory() + "care-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.memory, recordings: folder)
        for number in 0..<3 {
            let recording = Fixture.recording("r\(number)", .motion)
            try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(recording.path)"))
            try await database.append(
                [.recordingSealed(recording: recording)], sending: [Fixture.file(of: recording)],
                at: Fixture.stamp(Int64(number)))
        }
        let clock = VirtualClock(now: Fixture.stamp(60).wall)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let (view, mailbox) = (SharedState(), Mailbox())
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let systemd = SystemdNotifier(environment: [:])
        let policy = RetentionPolicy(diskCap: 150, keepDelivered: .zero)
        let status = ClockStatus(trust: ClockTrust { (.kernel, .milliseconds(1)) }, bound: .seconds(300))
        let service = MaintenanceService(
            database: database, stamps: stamps, view: view, mailbox: mailbox, systemd: systemd,
            keeper: StoreMaintenance(
                database, retention: policy, stamps: stamps, view: view, mailbox: mailbox, systemd: systemd, log: log),
            retention: policy,
            watch: AgentWatch(LifeSigns(), bootID: "boot", file: folder + "/restart", log: log),
            states: StateWatch(database, view: view, clock: status, stamps: stamps, folder: folder, log: log),
            sticks: [], log: log)
        func kept() async throws -> Int { try await database.recordingViews().count { $0.removed == nil } }
        let running = Task { try await service.run() }
        await clock.whenSleeping(1)
        for second in 1...59 as ClosedRange<Int64> {
            clock.advance(to: MonotonicTime(nanoseconds: second * 1_000_000_000))
            #expect(try await kept() == 3)
        }
        try await eventually("what is above the cap goes") {
            clock.advance(to: clock.monotonic + .seconds(5))
            return try await kept() == 1
        }
        #expect(StoreFiles.names(in: folder) == ["r2.cwa"])
        running.cancel()
        try await running.value
    }
}
