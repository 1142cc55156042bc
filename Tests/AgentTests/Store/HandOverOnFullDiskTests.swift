// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Device
@testable import Study

/// The end of an enrolment on a disk to which nothing can be added, by commands, without an agent.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HandOverOnFullDiskTests {
    private static func stamps() -> EventClock {
        EventClock(clock: VirtualClock(now: ReportBench.start), bootID: "b", zone: .utc)
    }

    /// A state folder with an enrolment and its reserve, closed again.
    private static func enrolled(in disk: String) async throws -> StateFolder {
        let folder = try StateFolder(disk + "/state")
        try File.makeFolder(folder.recordings)
        let database = try StudyDatabase(
            rescuing: folder.database, recordings: folder.recordings, at: Fixture.stamp(0))
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        try await database.sweepRemovedRecordings(at: Fixture.stamp(0))
        return folder
    }

    private static func opened(_ folder: StateFolder) throws -> StudyDatabase {
        try StudyDatabase(folder, encryption: nil, usesReserve: true)
    }

    /// A recording that was sealed, or is open, and that no commit had room for.
    private static func record(_ number: Int, isSealed: Bool, bytes: Int, in folder: StateFolder) throws {
        let base = "\(folder.recordings)/00000\(number)-sound"
        var description = RecordingDescription(
            fileName: "00000\(number)-sound.flac", contentType: "audio/flac", countedUnit: .samples)
        (description.number, description.kind, description.samplesStored) = (number, "sound", 20_080)
        if isSealed {
            (description.state, description.bytes) = (.sealed, bytes)
            description.sha256 = String(repeating: "a", count: 64)
        }
        try AtomicFile.write(description.text(), to: base + (isSealed ? ".json" : ".open"))
        try AtomicFile.write([UInt8](repeating: 7, count: bytes), to: base + (isSealed ? ".flac" : ".flac.partial"))
    }

    /// What a closed log says of recordings.
    private struct Closed {
        var records: [String] = []
        var removed: [String] = []
        var faults: [String] = []
        /// The enrolment ended before anything was deleted.
        var endsFirst = false

        init(_ path: String) throws {
            let log = try Connection(.readOnly(path))
            let bodies = try log.rows("SELECT kind, body FROM event ORDER BY sequence") {
                try? StudyEvent(kind: $0.string(0), body: $0.string(1))
            }
            for event in bodies.compactMap(\.self) {
                switch event {
                case .recordingSealed(let record): records.append("\(record.path) \(record.bytes) \(record.stored)")
                case .withdrawn: endsFirst = removed.isEmpty
                case .recordingRemoved(let recording, let reason): removed.append("\(recording) \(reason.rawValue)")
                case .fault(_, let message): faults.append(message)
                default: break
                }
            }
        }
    }

    /// Without room the files are emptied first. The log says the same.
    @Test(arguments: [false, true]) func whatTheLogDidNotKnowIsNamedInTheClosedLog(isFull: Bool) async throws {
        try await SmallDisk.with { disk in
            let folder = try await Self.enrolled(in: disk)
            let database = try Self.opened(folder)
            // Spent by the agent before.
            StoreReserve(StoreFiles(folder.database).reserve).spend()
            let known = Fixture.recording("1", .motion, bytes: 1000)
            try await database.append([.recordingSealed(recording: known)], at: Fixture.stamp(1))
            try AtomicFile.write([UInt8](repeating: 7, count: 1000), to: "\(folder.recordings)/\(known.path)")
            try Self.record(2, isSealed: true, bytes: 500_000, in: folder)
            try Self.record(3, isSealed: false, bytes: 300_000, in: folder)
            try AtomicFile.write([1], to: folder.recordings + "/a copy")
            try AtomicFile.write([1], to: folder.recordings + "/next-number")
            try File.makeFolder(folder.path + "/damaged")
            if isFull { SmallDisk.fill(disk) }

            let handOver = HandOver(folder, stamps: Self.stamps())
            let refusal = await #expect(throws: HandOver.Undelivered.self) {
                try await handOver.refuseLoss(in: database)
            }
            let words = try #require(refusal?.description)
            #expect(words.contains("The disk is full") == isFull && words.contains("start studyd"))
            let path = try await handOver.complete(database, deletesUnsent: false) {
                let removed = try? await database.recordingViews().map(\.removed)
                #expect(removed == [.byHand, .byHand, .byHand])
            }
            let closed = try Closed(try #require(path))
            #expect(closed.endsFirst)
            #expect(
                closed.records == [
                    "1.cwa 1000 1000", "000002-sound.flac 500000 20080", "000003-sound.flac.partial 300000 20080",
                ])
            #expect(closed.removed == ["1 by-hand", "2 by-hand", "3 by-hand"])
            #expect(closed.faults == ["a copy (1 B), which the log did not know, was deleted at a hand-over"])
            #expect(try ReadOnlyLog(path ?? "").verify() == nil)
            #expect(FolderListing.readable(folder.recordings) == [])
            #expect(access(folder.path + "/damaged", F_OK) != 0)
            #expect(StoreReserve(StoreFiles(folder.database).reserve).notedRemovals() == [])
        }
    }

    /// The power went after the agent had noted and deleted a recording, or somebody deleted one by hand.
    @Test(arguments: [false, true]) func aRecordingWhoseFileIsGoneIsNamedToo(isKnown: Bool) async throws {
        try await SmallDisk.with { disk in
            let folder = try await Self.enrolled(in: disk)
            let database = try Self.opened(folder)
            let reserve = StoreReserve(StoreFiles(folder.database).reserve)
            if isKnown {
                let known = Fixture.recording("2", .motion, bytes: 1_200_000)
                try await database.append([.recordingSealed(recording: known)], at: Fixture.stamp(1))
            } else {
                try Self.record(2, isSealed: true, bytes: 1_200_000, in: folder)
                unlink(folder.recordings + "/000002-sound.flac")
            }
            try reserve.note(removals: ["2 by-hand"])
            try Self.record(3, isSealed: true, bytes: 900_000, in: folder)
            reserve.spend()
            SmallDisk.fill(disk)

            let path = try await HandOver(folder, stamps: Self.stamps()).complete(database, deletesUnsent: false)
            let closed = try Closed(try #require(path))
            #expect(closed.removed.sorted() == ["2 by-hand", "3 by-hand"])
            #expect(reserve.notedRemovals() == [])
        }
    }

    /// The power goes after the log said so; one is open, of another the sealing was cut off.
    @Test func whatTheLogSaysWasDeletedUnsealedGoesAtTheNextStart() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            try File.makeFolder(folder.recordings)
            let database = try StudyDatabase(
                rescuing: folder.database, recordings: folder.recordings, at: Fixture.stamp(0))
            try Self.record(2, isSealed: true, bytes: 10, in: folder)
            rename(folder.recordings + "/000002-sound.flac", folder.recordings + "/000002-sound.flac.partial")
            try Self.record(3, isSealed: false, bytes: 10, in: folder)
            let names = try FolderListing.names(in: folder.recordings)
            let files = UnloggedFile.all(names, in: folder.recordings, besides: [])
            try await database.append(files.flatMap(\.rows), at: Fixture.stamp(1))
            try await database.sweepRemovedRecordings(at: Fixture.stamp(2))
            #expect(FolderListing.readable(folder.recordings) == [])
        }
    }

    /// Whatever keeps the files from going, the last participant is not prompted again. The kernel answers ENOTDIR for
    /// a file.
    @Test func theEnrolmentEndsBeforeAnythingIsDeleted() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            let database = try Self.opened(folder)
            try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
            try AtomicFile.write([1], to: folder.recordings)
            await #expect(throws: FileError.self) {
                try await HandOver(folder, stamps: Self.stamps()).complete(database, deletesUnsent: false)
            }
            #expect(try await database.latestEnrolment()?.withdrawn != nil)
            // Until the hand-over is repeated, `enroll` refuses.
            #expect(try await database.isClosed())
        }
    }

    /// A power cut between the two would let the next participant enrol in this log.
    @Test func theEnrolmentEndsInTheSameCommitAsTheLog() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            try File.makeFolder(folder.recordings)
            let database = try Self.opened(folder)
            try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
            try await database.refuseHandOverRow(true)
            let handOver = HandOver(folder, stamps: Self.stamps())
            await #expect(throws: DatabaseError.self) {
                try await handOver.complete(database, deletesUnsent: false)
            }
            #expect(try await database.latestEnrolment()?.withdrawn == nil)
            #expect(try await !database.isClosed())
            try await database.refuseHandOverRow(false)
            let closed = try #require(try await handOver.complete(database, deletesUnsent: false))
            let rows = try Connection(.readOnly(closed)).rows(
                "SELECT kind, enrolment FROM event WHERE kind IN ('withdrawn', 'handedOver') ORDER BY sequence"
            ) { try [$0.string(0), $0.string(1)] }
            #expect(rows == [["withdrawn", "e1"], ["handedOver", ""]])
        }
    }

    /// That log goes on with the next participant.
    @Test func aLogWithoutAnEnrolmentNamesNoFileThatItDidNotKnow() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path + "/state")
            try File.makeFolder(folder.recordings)
            let database = try Self.opened(folder)
            try Self.record(2, isSealed: true, bytes: 10, in: folder)
            try AtomicFile.write([1], to: folder.recordings + "/a copy")
            let closed = try await HandOver(folder, stamps: Self.stamps()).complete(database, deletesUnsent: true)
            #expect(closed == nil && FolderListing.readable(folder.recordings) == [])
            #expect(try await database.events().isEmpty)
        }
    }

    /// The reserve is 4 MiB, or a sixteenth of a small disk.
    @Test(
        arguments: [
            ((8 << 20) - 1, 32 << 30, true), (8 << 20, 32 << 30, false), ((2 << 20) - 1, 16 << 20, true),
            (2 << 20, 16 << 20, false),
        ] as [(Int64, Int64, Bool)])
    func aDiskThatHasOnlyTheReserveLeftIsFull(free: Int64, total: Int64, isFull: Bool) {
        #expect(StoreReserve.isFull(free: free, total: total) == isFull)
    }

    /// What it says is what a person needs: that it is the disk, what is done, and how it goes on.
    @Test func whereNothingMakesRoomItIsSaidWhatIsDoneAndARepetitionDoesTheRest() async throws {
        try await SmallDisk.with { disk in
            let folder = try await Self.enrolled(in: disk)
            let database = try Self.opened(folder)
            let known = Fixture.recording("1", .motion)
            try await database.append([.recordingSealed(recording: known)], at: Fixture.stamp(1))
            try await database.withdraw(deletesUnsent: false, sending: [], at: Fixture.stamp(1))
            // Nothing is freed by emptying it.
            try Self.record(2, isSealed: true, bytes: 0, in: folder)
            StoreReserve(StoreFiles(folder.database).reserve).spend()
            SmallDisk.fill(disk)
            let handOver = HandOver(folder, stamps: Self.stamps())
            let fault = await #expect(throws: HandOver.Interrupted.self) {
                try await handOver.complete(database, deletesUnsent: true)
            }
            #expect(
                fault?.done == [
                    "participant ABC23456 has left study study", "0 of 1 recording deleted, the rest emptied",
                    "results, speech and media deleted",
                ])
            #expect(fault?.description.contains("the disk is full") == true)
            #expect(fault?.description.contains("repeat the same command") == true)
            unlink(disk + "/ballast")
            let closed = try Closed(try #require(try await handOver.complete(database, deletesUnsent: true)))
            #expect(closed.records == ["1.cwa 100 1000", "000002-sound.flac 0 20080"])
            #expect(closed.removed == ["1 by-hand", "2 by-hand"])
        }
    }

    /// The agent ended in good order, and the disk has filled since.
    @Test func aCommandThatMustWriteHasTheReserveAndOneThatReadsNamesTheFullDisk() async throws {
        try await SmallDisk.with { disk in
            let folder = try await Self.enrolled(in: disk)
            SmallDisk.fill(disk)
            let error = #expect(throws: StoreError.self) { try StudyDatabase(folder, encryption: nil) }
            #expect(error == .fullDisk(folder.database))
            let database = try Self.opened(folder)
            try await database.withdraw(deletesUnsent: false, sending: [], at: Fixture.stamp(1))
            #expect(try await database.latestEnrolment()?.withdrawn != nil)
        }
    }

    /// As where the reserve is spent. Nothing changes until there is room.
    @Test func whoCannotLeaveForWantOfRoomIsToldWhereAndWhatToDo() async throws {
        try await SmallDisk.with { disk in
            let folder = try StateFolder(disk + "/state")
            let database = try Self.opened(folder)
            let enroller = Enroller(
                database: database, panel: .reference, zone: .utc, stamps: Self.stamps(),
                media: MediaCache(folder: "/tmp/studyd-no-media"))
            let study = try LoadedStudy(AgentFixture.protocolText(days: 1, times: [(9, 0)]), origin: "generated.json")
            _ = try await enroller.enrol(EnrolmentOptions(loaded: study))
            SmallDisk.fill(disk)
            let fault = await #expect(throws: EnrolmentError.self) {
                _ = try await enroller.withdraw(deletesUnsent: nil)
            }
            #expect(fault == .noRoomToLeave(folder.path))
            let words = try #require(fault?.description)
            #expect(words.hasPrefix(folder.path) && words.contains("disk is full") && words.contains("free space"))
            #expect(try await database.latestEnrolment()?.withdrawn == nil)
            unlink(disk + "/ballast")
            _ = try await enroller.withdraw(deletesUnsent: nil)
            #expect(try await database.latestEnrolment()?.withdrawn != nil)
        }
    }

    /// Somebody's copy is theirs, and a link leads elsewhere.
    @Test func makingRoomEmptiesNoFileThatIsAlsoElsewhere() async throws {
        try await SmallDisk.with { disk in
            let folder = try await Self.enrolled(in: disk)
            let database = try Self.opened(folder)
            try Self.record(2, isSealed: true, bytes: 1_200_000, in: folder)
            for copy in ["copied", "linked"] { try AtomicFile.write([7, 7], to: "\(disk)/\(copy)") }
            link(disk + "/copied", folder.recordings + "/copied")
            symlink(disk + "/linked", folder.recordings + "/linked")
            StoreReserve(StoreFiles(folder.database).reserve).spend()
            SmallDisk.fill(disk)
            #expect(try await HandOver(folder, stamps: Self.stamps()).complete(database, deletesUnsent: true) != nil)
            for copy in ["copied", "linked"] { #expect(try BoundedFile.read("\(disk)/\(copy)") == [7, 7]) }
        }
    }
}

extension StudyDatabase {
    fileprivate func refuseHandOverRow(_ isRefused: Bool) throws {
        try connection.execute(
            isRefused
                ? """
                CREATE TEMP TRIGGER refused BEFORE INSERT ON event WHEN NEW.kind = 'handedOver'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """ : "DROP TRIGGER refused")
    }
}
