// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite(.timeLimit(.minutes(10)))
struct StudyDatabaseTests {
    private func full() async throws -> StudyDatabase {
        let database = try StudyDatabase(.memory)
        for (index, event) in Fixture.everything.enumerated() {
            try await database.append(
                [event], sending: index.isMultiple(of: 5) ? [Fixture.draft("item \(index)")] : [],
                at: Fixture.stamp(Int64(index)))
        }
        return database
    }

    @Test func whatWasRebuiltEqualsWhatWasLive() async throws {
        let database = try await full()
        let ids = try await database.items().map(\.item.id)
        _ = try await database.startUpload(ids[0], at: Fixture.stamp(100))
        try await database.finishUpload(ids[0], .delivered(receipt: "200"), at: Fixture.stamp(101))
        _ = try await database.startUpload(ids[1], at: Fixture.stamp(102))
        try await database.finishUpload(ids[1], .refused(reason: "422"), at: Fixture.stamp(103))
        _ = try await database.startUpload(ids[2], at: Fixture.stamp(104))
        try await database.locateUpload(ids[2], url: "http://x/1", at: Fixture.stamp(105))
        let live = try await database.projectionDump()
        try await database.rebuildProjections()
        #expect(try await database.projectionDump() == live)
        #expect(live.count > 20)
        #expect(try await database.verifyLog() == nil)
    }

    @Test func stateIsThereAfterAReopening() async throws {
        let path = NSTemporaryDirectory() + "\(UUID()).sqlite"
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        var database: StudyDatabase? = try StudyDatabase(.file(path))
        try await database?.append(Fixture.everything, sending: [Fixture.draft("a")], at: Fixture.stamp(0))
        let live = try await database?.projectionDump()
        database = nil
        let again = try StudyDatabase(.file(path))
        #expect(try await again.projectionDump() == live)
        #expect(try await again.latestEnrolment()?.record.enrolment == Fixture.enrolment)
        try await again.append([.listOpened], at: Fixture.stamp(1))
        #expect(try await again.verifyLog() == nil)
    }

    @Test func theEngineFindsWhatItNeeds() async throws {
        let database = try await full()
        let facts = try await database.facts(of: "e1")
        #expect(facts.completedTasks == ["mood"])
        #expect(facts.condition == "Control")
        #expect(facts.variables == ["count": .number(3)])
        #expect(try await database.openings(of: "e1") == ["mood": 1, "kick": 1])
        #expect(try await database.outcomes(of: "e1") == ["mood/1": .completed, "mood/2": .missed(.deviceOff)])
        #expect(try await database.occurrences(of: "e1", onlyOpen: true).map(\.occurrence) == [Fixture.occurrence(3)])
        #expect(try await database.openRuns(of: "e1").map(\.task) == ["kick"])
        #expect(try await database.firstOpenings(of: "e1").isEmpty)
        for (opening, second) in [(3, 7000), (4, 7100)] as [(Int, Int64)] {
            try await database.append(
                [.runOpened(task: "mood", opening: opening, occurrence: "mood/3")], at: Fixture.stamp(second))
        }
        #expect(try await database.firstOpenings(of: "e1") == ["mood/3": Fixture.stamp(7000).wall])
        #expect(try await database.submittedOpenings(of: "mood", in: "e1") == [1])
        #expect(try await database.submittedOpenings(of: "kick", in: "e1") == [])
        #expect(try await database.latestEnrolment()?.arePromptsOn == false)
        #expect(try await database.history(of: "happy", in: "e1").map(\.value) == [.number(0.1)])
        #expect(try await database.history(of: "memo", task: "mood", in: "e1").map(\.value) == [.recording("17")])
        // The clock of the stamps is an hour ahead of UTC.
        let zones =
            try await database.history(of: "happy", in: "e1").map(\.zone)
            + database.completedRuns(of: "e1", limit: 5).map(\.zone)
        #expect(zones.map { $0?.period(at: Fixture.enrolment.instant).offset } == [3600, 3600])
        #expect(try await database.anchors(ofBoot: "boot-1").map(\.source) == [.kernel])
    }

