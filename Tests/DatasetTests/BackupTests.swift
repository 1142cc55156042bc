// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Database
import Glibc
import Study
import SystemKit
import Testing

@testable import Dataset
@testable import Lab
@testable import StandIns

/// A lab's folder, copied while it is written to, and made again.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
    private static let id = "P007"

    /// A lab, and beside it its backup and what is restored of that.
    private final class Rig {
        let lab: LabFixture
        let data: String
        let folder: String
        let restored: String
        let stores: [ParticipantRows]

        init() async throws {
            lab = try await EraseTests().filled(BackupTests.id)
            data = lab.directory
            (folder, restored) = (data + "-backup", data + "-restored")
            stores = Erasure(of: "", in: data, StandInOptions.participantRows(of: "")).stores
            _ = try ReceiverKey(in: data)
            try AtomicFile.write(Array("[study.s]\n".utf8), to: data + "/limits.toml")
        }

        deinit { for path in [folder, restored] { FolderRemoval.remove(path) } }

        func begin(free: (String) -> Int64? = { _ in nil }) throws -> Backup {
            try Backup(of: data, to: folder, stores, at: LabFixture.now, free: free)
        }

        @discardableResult func backUp() throws -> Backup.Outcome { try begin().run { _ in } }

        func restore(free: (String) -> Int64? = { _ in nil }) throws -> Restore.Outcome {
            FolderRemoval.remove(restored)
            return try Restore(of: folder, to: restored, stores, free: free).run { _ in }
        }

        /// A crash comes after some of them.
        func steps() throws -> [() throws -> Void] {
            let backup = try begin()
            var others: [String] = []
            var steps: [() throws -> Void] = [{ try backup.takeSnapshots() }, { _ = try backup.copyFiles() }]
            for name in backup.databases.reversed() { steps.append { try backup.place(name) } }
            steps.append { others = try backup.noteStaleFiles() }
            steps.append { try backup.remove(others) }
            return steps
        }

        /// Returns how many steps there are.
        @discardableResult func run(steps count: Int) throws -> Int {
            let steps = try steps()
            for step in steps.prefix(count) { try step() }
            return steps.count
        }
    }

    /// Without uploads that are not whole, and the counts of these.
    private static func rows(_ directory: String) throws -> [String: [[DatabaseValue]]] {
        var all: [String: [[DatabaseValue]]] = [:]
        for name in try LabFile.databases(in: directory) {
            let connection = try Connection(.readOnly("\(directory)/\(name)"))
            let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { try $0.string(0) }
            for table in tables where "\(name) \(table)" != "receiver.sqlite device" {
                let condition = table == "upload" ? " WHERE sha256 IS NOT NULL" : ""
                all["\(name) \(table)"] = try connection.rows("SELECT * FROM \(table)\(condition)") { $0.values }
            }
        }
        return all
    }

    private static func files(_ directory: String) throws -> [String: [UInt8]] {
        try LabFile.all(in: directory).reduce(into: [:]) {
            $0[$1.path] = try BoundedFile.read("\(directory)/\($1.path)")
        }
    }

    private static func files(with text: String, in folder: String) throws -> [String] {
        let script = #"LC_ALL=C grep -rlaF -e "$1" "$2"; true"#
        let found = try #require(DatasetProgram.run(["sh", "-c", script, "sh", text, folder]))
        return found.split(separator: "\n").map { String($0.dropFirst(folder.count + 1)) }.sorted()
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private static func unfinished(_ directory: String) throws -> Int64? {
        try Connection(.readOnly(directory + "/receiver.sqlite")).first(
            "SELECT count(*) FROM upload WHERE sha256 IS NULL"
        ) { try $0.int(0) }
    }

    // MARK: What is copied

    @Test func whatIsRestoredIsWhatWasThere() async throws {
        let rig = try await Rig()
        let (rows, files) = (try Self.rows(rig.data), try Self.files(rig.data))
        do {
            let backup = try rig.begin()
            try backup.takeSnapshots()
            // The server goes on.
            try await rig.lab.post("P8")
            try await rig.lab.record(of: "P8", enrolment: "e8")
            #expect(try backup.copyFiles().problems == [])
            for name in backup.databases.reversed() { try backup.place(name) }
            #expect(try backup.noteStaleFiles() == [])
        }
        let outcome = try rig.restore()
        #expect(outcome == Restore.Outcome(files: files.count, bytes: files.values.reduce(0) { $0 + Int64($1.count) }))
        #expect(try Self.rows(rig.restored) == rows)
        #expect(try Self.files(rig.restored) == files)
        #expect(Self.mode(rig.folder) == 0o700 && Self.mode(rig.restored + "/receiver.key") == 0o600)
        let names = FolderListing.readable(rig.restored)
        let others = ["partial", "previews", "downloads", BackupNote.name]
        #expect(Set(names).isDisjoint(with: others) && !names.contains { $0.contains(".new") || $0.contains("-wal") })
    }

    @Test func aSecondBackupCopiesWhatIsNew() async throws {
        let rig = try await Rig()
        #expect(try rig.backUp().problems == [])
        #expect(try rig.backUp() == Backup.Outcome())
        try await rig.lab.upload("new.bin", Array("new".utf8))
        #expect(try rig.backUp() == Backup.Outcome(files: 1, bytes: 3))
        let manifest = "/manifests/e1-manifest-2026-11-25.json"
        var bytes = try BoundedFile.read(rig.data + manifest)
        bytes.reverse()
        try AtomicFile.write(bytes, to: rig.data + manifest)
        unlink(rig.data + "/limits.toml")
        #expect(try rig.backUp() == Backup.Outcome(files: 1, bytes: Int64(bytes.count), removed: 1))
        #expect(try BoundedFile.read(rig.folder + manifest) == bytes)
        #expect(access(rig.folder + "/limits.toml", F_OK) != 0)
    }

    /// Of a file system that keeps times in 2 s; the name of a manifest may be given again.
    @Test(arguments: [("files/1-a.csv", 2_000_000_000), ("sage/a.zip", 2_000_000_000), ("manifests/a.json", 99)])
    func whatHasTheSameTimeIsNotCopiedAgain(_ path: String, _ nanoseconds: Int) async throws {
        let rig = try await Rig()
        func file(_ folder: String, at time: Int) throws -> LabFile? {
            let place = "\(folder)/\(path)"
            try File.makeFolder(String(place[..<(place.lastIndex(of: "/") ?? place.endIndex)]))
            try AtomicFile.write([1], to: place)
            let value = timespec(tv_sec: 1_795_000_000 + time / 1_000_000_000, tv_nsec: time % 1_000_000_000)
            try #require(utimensat(AT_FDCWD, place, [value, value], 0) == 0)
            return LabFile(path, in: folder)
        }
        for start in [0, 999_999_900] {
            let mine = try #require(try file(rig.data, at: start + nanoseconds))
            #expect(mine.isSame(as: try file(rig.folder, at: start)))
            let later = try #require(try file(rig.data, at: start + nanoseconds + 1))
            let earlier = try #require(try file(rig.folder, at: start))
            #expect(!later.isSame(as: earlier) && !earlier.isSame(as: later))
        }
    }

    /// The server would take zeros for the bytes that had come.
    @Test func anUploadThatIsNotWholeBeginsAgain() async throws {
        let rig = try await Rig()
        #expect(try Self.unfinished(rig.data) == 2)
        try rig.backUp()
        _ = try rig.restore()
        #expect(try Self.unfinished(rig.restored) == 0 && Self.unfinished(rig.data) == 2)
        let devices = try await Archive(.file(rig.restored + "/receiver.sqlite")).devices(limit: 9)
        #expect(devices.allSatisfy { $0.partial == 0 })
    }

    @Test func ofAnErasedParticipantTheNextBackupHasNothing() async throws {
        let rig = try await Rig()
        try rig.backUp()
        #expect(try Self.files(with: EraseTests.answer, in: rig.folder).contains("receiver.sqlite"))
        try await EraseTests().erase(Self.id, rig.lab)
        let outcome = try rig.backUp()
        #expect(outcome.problems == [] && outcome.removed > 0)
        #expect(try Self.files(with: EraseTests.answer, in: rig.folder) == [])
        let left = try Self.files(with: Self.id, in: rig.folder)
        #expect(left == ["devices.sqlite", "lab.sqlite"], "the keys, and that it was done")
    }

    /// A disk that is not mounted, or a file that was lost, is not a participant who was erased.
    @Test func whatTheFolderHasLostStaysInTheBackup() async throws {
        let rig = try await Rig()
        try rig.backUp()
        let before = try Self.files(rig.folder)
        for folder in ["files", "manifests"] { FolderRemoval.remove("\(rig.data)/\(folder)") }
        let outcome = try rig.backUp()
        #expect(
            outcome.removed == 0 && outcome.problems.allSatisfy { $0.hasPrefix("files/") && $0.hasSuffix("is missing") }
        )
        #expect(outcome.problems.count == FolderListing.readable(rig.folder + "/files").count)
        #expect(try Self.files(rig.folder) == before)
    }

    // MARK: Crashes

    @Test func whatACrashLeavesIsRestoredAndFinished() async throws {
        let rig = try await Rig()
        try rig.backUp()
        let before = try Self.rows(rig.data)
        try await EraseTests().erase(Self.id, rig.lab)
        try await rig.lab.record(2, of: EraseTests.other, enrolment: "e1", device: 8)
        let (after, saved) = (try Self.rows(rig.data), rig.folder + "-saved")
        defer { FolderRemoval.remove(saved) }
        _ = try #require(DatasetProgram.run(["cp", "-a", rig.folder, saved]))
        let all = try rig.run(steps: 0)
        for count in 0...all {
            FolderRemoval.remove(rig.folder)
            _ = try #require(DatasetProgram.run(["cp", "-a", saved, rig.folder]))
            try rig.run(steps: count)
            #expect(try rig.restore().problems == [], "\(count)")
            let rows = try Self.rows(rig.restored)
            if count <= 2 { #expect(rows == before, "\(count)") }
            if count >= all - 2 { #expect(rows == after, "\(count)") }
            if count >= all - 1 { #expect(try Self.files(with: EraseTests.answer, in: rig.restored) == [], "\(count)") }
            try rig.backUp()
            #expect(try Self.files(with: EraseTests.answer, in: rig.folder) == [], "\(count)")
        }
    }

    @Test func aFirstBackupThatWasNotFinishedIsNotRestored() async throws {
        let rig = try await Rig()
        let all = try rig.run(steps: 0)
        for count in 0...all {
            FolderRemoval.remove(rig.folder)
            try rig.run(steps: count)
            if count >= all - 1 {
                #expect(try rig.restore().problems == [], "\(count)")
            } else {
                let error = #expect(throws: FileError.self, "\(count)") { try rig.restore() }
                #expect(error?.description.contains("was never finished") == true)
            }
        }
    }

    // MARK: Damage

    @Test func whatIsDamagedOrMissingIsNamedAndTheRestRestored() async throws {
        let rig = try await Rig()
        try rig.backUp()
        let uploads = FolderListing.readable(rig.folder + "/files")
        let archive = try #require(FolderListing.readable(rig.folder + "/sage").first)
        for name in ["files/" + uploads[0], "fleet.sqlite"] {
            try AtomicFile.write(Array(repeating: 7, count: 5000), to: "\(rig.folder)/\(name)")
        }
        for name in ["files/" + uploads[1], "sage/" + archive, "devices.sqlite"] { unlink("\(rig.folder)/\(name)") }
        let problems = try rig.restore().problems
        #expect(problems.count == 5, "\(problems)")
        for (start, end) in [
            ("files/\(uploads[0]) of ", "is damaged"), ("files/\(uploads[1]) of ", "is missing"),
            ("sage/\(archive) of ", "is missing"), ("fleet.sqlite: ", "is damaged"), ("devices.sqlite: ", "is missing"),
        ] {
            #expect(problems.contains { $0.hasPrefix(start) && $0.contains(end) }, "\(start): \(problems)")
        }
        #expect(FolderListing.readable(rig.restored + "/files") == Array(uploads.dropFirst(2)))
        let databases = try LabFile.databases(in: rig.restored)
        #expect(databases.count == rig.stores.count - 2 && !databases.contains("fleet.sqlite"))
        FolderRemoval.remove(rig.restored)
        #expect(throws: (any Error).self) {
            try RestoreCommand<StandInOptions>.parse([rig.folder, "--data", rig.restored]).run()
        }
        #expect(access(rig.restored + "/lab.sqlite", F_OK) == 0)
    }

    @Test func withoutTheirRowsUploadsAreNotRestored() async throws {
        let rig = try await Rig()
        try rig.backUp()
        try AtomicFile.write(Array(repeating: 7, count: 5000), to: rig.folder + "/receiver.sqlite")
        let problems = try rig.restore().problems
        #expect(problems.count == 2 && problems[0].hasPrefix("receiver.sqlite: is damaged"), "\(problems)")
        #expect(access(rig.restored + "/files", F_OK) != 0 && access(rig.restored + "/manifests", F_OK) == 0)
    }

    /// Bytes of an archive as `/sage` takes it: a zip with an end record.
    private static let zip: [UInt8] =
        [0x50, 0x4B, 3, 4, 0x50, 0x4B, 5, 6, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 11)

    /// Status of the answers of a server with that folder.
    private static func posted(_ bytes: [UInt8], of user: String, times: Int, to folder: String) async throws -> [Int] {
        let receiver = try Receiver(
            Receiver.Options(directory: folder), clock: SystemClock(), draw: { 0 }, newID: { "id" }, report: { _ in })
        let ports = AsyncStream<Int>.makeStream()
        async let running: Void = receiver.server.run(port: 0) { ports.continuation.yield($0) }
        var found: [Int] = []
        for await port in ports.stream {
            let request = Agent.HTTPRequest(
                method: "POST", url: "http://127.0.0.1:\(port)/sage",
                headers: [.init(name: "X-Participant", value: user)], body: .bytes(bytes))
            for _ in 0..<times {
                found.append(try await onThread("t-post") { try HTTPClient(userAgent: "t").send(request).status })
            }
            break
        }
        receiver.server.stop()
        try await running
        return found
    }

    private static func device(_ directory: String) async throws -> [Int64] {
        let device = try #require(try await Archive(.file(directory + "/receiver.sqlite")).device(Self.id))
        return [Int64(device.files), device.bytes]
    }

    @Test func anArchiveThatIsLeftOutIsTakenWhenItComesAgain() async throws {
        let rig = try await Rig()
        try await rig.lab.sage(Self.zip, of: Self.id)
        let file = "/sage/\(try Digest(of: Self.zip)).zip"
        try rig.backUp()
        try AtomicFile.write(Self.zip.reversed(), to: rig.folder + file)
        #expect(try rig.restore().problems.count == 1)
        #expect(access(rig.restored + file, F_OK) != 0)
        #expect(try await Self.posted(Self.zip, of: Self.id, times: 2, to: rig.restored) == [201, 200])
        #expect(try BoundedFile.read(rig.restored + file) == Self.zip)
        // Without what was not whole, whose bytes are gone.
        let (before, after) = (try await Self.device(rig.data), try await Self.device(rig.restored))
        #expect(after == [before[0], before[1] - 12])
    }

    @Test func uploadsThatAreLeftOutAreMissedAndCountOnce() async throws {
        let rig = try await Rig()
        try Connection(.file(rig.data + "/fleet.sqlite")).execute("UPDATE produced SET here = 1")
        func arrived() throws -> Int64? {
            try Connection(.readOnly(rig.restored + "/fleet.sqlite")).first("SELECT sum(here) FROM produced") {
                try $0.int(0)
            }
        }
        try rig.backUp()
        _ = try rig.restore()
        #expect(try arrived() == 2)
        FolderRemoval.remove(rig.folder + "/files")
        _ = try rig.restore()
        #expect(try arrived() == 0)
        let (bytes, now) = (Array("\(EraseTests.answer) of \(Self.id)".utf8), LabFixture.now)
        let digest = try Digest(of: bytes).description
        let archive = try Archive(.file(rig.restored + "/receiver.sqlite"))
        let described = try #require(
            try Connection(.readOnly(rig.data + "/receiver.sqlite")).first(
                "SELECT sha256 FROM upload WHERE user = ? AND name = ?", Self.id, "000001-magnetometer.json"
            ) { try $0.string(0) })
        func areHere() async throws -> [Bool] {
            [
                try await archive.has(sha256: digest), try await archive.has(sha256: described),
                try await archive.has(name: "000001-magnetometer", of: Self.id),
            ]
        }
        #expect(try await areHere() == [false, false, false])
        let (coverage, numbers) = (try await archive.coverage(of: Self.id, at: now), try Self.numbers(rig.data))
        #expect(coverage != nil)
        let again = try LabFixture(rig.restored, from: 100)
        try await again.record(of: Self.id, enrolment: "e0", device: 7, bytes: bytes)
        #expect(try await areHere() == [true, true, true])
        #expect(try await archive.coverage(of: Self.id, at: now) == coverage)
        let spans = try await archive.recorded(of: Self.id, from: .epoch, to: now, limit: 9)
        #expect(spans.count == 1)
        let upload = try #require(spans.first?.upload)
        #expect(!numbers.contains(upload))
        #expect(FolderListing.readable(again.directory + "/files").count == 2)
    }

    private static func numbers(_ directory: String) throws -> Set<Int64> {
        let connection = try Connection(.readOnly(directory + "/receiver.sqlite"))
        return Set(try connection.rows("SELECT number FROM upload") { try $0.int(0) })
    }

    /// It would skip what is not here.
    @Test(arguments: [false, true]) func mirrorFetchesAllAgainWhereSomethingIsLeftOut(isDamaged: Bool) async throws {
        let rig = try await Rig()
        let notes = try Connection(.file(rig.data + "/mirror.sqlite"))
        try notes.execute("CREATE TABLE fetched (id TEXT PRIMARY KEY); PRAGMA user_version = 1")
        try rig.backUp()
        if isDamaged { FolderRemoval.remove(rig.folder + "/sage") }
        let problems = try rig.restore().problems
        #expect((access(rig.restored + "/mirror.sqlite", F_OK) == 0) == !isDamaged)
        #expect(problems.last?.hasPrefix("mirror.sqlite: is left out, ") ?? false == isDamaged)
    }

    @Test func archivesOfBridgeHaveTheirSize() async throws {
        let rig = try await Rig()
        try rig.backUp()
        unlink(rig.folder + "/bridge/0.zip")
        try AtomicFile.write([1, 2], to: rig.folder + "/bridge/1.zip")
        let problems = try rig.restore().problems
        #expect(
            problems == ["bridge/0.zip: is missing", "bridge/1.zip: is damaged: it has 2 instead of 10 bytes"])
        #expect(FolderListing.readable(rig.restored + "/bridge") == [])
    }

    @Test func whatErasuresAndRevocationsNeedIsSaid() async throws {
        let rig = try await Rig()
        try rig.backUp()
        for name in ["lab.sqlite", "devices.sqlite"] { unlink("\(rig.folder)/\(name)") }
        let problems = try rig.restore().problems
        #expect(problems.count == 2, "\(problems)")
        for words in ["lab.sqlite: is missing; who was erased ", "devices.sqlite: is missing; revocations "] {
            #expect(problems.contains { $0.hasPrefix(words) }, "\(problems)")
        }
    }

    @Test func aFolderThatWasNotWhollyRestoredIsNotServed() async throws {
        let rig = try await Rig()
        try rig.backUp()
        _ = try rig.restore()
        func open() throws {
            _ = try Receiver(
                Receiver.Options(directory: rig.restored), clock: SystemClock(), draw: { 0 }, newID: { "id" },
                report: { _ in })
        }
        let file = rig.restored + "/lab.sqlite"
        try #require(rename(file, file + ".new") == 0)
        let error = #expect(throws: FileError.self) { try open() }
        #expect(error?.description.contains("was not wholly restored") == true)
        #expect(access(file, F_OK) != 0)
        try #require(rename(file + ".new", file) == 0)
        try open()
    }

    private static func empty(_ database: String) throws {
        for end in Backup.sidecarSuffixes { unlink(database + end) }
        try AtomicFile.write([], to: database)
    }

    /// SQLite takes it for a whole one without rows.
    @Test func anEmptyDatabaseIsDamaged() async throws {
        let rig = try await Rig()
        try rig.backUp()
        for name in rig.stores.map(\.file) {
            let (file, saved) = ("\(rig.folder)/\(name)", rig.folder + "/saved")
            try #require(rename(file, saved) == 0)
            try Self.empty(file)
            let problems = try rig.restore().problems
            #expect(problems.first?.hasPrefix("\(name): is damaged: it is empty") == true, "\(name): \(problems)")
            #expect(access("\(rig.restored)/\(name)", F_OK) != 0)
            try #require(rename(saved, file) == 0)
        }
        #expect(try rig.restore().problems == [])
    }

    // MARK: Refusals

    @Test func anEmptyDatabaseIsNotBackedUp() async throws {
        let rig = try await Rig()
        try rig.backUp()
        let before = try Self.files(rig.folder)
        for name in rig.stores.map(\.file) {
            let (file, saved) = ("\(rig.data)/\(name)", rig.data + "-saved.sqlite")
            try Connection(.readOnly(file)).copy(to: saved)
            try Self.empty(file)
            let error = #expect(throws: FileError.self, "\(name)") { try rig.backUp() }
            #expect(error?.description.contains("\(name): is empty") == true, "\(name)")
            try #require(rename(saved, file) == 0)
        }
        #expect(try Self.files(rig.folder) == before)
    }

    /// The server makes tables in an empty one, and numbers begin again.
    @Test(arguments: ["", "DELETE FROM record; DELETE FROM sage", "DELETE FROM record; DELETE FROM upload"])
    func aDatabaseThatBeganAgainDoesNotReplaceTheCopy(statement: String) async throws {
        let rig = try await Rig()
        let file = rig.data + "/receiver.sqlite"
        try Connection(.file(file)).execute(statement)
        try rig.backUp()
        let before = try Self.files(rig.folder)
        for hasMore in [false, true] {
            try Self.empty(file)
            let archive = try Archive(.file(file))
            if hasMore { try await archive.noteSage("5a", bytes: 1, of: "P9", at: .epoch) }
            let error = #expect(throws: FileError.self) { try rig.backUp() }
            #expect(error?.description.contains("receiver.sqlite: has lost rows") == true)
        }
        #expect(try Self.files(rig.folder) == before)
    }

    /// What is in it would seem to be gone.
    @Test func aFolderOfAnotherUserIsRefused() async throws {
        let rig = try await Rig()
        try rig.backUp()
        // Root's own powers open any folder (setfsuid(2), for one thread).
        let become = dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: (@convention(c) (uid_t) -> CInt).self) }
        let (data, folder) = (rig.data, rig.folder)
        for path in [data, folder] { try #require(chmod(path, 0) == 0) }
        defer { for path in [rig.data, rig.folder] { chmod(path, 0o700) } }
        let refusals: [String] = try await onThread("t-other") {
            if geteuid() == 0, let become { _ = become(65534) }
            return [data, folder, folder + "/deeper"].flatMap { path in
                [
                    Self.refusal { try DataFolderOption.parse(["--data", path]).check() },
                    Self.refusal { _ = try BackupNote(in: path) },
                ]
            }
        }
        let owner = UserName.of(geteuid())
        let places = [(data, owner), (folder, owner), (folder + "/deeper", "of the server")]
        let expected: [String] = places.flatMap { path, user in
            let words = "\(path): permission denied to the user \(owner); run this as the user \(user)"
            return [words, words]
        }
        #expect(refusals == expected)
    }

    private static func refusal(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return ""
    }

    @Test func aLabWithoutUploadsHasABackup() async throws {
        let lab = try LabFixture()
        let folder = lab.directory + "-backup"
        defer { FolderRemoval.remove(folder) }
        let stores = Erasure(of: "", in: lab.directory, StandInOptions.participantRows(of: "")).stores
        func backUp() throws -> Backup.Outcome {
            try Backup(of: lab.directory, to: folder, stores, at: LabFixture.now).run { _ in }
        }
        #expect(try backUp().problems == [])
        try await lab.post("P1")
        try await lab.sage([1], of: "P1")
        try await lab.upload("a.bin", [1], of: "P1")
        #expect(try backUp().files == 2)
        try await EraseTests().erase("P1", lab)
        let outcome = try backUp()
        #expect(outcome.removed == 2 && outcome.problems == [])
        #expect(try backUp() == Backup.Outcome())
    }

    @Test func backupAndRestoreWaitForEachOther() async throws {
        let rig = try await Rig()
        try rig.backUp()
        do {
            let backup = try rig.begin()
            let error = #expect(throws: FileError.self) { try rig.restore() }
            #expect(error?.description.contains("a backup is being made into it") == true)
            _ = try backup.run { _ in }
        }
        do {
            let restore = try Restore(of: rig.folder, to: rig.restored, rig.stores) { _ in nil }
            let error = #expect(throws: FileError.self) { try rig.begin() }
            #expect(error?.description.contains("or it is being restored") == true)
            #expect(try restore.run { _ in }.problems == [])
        }
        try rig.backUp()
    }

    @Test func aBackupWithinItsDataIsRefused() async throws {
        let rig = try await Rig()
        let link = rig.data + "-link"
        defer { unlink(link) }
        try #require(symlink(rig.data, link) == 0)
        for folder in [rig.data, rig.data + "/", rig.data + "/a/b", link, link + "/a"] {
            #expect(throws: (any Error).self, "\(folder)") {
                try BackupCommand<StandInOptions>.parse(["--data", rig.data, "-o", folder])
            }
        }
        try BackupCommand<StandInOptions>.parse(["--data", rig.data, "-o", rig.folder]).run()
        #expect(throws: (any Error).self) {
            try RestoreCommand<StandInOptions>.parse([rig.folder, "--data", rig.folder + "/a"])
        }
    }

    @Test func aFolderWithSomethingElseStaysAsItIs() async throws {
        let rig = try await Rig()
        try File.makeFolder(rig.folder + "/lost+found")
        try File.makeFolder(rig.restored)
        for folder in [rig.folder, rig.restored] { try AtomicFile.write([1], to: folder + "/mine") }
        let error = #expect(throws: FileError.self) { try rig.begin() }
        #expect(error?.description.contains("is neither empty nor a backup") == true)
        #expect(FolderListing.readable(rig.folder) == ["lost+found", "mine"])
        let other = #expect(throws: FileError.self) { try Restore(of: rig.folder, to: rig.restored, rig.stores) }
        #expect(other?.description.contains("is not a backup of study-receiver") == true)
        unlink(rig.folder + "/mine")
        try rig.backUp()
        let full = #expect(throws: FileError.self) { try Restore(of: rig.folder, to: rig.restored, rig.stores) }
        #expect(full?.description.contains("is not empty") == true)
        #expect(FolderListing.readable(rig.restored) == ["mine"])
    }

    @Test func anotherServersBackupIsNotReplaced() async throws {
        let rig = try await Rig()
        try rig.backUp()
        let key = try BoundedFile.read(rig.data + "/receiver.key")
        unlink(rig.data + "/receiver.key")
        #expect(throws: FileError.self) { try rig.begin() }
        _ = try ReceiverKey(in: rig.data)
        let error = #expect(throws: FileError.self) { try rig.begin() }
        #expect(error?.description.contains("is the backup of another server") == true)
        try AtomicFile.write(key, to: rig.data + "/receiver.key")
        try rig.backUp()
        try #require(rename(rig.data + "/lab.sqlite", rig.data + "/moved") == 0)
        let lost = #expect(throws: FileError.self) { try rig.begin() }
        #expect(lost?.description.contains("lab.sqlite: is gone, and the backup has it") == true)
    }

    @Test func aDatabaseOfALaterVersionIsRefused() async throws {
        let rig = try await Rig()
        try rig.backUp()
        for store in rig.stores {
            for folder in [rig.data, rig.folder] {
                let connection = try Connection(.file("\(folder)/\(store.file)"))
                try connection.execute("PRAGMA user_version = \(store.version + 1)")
                #expect(throws: DatabaseVersionError.self, "\(store.file)") {
                    try folder == rig.data ? rig.backUp().problems : rig.restore().problems
                }
                try connection.execute("PRAGMA user_version = \(store.version)")
                if folder == rig.folder { try connection.leaveWriteAheadLog() }
            }
        }
        #expect(access(rig.restored, F_OK) != 0)
        #expect(try rig.restore().problems == [])
    }

    @Test func eraseAndMirrorKeepItOutAndItThem() async throws {
        let rig = try await Rig()
        let lock = try FolderLock(rig.data + "/mirror-lock", of: rig.data, taken: "", remedy: "", isShared: true)
        let error = #expect(throws: FileError.self) { try rig.begin() }
        #expect(error?.description.contains("is being fetched into it, a participant erased") == true)
        lock.release()
        let backup = try rig.begin()
        let refusal = await #expect(throws: FileError.self) { try await EraseTests().erase(Self.id, rig.lab) }
        #expect(refusal?.description.contains("it is being backed up") == true)
        _ = try backup.run { _ in }
    }

    @Test func aDiskThatIsTooSmallIsNamedWithTheNumbers() async throws {
        let rig = try await Rig()
        let error = #expect(throws: FileError.self) { try rig.begin { _ in 1000 } }
        #expect(error?.description.contains("has 1.0 kB free, and this needs ") == true)
        #expect(FolderListing.readable(rig.folder) == ["lock", BackupNote.name])
        try rig.backUp()
        #expect(throws: FileError.self) { try rig.restore { _ in 1000 } }
        // Of what is replaced, only what is named together lies there twice.
        for (folder, time) in [(rig.data, 0), (rig.folder, 9)] {
            for name in ["1-a", "2-b", "3-c"] {
                let place = "\(folder)/files/\(name)"
                try File(place, .create).truncate(to: 2 << 30)
                let value = timespec(tv_sec: time, tv_nsec: 0)
                try #require(utimensat(AT_FDCWD, place, [value, value], 0) == 0)
            }
        }
        #expect(throws: FileError.self) { try rig.begin { _ in 3 << 30 } }
        _ = try rig.begin { _ in 7 << 29 }
        #expect(FolderListing.readable(rig.restored).allSatisfy { $0.hasSuffix("lock") })
    }
}
