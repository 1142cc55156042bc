// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// What `studyd status` says of the store, where no agent runs.
@Suite struct StatusReaderTests {
    private func page(
        _ database: StudyDatabase, json: Bool = false, clock: any StudyClock = SystemClock()
    ) async throws -> String {
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        return try await StatusReader(database: database, view: nil, stamps: stamps, folder: "/tmp")
            .text(json: json, uploads: false)
    }

    private func recording(_ id: String, of measure: String, bytes: Int64) -> StudyEvent {
        .recordingSealed(
            recording: RecordingRecord(
                id: id, itemClass: measure == "sound" ? .sound : .motion, measure: measure, path: "\(id).cwa",
                descriptionPath: "\(id).json", sha256: String(repeating: "0", count: 64), bytes: bytes, start: nil,
                end: Instant(seconds: 1_800_000_100), stored: 1000, lost: [:]))
    }

    @Test func recordingsThatAreStillThereAreCountedByMeasure() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        #expect(try await !page(database).contains("recorded    "))
        let sealed = [
            recording("1", of: "accelerometer", bytes: 150), recording("2", of: "sound", bytes: 1900),
            recording("3", of: "accelerometer", bytes: 100),
        ]
        try await database.append(sealed, at: Fixture.stamp(1))
        let both = try await page(database)
        #expect(both.contains("recorded    accelerometer: 2 files, 250 B, 0 delivered"), "\(both)")
        #expect(both.contains("recorded    sound: 1 file, 1.9 kB, 0 delivered"), "\(both)")
        try await database.append(
            ["1", "2"].map { .recordingRemoved(recording: $0, reason: .byHand) }, at: Fixture.stamp(2))
        let left = try await page(database)
        #expect(left.contains("recorded    accelerometer: 1 file, 100 B, 0 delivered"), "\(left)")
        #expect(!left.contains("recorded    sound"), "\(left)")
    }

    /// No two states have as many.
    @Test func eachItemIsCountedInItsState() async throws {
        let database = try StudyDatabase(.memory)
        let (stamp, drafts) = (Fixture.stamp(0), (1...21).map { Fixture.draft("\($0)") })
        try await database.append([], sending: drafts, at: stamp)
        let ids = try await database.items().map(\.item.id)
        try #require(ids.count == 21)
        for id in ids[..<8] { #expect(try await database.startUpload(id, at: stamp)) }
        try await database.finishUpload(ids[0], .delivered(receipt: "200"), at: stamp)
        for id in ids[1..<5] { try await database.finishUpload(id, .refused(reason: "no"), at: stamp) }
        try await database.append(ids[8..<13].map { .itemDropped(item: $0, reason: "disk cap") }, at: stamp)
        for id in ids[13..<19] { try await database.deleteItem(id, reason: "by hand", at: stamp) }
        let reader = StatusReader(
            database: database, view: nil, stamps: EventClock(clock: SystemClock(), bootID: "boot", zone: .utc),
            folder: "/tmp")
        var items = Ledger.ItemCounts()
        (items.produced, items.delivered, items.waiting, items.sending) = (21, 1, 2, 3)
        (items.refused, items.dropped, items.deleted) = (4, 5, 6)
        #expect(try await reader.ledger().items == items)
    }

    /// A clock that was not trusted at enrolment tells the time of it only later.
    @Test(arguments: [true, false]) func itSaysWhetherTheTimeOfEnrolmentIsKnown(isKnown: Bool) async throws {
        let database = try StudyDatabase(.memory)
        guard case .enrolled(var record) = Fixture.enrolled else { throw CancellationError() }
        if !isKnown { record.undated = .init(bootID: "boot-1", monotonic: .zero) }
        try await database.append([.enrolled(enrolment: record)], at: Fixture.stamp(0))
        #expect(try await page(database, json: true).contains("\"enrolledCertain\":\(isKnown)"))
        #expect(try await page(database).contains("enrolment time not known yet") == !isKnown)
    }

    /// While the clock is unknown no prompt's time is known either: that prompts are paused is said once.
    @Test(arguments: [true, false]) func anUntrustedClockTellsNoTimes(isTrusted: Bool) async throws {
        let text = AgentFixture.protocolText(days: 3, times: [(9, 0), (15, 30)])
        let device = try await StudyDevice(
            LoadedStudy(text, origin: "test"), buttons: AgentFixture.panels[2],
            participant: AgentFixture.participant(), at: "2026-03-20T10:00:00")
        let (view, conductor) = (SharedState(), device.study?.conductor)
        view.change { $0.conductor = conductor }
        let stamps = EventClock(clock: VirtualClock(now: device.now.instant), bootID: "boot", zone: device.zone)
        var reader = StatusReader(database: device.database, view: view, stamps: stamps, folder: "/tmp")
        let source = isTrusted ? ClockAnchor.Source.kernel : .unknown
        reader.clock = ClockStatus(trust: ClockTrust { (source, .milliseconds(5)) }, bound: .seconds(300))
        let page = try await reader.text(json: false, uploads: false)
        let says = isTrusted ? "kernel" : "not synchronised"
        #expect(page.contains("clock       2026-03-20 10:00:00, \(says)"), "\(page)")
        #expect(page.contains("next        2026-03-2") == isTrusted && page.contains("prompts on") == isTrusted)
        let json = try await reader.text(json: true, uploads: false)
        #expect(json.contains("\"clock\":{\"time\":\"2026-03-20T10:00:00+01:00\""), "\(json)")
        #expect(json.contains("\"next\":[]") != isTrusted)
    }

    /// 2026 began at 1767225600: what is dated earlier was dated by a clock that was not set.
    @Test(
        arguments: [
            (1_567_000_000, 1_795_629_600, "of unknown age, from before the clock was set"),
            (1_767_225_599, 1_795_629_600, "of unknown age, from before the clock was set"),
            (1_767_225_600, 1_767_225_660, "1m ago"), (1_567_000_000, 1_567_000_060, "1m ago"),
            (1_795_629_600, 3_600, "of unknown age, since the clock is behind"),
            (1_767_225_600, 1_767_225_599, "of unknown age, since the clock is behind"),
            (1_795_629_661, 1_795_629_600, "of unknown age, since the clock is behind"),
            (1_795_629_660, 1_795_629_600, "0s ago"),
        ] as [(Int64, Int64, String)])
    func anAgeByAClockThatWasOrIsNotSetIsUnknown(queued: Int64, now: Int64, age: String) async throws {
        let database = try StudyDatabase(.memory)
        let stamp = EventStamp(
            wall: Instant(seconds: queued), monotonic: .zero, bootID: "boot", zoneOffset: 0, enrolment: "e1")
        try await database.append([], sending: [Fixture.draft("a")], at: stamp)
        let page = try await page(database, clock: VirtualClock(now: Instant(seconds: now)))
        #expect(page.contains(", oldest \(age)\n"), "\(page)")
    }
}
