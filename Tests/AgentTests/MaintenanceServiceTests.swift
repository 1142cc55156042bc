// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Logging
import Patience
import Simulation
import Study
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct MaintenanceServiceTests {
    private static func database(_ folder: String, recordings: Int) async throws -> StudyDatabase {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let database = try StudyDatabase(.memory, recordings: folder)
        for number in 0..<recordings {
            let recording = Fixture.recording("r\(number)", .motion)
            try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(recording.path)"))
            try await database.append(
                [.recordingSealed(recording: recording)], sending: [Fixture.file(of: recording)],
                at: Fixture.stamp(Int64(number)))
        }
        return database
    }

    private static func service(
        _ database: StudyDatabase, _ clock: VirtualClock, _ view: SharedState, in folder: String, cap: Int64
    ) -> MaintenanceService {
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let mailbox = Mailbox()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let systemd = SystemdNotifier(environment: [:])
        let policy = RetentionPolicy(diskCap: cap, keepDelivered: .zero)
        let status = ClockStatus(trust: ClockTrust { (.kernel, .milliseconds(1)) }, bound: .seconds(300))
        return MaintenanceService(
            database: database, stamps: stamps, view: view, mailbox: mailbox, systemd: systemd,
            storeMaintenance: StoreMaintenance(
                database, retention: policy, stamps: stamps, view: view, mailbox: mailbox, systemd: systemd, log: log),
            retention: policy,
            watch: AgentWatch(WatchedThreads(), bootID: "boot", file: folder + "/restart", log: log),
            states: StateWatch(database, view: view, clock: status, stamps: stamps, folder: folder, log: log),
            sticks: [], log: log)
    }

    /// What is kept is looked at once a minute: what is above the cap goes then, and not before.
    @Test func whatIsAboveTheCapGoesAfterAMinute() async throws {
        let folder = NSTemporaryDirectory() + "care-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await Self.database(folder, recordings: 3)
        let clock = VirtualClock(now: Fixture.stamp(60).wall)
        let service = Self.service(database, clock, SharedState(), in: folder, cap: 150)
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
        #expect(FolderListing.readable(folder) == ["r2.cwa"])
        running.cancel()
        try await running.value
    }

    /// Of what was given to the outbox at the start, the device is offline a day later.
    @Test func whatHasWaitedForADayIsTold() async throws {
        let folder = NSTemporaryDirectory() + "care-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (database, view) = (try await Self.database(folder, recordings: 1), SharedState())
        view.change { $0.anchor = FeatureTapTests.anchor }
        let clock = VirtualClock(now: Fixture.stamp(86_400 - 70).wall)
        let service = Self.service(database, clock, view, in: folder, cap: 1 << 30)
        let running = Task { try await service.run() }
        await clock.whenSleeping(1)
        try await eventually("it is offline") {
            clock.advance(to: clock.monotonic + .seconds(20))
            return view.now.isOffline
        }
        #expect(clock.now >= Fixture.stamp(86_400).wall)
        running.cancel()
        try await running.value
    }
}