    /// A sticky task is done again and again for one occurrence.
    @Test func theFirstOpeningIsThatAfterTheLastSubmission() async throws {
        let database = try StudyDatabase(.memory)
        let submission = Submission(
            task: "mood", occurrence: Fixture.occurrence(3), order: [], answers: [:], drawn: [],
            submitted: Fixture.stamp(30).wall)
        for (second, event, first) in [
            (10, .runOpened(task: "mood", opening: 1, occurrence: "mood/3"), 10),
            (20, .runOpened(task: "mood", opening: 2, occurrence: "mood/3"), 10),
            (30, .submitted(task: "mood", opening: 2, submission: SubmissionRecord(submission)), nil),
            (40, .runOpened(task: "mood", opening: 3, occurrence: "mood/3"), 40),
            (50, .runOpened(task: "mood", opening: 4, occurrence: "mood/3"), 40),
        ] as [(Int64, StudyEvent, Int64?)] {
            try await database.append([event], at: Fixture.stamp(second))
            let opened = first.map { Fixture.stamp($0).wall }
            #expect(try await database.firstOpenings(of: "e1")["mood/3"] == opened, "\(second)")
        }
    }

    /// A clock that was ahead brought it before its time; it was put off, returned, and came again.
    @Test func whatWasReturnedIsNotPutOffAnyMore() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        let (prompted, putOff) = (
            StudyEvent.prompted(occurrence: Fixture.record(5)), StudyEvent.promptPutOff(occurrence: "mood/5")
        )
        let ahead = Fixture.stamp(90_000)
        try await database.append([prompted, putOff], at: ahead)
        #expect(try await database.putOffs(of: "e1") == ["mood/5": ahead.wall])
        try await database.append([putOff], at: Fixture.stamp(90))
        #expect(try await database.putOffs(of: "e1") == ["mood/5": Fixture.stamp(90).wall])
        try await database.append([.occurrencesReturned(occurrences: ["mood/5"])], at: Fixture.stamp(100))
        #expect(try await database.putOffs(of: "e1").isEmpty)
        try await database.append([prompted], at: Fixture.stamp(18_000))
        #expect(try await database.putOffs(of: "e1").isEmpty)
        try await database.append([putOff], at: Fixture.stamp(18_060))
        #expect(try await database.putOffs(of: "e1") == ["mood/5": Fixture.stamp(18_060).wall])
    }

    /// Such as rows of a newer version of the program.
    @Test func aZoneThatCannotBeReadLeavesTheReadableOneBeforeIt() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        let record = try #require(try await database.latestEnrolment()?.record)
        try await database.append(
            [.zoneChanged(from: "Europe/Berlin", to: "Asia/Tokyo")], at: Fixture.stamp(1, enrolment: "e2"))
        #expect(try await database.lastZone(of: record) == record.zone)
        try await database.addUnreadableZone()
        #expect(try await database.lastZone(of: record) == record.zone)
        for (second, zone) in [(2, "Asia/Tokyo"), (4, "UTC")] as [(Int64, String)] {
            try await database.append([.zoneChanged(from: "Europe/Berlin", to: zone)], at: Fixture.stamp(second))
            #expect(try await database.lastZone(of: record) == zone)
            try await database.addUnreadableZone()
            #expect(try await database.lastZone(of: record) == zone)
        }
    }

    @Test func spokenAnswersAreThoseOfTheirEnrolment() async throws {
        let database = try await full()
        let submission = Submission(
            task: "mood", occurrence: Fixture.occurrence(7), order: ["memo"],
            answers: ["memo": .recording("18"), "why": .text("17")],
            drawn: [], submitted: Fixture.stamp(3000).wall)
        try await database.append(
            [
                .runOpened(task: "mood", opening: 1, occurrence: nil),
                .submitted(task: "mood", opening: 1, submission: SubmissionRecord(submission)),
            ], at: Fixture.stamp(3000, enrolment: "e2"))
        for (enrolment, spoken) in [("e1", ["17"]), ("e2", ["18"]), ("e3", [])] as [(String, [String])] {
            #expect(try await database.spokenAnswers(in: enrolment) == Set(spoken), "\(enrolment)")
        }
    }

    @Test func aRunThatWasDoneSaysWhenItBegan() async throws {
        let database = try StudyDatabase(.memory)
        let (began, ended) = (Fixture.stamp(10).wall, Fixture.stamp(52).wall)
        for (opening, course) in [nil, RunCourse(id: "r", began: began, ended: ended, visits: [], recorded: [])]
            .enumerated()
        {
            let submission = Submission(
                task: "t", occurrence: Fixture.occurrence(opening), order: [], answers: [:], drawn: [],
                submitted: ended, course: course)
            try await database.append(
                [
                    .runOpened(task: "t", opening: opening, occurrence: nil),
                    .submitted(task: "t", opening: opening, submission: SubmissionRecord(submission)),
                ], at: Fixture.stamp(52))
        }
        #expect(try await database.doneRuns(of: "e1").map(\.began) == [nil, began])
    }

    /// Fourteen a day are 1000 in ten weeks.
    @Test func noAnswerOfALongStudyIsLeftOut() async throws {
        let database = try await full()
        let events = (10..<1011).flatMap { opening -> [StudyEvent] in
            let answer = AnswerRecord(
                question: "often", value: .number(1), presented: nil, answered: .zero, presses: 1)
            let submission = Submission(
                task: "kick", occurrence: Fixture.occurrence(opening), order: ["often"], answers: ["often": .number(1)],
                drawn: [], submitted: Fixture.stamp(Int64(opening)).wall)
            return [
                .runOpened(task: "kick", opening: opening, occurrence: nil),
                .answered(task: "kick", opening: opening, answer: answer),
                .submitted(task: "kick", opening: opening, submission: SubmissionRecord(submission)),
            ]
        }
        try await database.append(events, at: Fixture.stamp(2000))
        #expect(try await database.history(of: "often", in: "e1").count == 1001)
        #expect(try await database.history(of: "often", in: "e1", limit: 3).count == 3)
    }

    /// What a restart carries the time on by: the newest anchor of the present boot, and the last
    /// that was certain in any.
    @Test func theNewestAnchorOfABootAndTheLastCertainOneAreFound() async throws {
        let database = try await full()
        func anchor(_ source: ClockAnchor.Source, _ seconds: Int64, carried: Int64 = 0) -> StudyEvent {
            .anchored(
                anchor: AnchorRecord(
                    ClockAnchor(
                        monotonic: MonotonicTime(nanoseconds: seconds), instant: Instant(seconds: seconds),
                        source: source,
                        uncertainty: .seconds(3), carried: .seconds(carried)), drift: carried > 0 ? 20e-6 : nil))
        }
        try await database.append([anchor(.kernel, 2_000_000_000, carried: 77)], at: Fixture.stamp(300))
        try await database.append([anchor(.unknown, 5), anchor(.vouched, 6)], at: Fixture.stamp(301))
        let newest = try #require(try await database.newestAnchor(ofBoot: "boot-1"))
        #expect(newest.anchor.source == .vouched && newest.carriedNanoseconds == nil && newest.drift == nil)
        let certain = try #require(try await database.newestReference())
        #expect(certain.instant == Instant(seconds: 2_000_000_000) && certain.anchor.carried == .seconds(77))
        #expect(certain.drift == 20e-6)
        #expect(try await database.newestAnchor(ofBoot: "another") == nil)
        #expect(try await database.newestTrustedTime() == Instant(seconds: 6))
    }

    /// An enrolment may be made while no agent runs, so that no anchor is beside it.
    @Test(arguments: [true, false]) func anEnrolmentWithACertainDateIsATrustedTime(isCertain: Bool) async throws {
        let database = try StudyDatabase(.memory)
        #expect(try await database.newestTrustedTime() == nil)
        guard case .enrolled(var record) = Fixture.enrolled else { throw CancellationError() }
        if !isCertain { record.undated = .init(bootID: "boot-1", monotonic: .zero) }
        let before = ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 7), source: .rtc, uncertainty: .seconds(1))
        try await database.append(
            [.anchored(anchor: AnchorRecord(before)), .enrolled(enrolment: record)], at: Fixture.stamp(0))
        let newest = try await database.newestTrustedTime()
        #expect(newest == (isCertain ? record.instant : Instant(seconds: 7)))
    }

    @Test func anOccurrenceCannotEndTwiceAndTheAttemptLeavesNothing() async throws {
        let database = try await full()
        let before = try await database.projectionDump()
        await #expect(throws: StoreError.secondOutcome(occurrence: "mood/1", has: "completed", refused: "expired")) {
            try await database.append(
                [.listOpened, .concluded(occurrence: Fixture.record(1), outcome: .expired)],
                sending: [Fixture.draft("late")], at: Fixture.stamp(200))
        }
        #expect(try await database.projectionDump() == before)
        try await database.append([.listOpened], at: Fixture.stamp(201))
        #expect(try await database.verifyLog() == nil)
    }

    @Test func whatAWrongClockBroughtIsAsIfItHadNotBeen() async throws {
        let database = try await full()
        try await database.append(
            [
                .clockStepped(nanoseconds: 1),
                .concluded(occurrence: Fixture.record(3), outcome: .missed(.clockUnknown)),
            ],
            at: Fixture.stamp(200))
        let counted = try await database.counts().occurrences
        #expect(counted["missed/clock-unknown"] == 1)
        try await database.append([.occurrencesReturned(occurrences: ["mood/3"])], at: Fixture.stamp(201))
        #expect(try await database.counts().occurrences["missed/clock-unknown"] == nil)
        #expect(try await database.outcomes(of: "e1")["mood/3"] == nil)
        try await database.append(
            [.prompted(occurrence: Fixture.record(3)), .concluded(occurrence: Fixture.record(3), outcome: .expired)],
            at: Fixture.stamp(20_000))
        #expect(try await database.outcomes(of: "e1")["mood/3"] == .expired)
        #expect(try await database.clockJumps().map(\.by.nanoseconds) == [-3_600_000_000_000, 1])
        let dump = try await database.projectionDump()
        try await database.rebuildProjections()
        #expect(try await database.projectionDump() == dump)
    }

    /// SQLite keeps ids unique: a number that was given before refuses the whole transaction, so
    /// numbering goes on above all of them.
    @Test func theHighestNumberOutlivesTheCounterAndTheFiles() async throws {
        #expect(try await StudyDatabase(.memory).highestRecordingNumber() == 0)
        let database = try await full()
        #expect(try await database.highestRecordingNumber() == 2)
        for id in ["9223372036854775807", "99999999999999999999", "x", "41"] {
            try await database.append(
                [.recordingSealed(recording: Fixture.recording(id, .motion))], at: Fixture.stamp(300))
        }
        #expect(try await database.highestRecordingNumber() == 41)
        await #expect(throws: (any Error).self) {
            try await database.append(
                [.recordingSealed(recording: Fixture.recording("41", .motion))], at: Fixture.stamp(301))
        }
    }

    @Test func theLedgerComesOutEven() async throws {
        let ledger = try await full().counts()
        #expect(ledger.isBalanced)
        #expect(ledger.occurrences == ["completed": 1, "missed/device-off": 1, "open": 1])
        #expect(ledger.selfStartedRuns == 1)
        #expect(ledger.samplesStored == 2000)
        #expect(ledger.samplesLost == ["ring-full": 6, "bus-error": 4, "stall": 48])
        #expect(ledger.itemsProduced == 8)
    }

    /// A run that answers no occurrence, which the agent closes at its next start where it was killed.
    @Test func aSelfStartedRunThatWasLeftIsCounted() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append(
            [
                .runOpened(task: "t", opening: 1, occurrence: nil), .runLeft(task: "t", opening: 1),
                .runOpened(task: "t", opening: 2, occurrence: "t/1"), .runLeft(task: "t", opening: 2),
                .runOpened(task: "t", opening: 3, occurrence: nil),
            ], at: Fixture.stamp(300))
        #expect(try await database.selfStartedRuns(of: "e1") == (0, 1))
    }

    @Test func studyFilesAreKeptAsTheyCame() async throws {
        let database = try StudyDatabase(.memory)
        let bytes: [UInt8] = [0xEF, 0xBB, 0xBF, 0x7B, 0x0D, 0x0A, 0x7D]
        let digest = try await database.keepStudyFile(bytes, source: "http://x", at: .epoch)
        #expect(try await database.studyFile(digest.description) == bytes)
        #expect(try await database.studyFile("none") == nil)
    }

    @Test func aDamagedStudyFileIsNoneUntilItIsKeptAgain() async throws {
        let folder = try TemporaryFolder("study-file")
        let path = folder.path + "/studyd.sqlite"
        let database = try StudyDatabase(.file(path))
        let bytes: [UInt8] = [1, 2, 3]
        let digest = try await database.keepStudyFile(bytes, source: "s", at: .epoch)
        let damaged: [UInt8] = [1, 2, 2]
        try Connection(.file(path)).run("UPDATE study_file SET bytes = ?", damaged)
        #expect(try await database.studyFile(digest.description) == nil)
        _ = try await database.keepStudyFile(bytes, source: "s", at: .epoch)
        #expect(try await database.studyFile(digest.description) == bytes)
    }

    /// Found by `make core-test`: the loop goes on deciding while somebody else's
    /// withdrawal is written.
    @Test func whatWasOnItsWayWhenSomebodyLeftEndsNoPromptTwice() async throws {
        let database = try await full()
        let (late, never) = (Fixture.record(90), Fixture.record(91))
        try await database.append([.prompted(occurrence: late)], at: Fixture.stamp(90))
        try await database.withdraw(deletesUnsent: false, sending: [], at: Fixture.stamp(101))
        let answers = try await database.items().count { $0.item.itemClass == .answers }
        try await database.append([
            StoreEntry(
                events: [.concluded(occurrence: late, outcome: .completed)], drafts: [Fixture.draft("late")],
                stamp: Fixture.stamp(102)),
            StoreEntry(events: [.prompted(occurrence: never)], stamp: Fixture.stamp(103)),
            StoreEntry(
                events: [
                    .outcomeMeasured(
                        outcome: OutcomeRecord(
                            rule: "r", index: 1, feature: "f", from: .epoch, to: .epoch, at: .epoch, value: 1,
                            coverage: 1, recordings: nil, missing: nil, rules: ""))
                ], stamp: Fixture.stamp(104)),
        ])
        // The leave has said of each that it is missing.
        #expect(try await database.events(kind: "outcomeMeasured").isEmpty)
        let outcomes = try await database.outcomes(of: Fixture.stamp(102).enrolment)
        #expect(outcomes[late.id] == .interrupted && outcomes[never.id] == nil)
        #expect(try await database.occurrences(of: Fixture.stamp(102).enrolment, onlyOpen: true).isEmpty)
        #expect(try await database.items().count { $0.item.itemClass == .answers } == answers + 1)
        #expect(try await database.verifyLog() == nil)
    }

    @Test func withdrawalDeletesWhatWasNotSentAndCountsIt() async throws {
        let database = try await full()
        let first = try await database.items()[0].item.id
        _ = try await database.startUpload(first, at: Fixture.stamp(100))
        try await database.withdraw(deletesUnsent: true, sending: [Fixture.draft("quit")], at: Fixture.stamp(101))
        try await database.finishUpload(first, .delivered(receipt: "200"), at: Fixture.stamp(102))
        let ledger = try await database.counts()
        #expect(ledger.isBalanced)
        #expect(ledger.items == [.delivered: 1, .deleted: 7, .waiting: 1])
        #expect(try await database.latestEnrolment()?.withdrawn == Fixture.stamp(101).wall)
        #expect(try await database.recordingViews().allSatisfy { $0.removed != nil })
    }

    /// Whatever was on its way to the log while the study was left: no uploader gets to see it, and
    /// the notice stays.
    @Test(arguments: [true, false])
    func whatIsCommittedAfterTheStudyWasLeftIsSentOnlyWhereUnsentDataIsKept(deletesUnsent: Bool) async throws {
        let database = try await full()
        try await database.withdraw(
            deletesUnsent: deletesUnsent, sending: [Fixture.draft("quit")], at: Fixture.stamp(101))
        let before = try await Self.waiting(database)
        #expect(deletesUnsent ? before == ["quit"] : before.contains("quit"))
        let late = Fixture.recording("77", .motion)
        try await database.append([
            StoreEntry(
                events: [.recordingSealed(recording: late)], drafts: [Fixture.file(of: late)], stamp: Fixture.stamp(102)
            ),
            StoreEntry(events: [], drafts: [Fixture.draft("answer")], stamp: Fixture.stamp(103)),
        ])
        try await database.append([], sending: [Fixture.draft("another")], at: Fixture.stamp(104))
        let added = try await Self.waiting(database).count - before.count
        #expect(added == (deletesUnsent ? 0 : 3))
        let removed = try await database.recordingViews().first { $0.recording.id == late.id }?.removed
        #expect((removed != nil) == deletesUnsent)
        #expect(try await database.counts().isBalanced)
        #expect(try await database.verifyLog() == nil)
    }

    /// As by a program that says more of leaving than this one reads.
    @Test func whoLeftHasLeftThoughTheRowCannotBeRead() async throws {
        try await AgentFixture.inFolder { path in
            let database = try StudyDatabase(.file(path + "/studyd.sqlite"))
            try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
            #expect(try await database.enrolmentByLog()?.isWithdrawn == false)
            try await database.withdraw(deletesUnsent: false, sending: [], at: Fixture.stamp(1))
            try Connection(.file(path + "/studyd.sqlite")).execute(
                "UPDATE event SET body = '{\"erased\":\"\"}', salt = NULL WHERE kind = 'withdrawn'")
            #expect(try await database.enrolmentByLog()?.isWithdrawn == true)
        }
    }

    private static func waiting(_ database: StudyDatabase) async throws -> [String] {
        try await database.items().filter { $0.state == .waiting }.map(\.item.origin)
    }
}

extension StudyDatabase {
    /// A last row of the first enrolment's that says in a way of its own which zone it is.
    fileprivate func addUnreadableZone() throws {
        try connection.run(
            """
            INSERT INTO event SELECT sequence + 1, 'e1', wall, monotonic, boot, zone_offset, 'zoneChanged',
            '{"zone":"Europe/Paris"}', previous, hash, salt FROM event ORDER BY sequence DESC LIMIT 1
            """)
    }
}
