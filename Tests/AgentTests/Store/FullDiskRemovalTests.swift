// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A disk on which nothing can be written, full of recordings that may go: a real file system of a
/// few megabytes, filled to the last byte.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FullDiskRemovalTests {
    /// The room is all in the recordings; what else fills the disk is not ours.
    @Test(arguments: [true, false]) func whatMayGoGoesThoughNoCommitHasRoom(hasReserve: Bool) async throws {
        try await SmallDisk.with { disk in
            let state = disk + "/state"
            let path = state + "/studyd.sqlite"
            let recordings = state + "/recordings"
            try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
            let database = try StudyDatabase(rescuing: path, recordings: recordings, at: Fixture.stamp(0))
            try await database.sweepRemovedRecordings(at: Fixture.stamp(0))
            let reserve = StoreReserve(StoreFiles(path).reserve)
            #expect(reserve.spend())
            if hasReserve { try await database.sweepRemovedRecordings(at: Fixture.stamp(0)) }
            try await seal(6, in: recordings, database)
            SmallDisk.fill(disk)
            // The disk is really full: what is no removal has no room.
            let long = StudyEvent.fault(place: "x", message: String(repeating: "y", count: 200_000))
            await #expect(throws: (any Error).self) { try await database.append([long], at: Fixture.stamp(8)) }
            SmallDisk.fill(disk)

            let others = try StateFixture.allocated(below: state, without: recordings)
            let policy = RetentionPolicy(diskCap: others + 250_000, keepDelivered: .zero)
            let removed = try await database.applyRetention(policy, at: Fixture.stamp(9))
            #expect(removed.count == 4)
            #expect(
                try await database.recordingViews().map { $0.removed != nil } == [true, true, true, true, false, false])
            #expect(FolderListing.readable(recordings).sorted() == ["r4.cwa", "r5.cwa"])
            try await database.append([long], at: Fixture.stamp(10))
            #expect(try await database.verifyLog() == nil)
            #expect(reserve.notedRemovals() == [])
        }
    }

    /// A commit that finds the disk full lets go at once of what the policy does not keep; while there is
    /// room for a commit the reserve stays.
    @Test(arguments: [true, false]) func aFullDiskLosesWhatIsNotKeptAndThenTheReserve(isFull: Bool) async throws {
        try await SmallDisk.with { disk in
            let state = disk + "/state"
            let recordings = state + "/recordings"
            try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
            let database = try StudyDatabase(
                rescuing: state + "/studyd.sqlite", recordings: recordings, at: Fixture.stamp(0))
            try await database.sweepRemovedRecordings(at: Fixture.stamp(0))
            try await seal(6, in: recordings, database)
            let others = try StateFixture.allocated(below: state, without: recordings)
            if isFull { SmallDisk.fill(disk) }
            await database.makeRoom(
                RetentionPolicy(diskCap: others + 250_000, keepDelivered: .zero), at: Fixture.stamp(9))
            #expect(FolderListing.readable(recordings).sorted() == ["r4.cwa", "r5.cwa"])
            #expect(StoreReserve(StoreFiles(state + "/studyd.sqlite").reserve).spend() == !isFull)
        }
    }

    /// What the reserve frees is gone already: the wish has a block of its own.
    @Test func aWishToLeaveIsNotedOnAFullDiskUntilItIsStored() async throws {
        try await SmallDisk.with { disk in
            let state = disk + "/state"
            try FileManager.default.createDirectory(atPath: state + "/recordings", withIntermediateDirectories: true)
            let database = try StudyDatabase(
                rescuing: state + "/studyd.sqlite", recordings: state + "/recordings", at: Fixture.stamp(0))
            try await database.sweepRemovedRecordings(at: Fixture.stamp(0))
            let enroller = Enroller(
                database: database, panel: .reference, zone: .utc,
                stamps: EventClock(clock: VirtualClock(now: ReportBench.start), bootID: "b", zone: .utc),
                media: MediaCache(folder: "/tmp/studyd-no-media"))
            let study = try LoadedStudy(AgentFixture.protocolText(days: 1, times: [(9, 0)]), origin: "generated.json")
            let record = try await enroller.enrol(EnrolmentOptions(loaded: study))
            let reserve = StoreReserve(state + "/reserve")
            #expect(reserve.spend())
            SmallDisk.fill(disk)
            let wish = LeavingWish(Fixture.stamp(9, enrolment: record.id), deletesData: true)
            #expect(await database.note(wish))
            #expect(await database.notedWish() == wish)
            try reserve.note(removals: ["r1 disk-cap"])
            reserve.clearNotedRemovals()
            #expect(reserve.notedWish() == wish)
            unlink(disk + "/ballast")
            _ = try await enroller.withdraw(deletesUnsent: nil)
            #expect(reserve.notedWish() == nil)
            // One that another participant left behind.
            #expect(await database.note(wish))
            #expect(await database.notedWish() == nil)
            #expect(reserve.notedWish() == nil)
        }
    }

    /// A damaged store may have lost the row of the enrolment; a hand-over ends what the last participant wished.
    @Test func aWishOfAnEnrolmentThatTheLogHasLostStaysUntilTheHandOver() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            try FileManager.default.createDirectory(atPath: folder.recordings, withIntermediateDirectories: true)
            let database = try StudyDatabase(
                rescuing: folder.database, recordings: folder.recordings, at: Fixture.stamp(0))
            try await database.sweepRemovedRecordings(at: Fixture.stamp(0))
            let wish = LeavingWish(Fixture.stamp(9, enrolment: "lost"), deletesData: nil)
            #expect(await database.note(wish))
            #expect(await database.notedWish() == wish)
            let stamps = EventClock(clock: VirtualClock(now: ReportBench.start), bootID: "b", zone: .utc)
            #expect(try await HandOver(folder, stamps: stamps).close(database) == nil)
            #expect(StoreReserve(path + "/state/reserve").notedWish() == nil)
        }
    }

    /// The power goes after the files were removed and before the log could say so.
    @Test func whatWasRemovedBeforeThePowerWentIsSaidAtTheNextStart() async throws {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let open = { try StudyDatabase(rescuing: folder + "/studyd.sqlite", recordings: folder, at: Fixture.stamp(0)) }
        let before = try open()
        try await seal(3, in: folder, before)
        let reserve = StoreReserve(folder + "/reserve")
        try reserve.note(removals: ["r1 disk-cap", "nonsense", "r9 retention"])
        unlink(folder + "/r1.cwa")
        let after = try open()
        try await after.sweepRemovedRecordings(at: Fixture.stamp(9))
        #expect(try await after.recordingViews().map(\.removed) == [nil, .diskCap, nil])
        #expect(try await after.counts().items == [.waiting: 2, .dropped: 1])
        #expect(reserve.notedRemovals() == [])
    }

    /// The power goes after the log said so and before the files were removed. What the log does not know
    /// stays, and what it has.
    @Test func whatWasSaidToBeRemovedGoesAtTheNextStart() async throws {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.memory, recordings: folder)
        for id in ["1", "2", "3"] {
            try await database.append(
                [.recordingSealed(recording: Fixture.recording(id, .motion))], at: Fixture.stamp(1))
        }
        try await database.append([.recordingRemoved(recording: "2", reason: .diskCap)], at: Fixture.stamp(2))
        for name in ["1.cwa", "2.cwa", "2.json", "2.cwa.zst.tmp", "3.cwa", "9.cwa", "notes"] {
            try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        try await database.sweepRemovedRecordings(at: Fixture.stamp(3))
        #expect(FolderListing.readable(folder).sorted() == ["1.cwa", "3.cwa", "9.cwa", "notes"])
    }

    /// The reserve is a file in the state folder, which may hold anything.
    @Test(
        arguments: [
            ("", []), ("studyd removing\n", []), ("r1 disk-cap\nr2 disk-cap\n", []), ("\nr1 disk-cap\n", []),
            ("studyd removin\nr1 disk-cap\n", []), ("\0studyd removing\nr1 disk-cap\n", []),
            ("studyd removing\nr1 disk-cap\nr2 retention\n", ["r1 disk-cap", "r2 retention"]),
            ("studyd removing\nr1 disk-cap\n\0r2 retention\n", ["r1 disk-cap"]),
        ] as [(String, [String])])
    func onlyAListOfRemovalsIsBelieved(text: String, noted: [String]) throws {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/reserve"))
        let reserve = StoreReserve(folder + "/reserve")
        #expect(reserve.notedRemovals() == noted)
        reserve.clearNotedRemovals()
        #expect(reserve.notedRemovals() == [])
    }

    /// Its block has 4096 bytes: a line of 16, those of the list, and a zero. What does not fit gives way to
    /// what does.
    @Test(arguments: [(4078, true), (4079, false)]) func asManyRemovalsAsFitAreNoted(length: Int, isNoted: Bool) throws
    {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let long = String(repeating: "r", count: length)
        let reserve = StoreReserve(folder + "/reserve")
        try reserve.note(removals: [long, "r2 disk-cap"])
        #expect(reserve.notedRemovals() == [isNoted ? long : "r2 disk-cap"])
    }

    private func seal(_ count: Int, in folder: String, _ database: StudyDatabase) async throws {
        for number in 0..<count {
            let recording = Fixture.recording("r\(number)", .motion, bytes: 100_000)
            try Data(count: 100_000).write(to: URL(fileURLWithPath: "\(folder)/\(recording.path)"))
            try await database.append(
                [.recordingSealed(recording: recording)], sending: [Fixture.file(of: recording)],
                at: Fixture.stamp(Int64(number)))
        }
    }
}
