// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A study's server enrols once, whatever the device's disk does.
@Suite(.serialized, .timeLimit(.minutes(10))) struct JoinNoteTests {
    private func make(_ folder: StateFolder, busyTimeout: Duration = .seconds(5)) throws -> (Enroller, StudyDatabase) {
        let stamps = EventClock(clock: VirtualClock(now: ReportBench.start), bootID: "b", zone: .utc)
        let database = try StudyDatabase(.file(folder.database), busyTimeout: busyTimeout)
        let enroller = Enroller(
            database: database, panel: .reference, zone: .utc, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"), key: DeviceKeyFile(folder), joins: JoinNote(folder))
        return (enroller, database)
    }

    private func joining(_ join: @escaping @Sendable () throws -> String) throws -> EnrolmentOptions {
        let text = AgentFixture.protocolText(days: 1, times: [(9, 0)])
        var options = EnrolmentOptions(loaded: try LoadedStudy(text, origin: "generated.json"))
        options.join = join
        return options
    }

    @Test func aFullDiskIsFoundBeforeTheServerIsAsked() async throws {
        try await SmallDisk.with { disk in
            let folder = try StateFolder(disk + "/state")
            let (enroller, database) = try make(folder)
            SmallDisk.fill(disk)
            let joins = Atomic<Int>(0)
            let options = try joining {
                joins.wrappingAdd(1, ordering: .relaxed)
                return "K"
            }
            await #expect(throws: (any Error).self) { try await enroller.enrol(options) }
            #expect(joins.load(ordering: .relaxed) == 0)
            unlink(disk + "/ballast")
            #expect(try await enroller.enrol(options).participant == "K")
            #expect(joins.load(ordering: .relaxed) == 1)
            #expect(try await database.latestEnrolment()?.record.participant == "K")
        }
    }

    @Test func aDiskThatFillsWhileTheServerEnrolsHasRoomForTheEnrolment() async throws {
        try await SmallDisk.with { disk in
            let folder = try StateFolder(disk + "/state")
            let (enroller, database) = try make(folder)
            let options = try joining {
                SmallDisk.fill(disk)
                return "K"
            }
            #expect(try await enroller.enrol(options).participant == "K")
            #expect(try await database.latestEnrolment()?.record.participant == "K")
            #expect(access(folder.joining, F_OK) != 0)
        }
    }

    @Test func whoWasEnrolledAndNotStoredIsNamedAtOnceAndAtTheNextEnrolment() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path)
            let (enroller, _) = try make(folder, busyTimeout: .milliseconds(20))
            // Another program writes.
            let other = Mutex<Connection?>(nil)
            let refused = try joining {
                try other.withLock {
                    let connection = try Connection(.file(folder.database))
                    try connection.execute("BEGIN IMMEDIATE")
                    $0 = connection
                }
                return "K-1"
            }
            let error = await #expect(throws: EnrolmentError.self) { try await enroller.enrol(refused) }
            let words = "\(try #require(error))"
            #expect(words.contains("remove participant K-1") && words.contains("new token"), "\(words)")
            #expect(JoinNote(folder).leftOver == "K-1")
            other.withLock { $0 = nil }
            let remarks = EnrolmentRemarks()
            _ = try await enroller.enrol(joining { "K-2" }) { remarks.record($0) }
            #expect(remarks.lines.contains("participant K-1") && !remarks.lines.contains("K-2"), "\(remarks.lines)")
            #expect(JoinNote(folder).leftOver == nil)
        }
    }

    /// The file is there again after a power cut, with whom the server enrolled and the store has.
    @Test(
        arguments: [
            ("K", "K", nil), (String(repeating: "k", count: 201), String(repeating: "k", count: 200), nil),
            ("K", "K\nK-0", "K-0"), ("K", "K-0", "K-0"),
        ] as [(String, String, String?)])
    func whoTakesPartIsNotLeftOver(name: String, noted: String, left: String?) async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path)
            let (enroller, _) = try make(folder)
            _ = try await enroller.enrol(joining { name })
            try AtomicFile.write(Array((noted + "\n").utf8), to: folder.joining)
            #expect(await enroller.leftOver() == left)
            _ = try await enroller.withdraw(deletesUnsent: nil)
            let refused = try joining { throw CancellationError() }
            await #expect(throws: CancellationError.self) { try await enroller.enrol(refused) }
            #expect(await enroller.leftOver() == left)
        }
    }

    /// The power goes, or the server refuses: nothing but names stays.
    @Test func namesOutliveAServerThatRefusesAndTheRoomDoesNot() async throws {
        try await AgentFixture.inFolder { path in
            let folder = try StateFolder(path)
            let note = JoinNote(folder)
            #expect(throws: CancellationError.self) { try note.joined { throw CancellationError() } }
            #expect(access(folder.joining, F_OK) != 0)
            for number in 1...5 {
                #expect(try note.joined { "K\(number)\n" } == "K\(number)\n")
                #expect(throws: CancellationError.self) { try note.joined { throw CancellationError() } }
                #expect(try File(folder.joining, .read).size() == 4096)
            }
            #expect(note.leftOver?.contains("K5") == true && note.leftOver?.contains("K1") == false)
            #expect(note.leftOver?.split(separator: ",").count == 4)
        }
    }
}
