// SPDX-License-Identifier: Apache-2.0
import Database
import Foundation
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// How damaged stores are put away, and who may read what is kept.
@Suite struct StoreFilesTests {
    /// The first and the latest two are kept; a number is never given twice while its
    /// folder is there.
    @Test(arguments: [
        (1, ["1"]), (2, ["1", "2"]), (3, ["1", "2", "3"]), (4, ["1", "3", "4"]), (6, ["1", "5", "6"]),
    ])
    func eachDamagedStoreHasAFolderOfItsOwn(times: Int, kept: [String]) throws {
        try Self.inFolder { folder in
            let files = StoreFiles(folder + "/studyd.sqlite")
            for time in 1...times {
                try Self.write("database \(time)", to: files.path)
                try Self.write("log \(time)", to: files.path + "-wal")
                #expect(files.nextSetAside == "damaged/\(time)")
                try files.setAside()
                #expect(files.kind == .missing && !files.hasLeftovers)
                #expect(Self.text("\(folder)/damaged/\(time)/studyd.sqlite") == "database \(time)")
                #expect(Self.text("\(folder)/damaged/\(time)/studyd.sqlite-wal") == "log \(time)")
            }
            #expect(FolderListing.readable(folder + "/damaged") == kept)
        }
    }

    /// A command that closes the store removes its write-ahead log at any moment, also between two looks of the agent's.
    @Test func aLogThatGoesWhileItIsLookedAtIsNoRefusal() throws {
        try Self.inFolder { folder in
            let files = StoreFiles(folder + "/studyd.sqlite")
            try Self.write("database", to: files.path)
            let isOver = Mutex(false)
            let closing = Thread {
                while !isOver.withLock({ $0 }) {
                    close(open(files.path + "-wal", O_CREAT | O_RDWR, 0o640))
                    unlink(files.path + "-wal")
                }
            }
            closing.start()
            let refusals = (0..<5000).compactMap { _ in files.refusal }
            isOver.withLock { $0 = true }
            #expect(refusals.isEmpty, "\(refusals.first ?? "")")
        }
    }

    /// Other files there are not numbered by us, and are left alone.
    @Test func otherNamesAmongTheDamagedOnesAreLeftAlone() throws {
        try Self.inFolder { folder in
            let files = StoreFiles(folder + "/studyd.sqlite")
            for name in ["notes", "0", "-3", "1000000", "2.5"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/damaged/" + name, withIntermediateDirectories: true)
            }
            #expect(files.nextSetAside == "damaged/1")
            for time in 1...4 {
                try Self.write("\(time)", to: files.path)
                try files.setAside()
            }
            #expect(
                FolderListing.readable(folder + "/damaged") == ["-3", "0", "1", "1000000", "2.5", "3", "4", "notes"])
        }
    }

    /// On a full disk a store in memory cannot take its place: what was made for that goes, too, or the
    /// next start would move it in, behind what was written meanwhile.
    @Test func whatCouldNotBeMovedInIsNotMovedInLater() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            try Self.write("another file", to: path)
            // In the way of the folder.
            try Self.write("", to: folder + "/damaged")
            let memory = try Connection(.memory)
            let log = try EventLog(memory)
            try log.append([.listOpened], at: Fixture.stamp(0))
            let opening = StoreOpening(path, recordings: nil)
            #expect(try opening.moveToDisk(memory, ending: log.head()) == nil)
            #expect(FolderListing.readable(folder).sorted() == ["damaged", "studyd.sqlite"])
        }
    }

    /// Two damages of one device, as they come: the second finds the folder of the first.
    @Test func aSecondDamageIsSalvagedAsTheFirstWas() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            try await Damage.fill(path, 0..<3)
            for time in 1...2 {
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try handle.write(contentsOf: Data(count: 16))
                try handle.close()
                let database = try StudyDatabase(
                    rescuing: path, recordings: folder + "/recordings", at: Fixture.stamp(9000 + Int64(time)))
                #expect(await database.memoryOnlyReason == nil)
                #expect(database.foundDamage?.words.contains("kept in damaged/\(time)") == true)
                #expect(database.foundDamage?.lostRows == 0)
                #expect(try await database.verifyLog() == nil)
                #expect(FolderListing.readable(folder + "/damaged/\(time)").contains("studyd.sqlite"))
            }
        }
    }

    /// A store that was copied back by hand, or is of an older version, has the modes that
    /// somebody gave it.
    @Test(
        arguments: [(0o644, 0o640), (0o666, 0o640), (0o600, 0o600), (0o640, 0o640), (0o444, 0o640)]
            as [(mode_t, mode_t)])
    func nobodyElseReadsTheStoreWhateverItsModeWas(was: mode_t, becomes: mode_t) async throws {
        try await Self.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            try await Damage.fill(path, 0..<1)
            let files = [path, folder + "/studyd.head"]
            // A user other than root may not open a file of 0444 for writing: that is another
            // matter.
            if was & 0o200 == 0, geteuid() != 0 { return }
            for file in files { chmod(file, was) }
            let database = try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(9000))
            try await database.append([.listOpened], at: Fixture.stamp(9001))
            #expect(files.map(Self.mode) == [becomes, becomes])
            #expect(Self.mode(path + "-wal") & 0o027 == 0, "the log beside it is as closed")
        }
    }

    /// A power cut at any moment of the change leaves the old or the new; here: between the two,
    /// and with one more left lying.
    @Test func aStoreThatWasReadyIsMovedInAtTheNextStart() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            try await Damage.fill(path, 0..<2)
            rename(path, path + ".ready")
            for end in ["-wal", "-shm"] { unlink(path + end) }
            try Self.write("the old one", to: path)
            let database = try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(9000))
            #expect(database.foundDamage == nil)
            #expect(Self.text(folder + "/damaged/1/studyd.sqlite") == "the old one")
            #expect(try await database.latestEnrolment()?.record.id == "e1")
            #expect(!FileManager.default.fileExists(atPath: path + ".ready"))
        }
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "files-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private static func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "files-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
