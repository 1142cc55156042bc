// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Agent
@testable import Study

/// Who is enrolled on a device that does not know the date. What has to come out is not ours: it is
/// the run of a device that knew it from the beginning. That such devices are the rule and not the
/// exception: a Raspberry Pi has no battery-backed clock, and begins with the time that
/// `fake-hwclock` saved at the last shutdown (fake-hwclock(8)), or with that of its image.
@Suite struct EnrolmentDateTests {
    /// What the image's clock shows: months behind, and ahead.
    static let shown = ["2025-11-03T08:00:00", "2026-03-19T23:58:00", "2026-09-01T12:00:00"]
    private static let truth = "2026-03-20T10:00:00"

    private func device(at local: String, isClockGood: Bool) async throws -> StudyDevice {
        let text = AgentFixture.protocolText(days: 3, times: [(9, 0), (15, 30)])
        return try await StudyDevice(
            LoadedStudy(text, origin: "test"), buttons: AgentFixture.panels[2],
            participant: AgentFixture.participant(), at: local, isClockGood: isClockGood)
    }

    private func endings(_ device: StudyDevice) -> [String] {
        (device.study?.conductor.scheduler.endings ?? []).map {
            "\($0.occurrence.id) \($0.occurrence.local) \(String(describing: $0.outcome))"
        }
    }

    private func kinds(_ device: StudyDevice, _ kind: String) async throws -> Int {
        try await device.database.events(kind: kind, limit: -1).count
    }

    @Test(arguments: shown) func theStudyRunsAsIfTheDateHadBeenKnown(_ shown: String) async throws {
        var known = try await device(at: Self.truth, isClockGood: true)
        let begin = known.now.instant
        let end = begin + .seconds(5 * 86_400)
        try await known.run(until: end)

        var unknown = try await device(at: shown, isClockGood: false)
        try await unknown.run(until: unknown.now.instant + .seconds(2 * 3600))
        #expect(unknown.study?.conductor.scheduler.ledger.open == 0, "nothing falls due by an unknown date")
        try await unknown.setClock(to: begin + .seconds(2 * 3600))
        #expect(unknown.study?.record.undated == nil)
        #expect(unknown.study?.record.local == known.study?.record.local)
        try await unknown.run(until: end)

        #expect(endings(unknown) == endings(known) && endings(known).count == 6, "\(endings(unknown))")
        #expect(endings(known).contains { $0.contains("completed") })
        #expect(try await kinds(unknown, "enrolmentDated") == 1)
        #expect(try await unknown.database.verifyLog() == nil)
    }

    @Test func afterAPowerCutTheStudyBeginsWithTheFirstCertainTime() async throws {
        var device = try await device(at: Self.shown[0], isClockGood: false)
        let saved = device.now.instant + .seconds(600)
        try await device.run(until: saved)
        try await device.cutPower(clockShows: saved)
        try await device.run(until: saved + .seconds(3600))
        let now = device.zone.resolve(try LocalDateTime(parsing: Self.truth)).instant
        try await device.setClock(to: now)
        #expect(device.study?.record.local == (try LocalDateTime(parsing: Self.truth)))
        try await device.run(until: now + .seconds(5 * 86_400))
        let ledger = device.study?.conductor.scheduler.ledger
        #expect(ledger?.isBalanced == true && ledger?.due == 6 && endings(device).allSatisfy { !$0.contains("clock") })
    }

    /// An enrolment counts once at its server, with the time at which it truly was.
    @Test func theServerLearnsOfTheEnrolmentWithItsDateAndOnce() async throws {
        var device = try await device(at: Self.shown[0], isClockGood: false)
        #expect(try await device.database.items(limit: 100).isEmpty)
        try await device.run(until: device.now.instant + .seconds(3600))
        let now = device.zone.resolve(try LocalDateTime(parsing: Self.truth)).instant
        try await device.setClock(to: now)
        try await device.setClock(to: now + .seconds(60))
        let items = try await device.database.items(limit: 100)
        #expect(items.count == 1)
        guard let item = items.first, case .request(let request) = try await device.database.content(of: item) else {
            return
        }
        let body = String(decoding: request.body, as: UTF8.self)
        // An hour before the clock was set.
        #expect(body.contains("2026-03-20T09:00:00") && !body.contains("2025-11"), "\(body)")
    }

    /// Measuring goes on for the enrolment as it was when it began.
    @Test func aRecordingSealedLaterHasTheDateOfTheEnrolment() async throws {
        var device = try await device(at: Self.shown[0], isClockGood: false)
        let description = RecordingDescription(
            fileName: "000001-sound.flac", contentType: "audio/flac", countedUnit: .samples)
        let recording = SealedRecording(number: 1, path: "1", descriptionPath: "1.json", description: description)
        let owner = device.study?.record
        #expect(owner?.certainDate == nil)
        try await device.feed(.recorder(.sealed([recording]), of: owner))
        try await device.setClock(to: device.zone.resolve(try LocalDateTime(parsing: Self.truth)).instant)
        try await device.feed(.recorder(.sealed([recording]), of: owner))
        #expect(device.files.map { $0.owner?.certainDate } == [nil, "2026-03-20T10:00:00+01:00"])
    }

    /// A participant with the list open is not thrown out of it.
    @Test func whatIsOpenOnThePanelIsFinishedBefore() async throws {
        var device = try await device(at: Self.shown[0], isClockGood: false)
        for isPressed in [true, false] {
            try await device.send(
                .button(ButtonEvent(button: 1, isPressed: isPressed, time: device.now.monotonic + .milliseconds(200))))
        }
        #expect(!device.isIdle)
        #expect(try await kinds(device, "listOpened") == 1)
        #expect(try await device.database.items(limit: 100).isEmpty, "the server does not know of the enrolment")
        let now = device.zone.resolve(try LocalDateTime(parsing: Self.truth)).instant
        try await device.setClock(to: now)
        #expect(!device.isIdle && device.study?.record.undated != nil)
        try await device.run(until: now + .seconds(3600))
        #expect(device.isIdle && device.study?.record.undated == nil)
        #expect(device.study?.record.local == (try LocalDateTime(parsing: Self.truth)))
    }

    /// The study's file is read again for its date, and for another version as before.
    @Test(arguments: [false, true]) func anotherVersionIsFollowedOnceWhetherOrNotTheDateIsKnown(
        isDated: Bool
    ) async throws {
        var device = try await device(at: Self.shown[0], isClockGood: false)
        let now = device.zone.resolve(try LocalDateTime(parsing: Self.truth)).instant
        if isDated { try await device.setClock(to: now) }
        #expect((device.study?.record.undated == nil) == isDated)
        let text = AgentFixture.protocolText(days: 4, times: [(9, 0), (15, 30)])
        let update = PendingUpdate(loaded: try LoadedStudy(text, origin: "test"), version: "2")
        let before = device.study?.record.fileDigest
        for _ in 0..<2 {
            try await device.feed(.update(update, of: device.enrolment))
            #expect(try await kinds(device, "studyUpdated") == 1)
        }
        #expect(device.study?.record.fileDigest != before)
        #expect(device.study?.loaded.bytes == update.loaded.bytes)
    }
}
