// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Agent
@testable import Study

/// A disk on which nothing can be written, full of recordings that may go: a real file system of a
/// few megabytes, filled to the last byte.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FullDiskRemovalTests {
    /// The room is all in the recordings; what else fills the disk is not ours.
    @Test(arguments: [true, false]) func whatMayGoGoesThoughNoCommitHasRoom(hasReserve: Bool) async throws {
        try await onSmallDisk { disk in
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
            fill(disk)
            // The disk is really full: what is no removal has no room.
            let long = StudyEvent.fault(place: "x", message: String(repeating: "y", count: 200_000))
            await #expect(throws: (any Error).self) { try await database.append([long], at: Fixture.stamp(8)) }
            fill(disk)

            let others = try StateFixture.allocated(below: state, without: recordings)
            let policy = RetentionPolicy(diskCap: others + 250_000, keepDelivered: .zero)
            let removed = try await database.applyRetention(policy, at: Fixture.stamp(9))
            #expect(removed.count == 4)
            #expect(
                try await database.recordingViews().map { $0.removed != nil } == [true, true, true, true, false, false])
            #expect(StoreFiles.names(in: recordings).sorted() == ["r4.cwa", "r5.cwa"])
            try await database.append([long], at: Fixture.stamp(10))
            #expect(try await database.verifyLog() == nil)
            #expect(reserve.noted() == [])
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
        try reserve.record(["r1 disk-cap", "nonsense", "r9 retention"])
        unlink(folder + "/r1.cwa")
        let after = try open()
        try await after.sweepRemovedRecordings(at: Fixture.stamp(9))
        #expect(try await after.recordingViews().map(\.removed) == [nil, .diskCap, nil])
        #expect(try await after.ledger().items == [.waiting: 2, .dropped: 1])
        #expect(reserve.noted() == [])
    }

    /// A tmpfs of 3 MB; says so where it may not be mounted.
    private func onSmallDisk(_ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "full-disk-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("tmpfs", path, "tmpfs", 0, "size=3m") == 0 else {
            try FileManager.default.removeItem(atPath: path)
            return print("SKIPPED: a tmpfs can be mounted by root only")
        }
        defer {
            umount2(path, Int32(MNT_DETACH))
            rmdir(path)
        }
        try await body(path)
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

    /// Takes all the room there is.
    private func fill(_ disk: String) {
        let file = open(disk + "/ballast", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(file, page, page.count) > 0 {}
        #expect(errno == ENOSPC)
    }
}
