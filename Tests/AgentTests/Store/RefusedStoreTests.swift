// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

/// A store that is whole and may not be used: it is left as it is, everything goes on in memory,
/// and goes into it when it may be used again.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RefusedStoreTests {
    /// `chattr +i`: it can be read by all users and written by none, not even root.
    @Test func anImmutableStoreIsReadAndLeft() async throws {
        try await Self.withStore { folder, path in
            guard (try? Damage.output("/usr/bin/env", "chattr", "+i", path)) != nil else {
                return print("SKIPPED: immutable files cannot be made here")
            }
            defer { _ = try? Damage.output("/usr/bin/env", "chattr", "-i", path) }
            let before = try Self.files(folder)
            let database = try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(9000))
            #expect(database.foundDamage == nil)
            #expect(await database.memoryOnlyReason?.contains("Operation not permitted") == true)
            while try await database.catchUp() {}
            #expect(try await database.latestEnrolment()?.record.id == "e1", "what can be read goes on")
            try await database.append([.listOpened], sending: [Fixture.draft("meanwhile")], at: Fixture.stamp(9001))
            #expect(try await !database.moveToDisk(at: Fixture.stamp(9002)))
            #expect(try Self.files(folder) == before)
            _ = try Damage.output("/usr/bin/env", "chattr", "-i", path)
            try await Self.expectReturn(of: database, at: path, items: 4)
        }
    }

    /// A database of root's with mode 0600, opened by somebody else: nothing of it can be read.
    @Test func aStoreThatMayNotBeReadIsLeft() async throws {
        guard geteuid() == 0, let become = Self.setfsuid else {
            return print("SKIPPED: only root can become somebody else")
        }
        try await Self.withStore { folder, path in
            let sealed = Fixture.recording("7", .motion)
            try await StudyDatabase(.file(path)).append(
                [.recordingSealed(recording: sealed)], sending: [Fixture.file(of: sealed)], at: Fixture.stamp(100))
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                chown(folder + "/" + name, 65534, 65534)
            }
            chown(folder, 65534, 65534)
            chown(path, 0, 0)
            chmod(path, 0o600)
            let before = try Self.files(folder)
            let database = try await Self.onThread {
                _ = become(65534)
                return try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(9000))
            }
            #expect(database.foundDamage == nil)
            let words = await database.memoryOnlyReason ?? ""
            #expect(words.contains("Permission denied") && words.contains("user 0 with mode 600"), "\(words)")
            #expect(await database.leavesFile)
            while try await database.catchUp() {}
            #expect(try await database.latestEnrolment() == nil)
            try await Self.expectNoEnrolment(in: database, folder)
            // As a start does that finds a recording which its log does not know, and sends it.
            try await database.append(
                [.recordingSealed(recording: sealed), .recordingSealed(recording: Fixture.recording("8", .motion))],
                sending: [Fixture.draft("meanwhile"), Fixture.file(of: sealed)], at: Fixture.stamp(9001))
            let doubled = try #require(try await database.items().first { $0.item.file != nil })
            #expect(try await database.startUpload(doubled.item.id, at: Fixture.stamp(9002)))
            try await database.finishUpload(doubled.item.id, .delivered(receipt: "r"), at: Fixture.stamp(9002))
            #expect(try await !database.moveToDisk(at: Fixture.stamp(9003)))
            #expect(try Self.files(folder) == before)
            chown(path, 65534, 65534)
            try await Self.expectReturn(of: database, at: path, items: 5)
            let files = try await database.items().filter { $0.item.file != nil }
            #expect(files.map(\.state) == [.delivered], "the same file is the same item")
            #expect(try await database.recordingViews().map(\.recording.id).sorted() == ["7", "8"])
        }
    }

    /// A command of a user who is not the agent's: who may, instead of SQLite's number.
    @Test(arguments: [true, false]) func aCommandSaysWhoMayUseTheStore(isFolderClosed: Bool) async throws {
        guard geteuid() == 0 else { return print("SKIPPED: only root can become somebody else") }
        try await Self.withStore { folder, path in
            let closed = isFolderClosed ? folder : path
            if !isFolderClosed { chown(folder, 65534, 65534) }
            chmod(closed, isFolderClosed ? 0o700 : 0o600)
            let state = try StateFolder(withStore: folder)
            let error = try await Self.onThread {
                try #require(Self.become(65534))
                do {
                    _ = try StudyDatabase(state, encryption: nil)
                    return "it was opened"
                } catch { return "\(error)" }
            }
            let words = "\(closed): the user \(UserName.of(65534)) may not use it; try again as root or"
            #expect(error == words + " as the user root", "\(error)")
        }
    }

    /// The folder itself refuses, as the kernel says it: a disk mounted read-only, one that fails,
    /// rights that somebody else has.
    @Test(arguments: RefusingFolder.allCases) func aFolderThatRefusesIsLeftAndTakenAgain(kind: RefusingFolder)
        async throws
    {
        let root = NSTemporaryDirectory() + "refused-\(UUID())"
        guard kind.make(root) else {
            kind.remove(root)
            return print("SKIPPED \(kind): root, mounts and loop devices are needed")
        }
        defer { kind.remove(root) }
        let folder = root + "/state"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/studyd.sqlite"
        try await Damage.fill(path, 0..<3)
        let before = try Self.files(folder)
        try #require(kind.refuse(root))
        let database = try await Self.onThread {
            if kind == .rights { try #require(Self.become(65534)) }
            return try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(9000))
        }
        #expect(database.foundDamage == nil)
        let words = await database.memoryOnlyReason ?? ""
        #expect(words.contains(String(cString: strerror(kind.code))) && words.contains(kind.remedy), "\(words)")
        #expect(await database.leavesFile)
        while try await database.catchUp() {}
        #expect(try await database.latestEnrolment()?.record.id == (kind == .readOnly ? "e1" : nil))
        try await database.append([.listOpened], sending: [Fixture.draft("meanwhile")], at: Fixture.stamp(9001))
        #expect(try await !database.moveToDisk(at: Fixture.stamp(9002)))
        try #require(kind.allow(root))
        #expect(try Self.files(folder) == before)
        try await Self.expectReturn(of: database, at: path, items: 4)
    }

    /// `studyd history` reads the new store while the agent makes it: it holds SQLite's lock of readers
    /// (sqlite.org/src, os_unix.c: SHARED_FIRST, SHARED_SIZE).
    @Test func aRepairThatFindsTheStoreInUseGoesOnInMemoryAndReturns() async throws {
        try await Self.withStore(rows: 0..<300) { folder, path in
            let database = try StudyDatabase(
                rescuing: path, recordings: folder + "/recordings", at: Fixture.stamp(9000))
            while try await database.catchUp() {}
            let enrolled = try await database.latestEnrolment()
            let rows = try await database.events(limit: -1).count
            try await database.append([.listOpened], at: Fixture.stamp(9001))
            let gate = try Gate(folder + "/studyd.head")
            async let reader = Self.holdReading(path + ".new", behind: gate)
            _ = try await database.repair("as if", at: Fixture.stamp(9002))
            let lock = await reader
            let words = await database.memoryOnlyReason
            #expect(words?.contains("locked") == true, "\(words ?? "it is taken for the one on the disk")")
            // What is in memory is all there is of it.
            #expect(try await database.repair("once more", at: Fixture.stamp(9002)) == nil)
            #expect(await database.memoryOnlyReason == words)
            #expect(try await database.latestEnrolment() == enrolled, "what can be read goes on")
            try await database.append([.listLeft, .graphsOpened], at: Fixture.stamp(9003))
            close(lock)
            #expect(try await database.moveToDisk(at: Fixture.stamp(9004)))
            #expect(await database.memoryOnlyReason == nil)
            while try await database.catchUp() {}
            #expect(try await database.verifyLog() == nil)
            let onDisk = try await StudyDatabase(.file(path)).events(limit: -1)
            #expect(onDisk.contains { $0.event == .graphsOpened } && onDisk.count > rows)
        }
    }

    /// A pipe in a file's place: what opens it waits until the file is there again (fifo(7)).
    private struct Gate: Sendable {
        private let path: String
        private var pipe: String { path + ".pipe" }
        private var kept: String { path + ".kept" }

        init(_ path: String) throws {
            self.path = path
            try #require(mkfifo(path + ".pipe", 0o600) == 0 && rename(path, path + ".kept") == 0)
            try #require(link(path + ".pipe", path) == 0)
        }

        /// Both ends stay open, so that nothing waits for another from then on.
        func release() {
            rename(kept, path)
            _ = open(pipe, O_RDWR | O_CLOEXEC)
        }
    }

    /// Holds that lock on a store that a repair makes, once it is empty and no longer in WAL mode (file format,
    /// 1.3.3: the version at 18); the descriptor. The repair then reads the log's head, which is behind `gate`. An open
    /// file description lock (fcntl(2), F_OFD_SETLKW) is in SQLite's way within this process, too.
    private static func holdReading(_ path: String, behind gate: Gate) async -> CInt {
        await withCheckedContinuation { told in
            Thread {
                var (file, version) = (CInt(-1), UInt8(0))
                while version != 1 {
                    if file < 0 { file = open(path, O_RDWR | O_CLOEXEC) }
                    if pread(file, &version, 1, 18) < 1 || version != 1 { usleep(100) }
                }
                var lock = flock()
                (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
                (lock.l_start, lock.l_len) = (0x4000_0002, 510)
                withUnsafeMutablePointer(to: &lock) { _ = fcntl(file, 38, $0) }
                gate.release()
                told.resume(returning: file)
            }.start()
        }
    }

    enum RefusingFolder: CaseIterable, Sendable {
        case readOnly, failing, rights

        var code: CInt {
            switch self {
            case .readOnly: EROFS
            case .failing: EIO
            case .rights: EACCES
            }
        }

        var remedy: String {
            switch self {
            case .readOnly: "mount the disk so that it can be written"
            case .failing: "dmesg"
            case .rights: "give it to the user that studyd runs as"
            }
        }

        /// Something mounted at `root`.
        func make(_ root: String) -> Bool {
            guard geteuid() == 0 else { return false }
            return switch self {
            case .readOnly: Self.shell("mkdir \(root) && mount -t tmpfs -o size=16m studyd-test \(root)")
            case .failing:
                Self.shell(
                    "mkdir \(root) && truncate -s 16M \(root).img && mkfs.ext4 -q -F \(root).img && mount -o loop \(root).img \(root)"
                )
            case .rights: Self.shell("mkdir \(root)")
            }
        }

        func refuse(_ root: String) -> Bool {
            switch self {
            case .readOnly: Self.shell("mount -o remount,ro \(root)")
            // EXT4_IOC_SHUTDOWN without the log's flush: every call fails with EIO from now on.
            case .failing:
                Self.shell(
                    "sync -f \(root) && python3 -c \"import fcntl,os,struct;fcntl.ioctl(os.open('\(root)',0),0x8004587d,struct.pack('I',2))\""
                )
            case .rights:
                Self.shell("chown -R 65534:65534 \(root) && chown 0:0 \(root)/state && chmod 700 \(root)/state")
            }
        }

        func allow(_ root: String) -> Bool {
            switch self {
            case .readOnly: Self.shell("mount -o remount,rw \(root)")
            case .failing:
                Self.shell(
                    "umount \(root); fsck.ext4 -fy \(root).img; test $? -lt 4 && mount -o loop \(root).img \(root)")
            case .rights: Self.shell("chown 65534:65534 \(root)/state")
            }
        }

        func remove(_ root: String) {
            if self != .rights { _ = Self.shell("umount -l \(root)") }
            _ = Self.shell("rm -rf \(root) \(root).img")
        }

        private static func shell(_ command: String) -> Bool {
            (try? Damage.output("/bin/sh", "-c", "{ \(command); } >/dev/null 2>&1")) != nil
        }
    }

    /// Everything that was on the disk, then everything that came, in one chain; and
    /// nothing was set aside.
    private static func expectReturn(of database: StudyDatabase, at path: String, items: Int) async throws {
        let before = try await database.events().count { $0.event == .listOpened }
        #expect(try await database.moveToDisk(at: Fixture.stamp(9500)))
        #expect(await database.memoryOnlyReason == nil)
        #expect(await !database.leavesFile)
        #expect(try await database.verifyLog() == nil)
        #expect(try await database.salvages().isEmpty)
        #expect(try await database.latestEnrolment()?.record.id == "e1")
        #expect(try await database.events().count { $0.event == .listOpened } >= before)
        #expect(try await database.items().count == items)
        for item in try await database.items() where item.item.file == nil { _ = try await database.content(of: item) }
        #expect(try await database.counts().isBalanced)
        let last = try #require(try await database.events().last)
        guard case .fault("store", let words) = last.event else { return #expect(Bool(false), "\(last)") }
        #expect(words.contains("kept in memory"))
        let folder = (path as NSString).deletingLastPathComponent
        #expect(!FileManager.default.fileExists(atPath: folder + "/damaged"))
        var scan = false
        while !scan {
            let (problem, isOver) = await database.scanForDamage(512)
            #expect(problem == nil)
            scan = isOver
        }
        // What the agent wrote is there for the next who opens it.
        let head = HeadFile(folder + "/studyd.head").read().head?.sequence
        #expect(head == last.sequence)
    }

    /// Of the copy beside the store it is known who takes part; a second enrolment would be drawn again, and be
    /// merged with the first.
    private static func expectNoEnrolment(in database: StudyDatabase, _ folder: String) async throws {
        let stamps = EventClock(clock: SystemClock(), bootID: "boot", zone: .utc)
        let reader = StatusReader(database: database, view: nil, stamps: stamps, folder: folder)
        let unknown = try await reader.text(json: false, uploads: false)
        #expect(unknown.contains("study       unknown, since the store cannot be used"), "\(unknown)")
        guard case .enrolled(let record) = Fixture.enrolled else { throw CancellationError() }
        EnrolmentBackup(at: folder).keep(record)
        let page = try await reader.text(json: false, uploads: false)
        let words = "study       study, participant ABC23456, no prompts: the store cannot be used"
        #expect(page.contains(words), "\(page)")
        let enroller = Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: .utc, stamps: stamps,
            media: MediaCache(folder: folder))
        let study = AgentFixture.protocolText(days: 3, times: [(9, 0)])
        let error = await #expect(throws: EnrolmentError.self) {
            try await enroller.enrol(EnrolmentOptions(loaded: try LoadedStudy(study, origin: "generated.json")))
        }
        #expect(error == .storeNotUsable)
    }

    // MARK: - Stores

    private static func withStore(
        rows: Range<Int> = 0..<3, _ body: (String, String) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "refused-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        chmod(folder, 0o755)
        defer { Damage.remove(folder) }
        let path = folder + "/studyd.sqlite"
        try await Damage.fill(path, rows)
        try await body(folder, path)
    }

    private static func files(_ folder: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("studyd") }
        return try names.reduce(into: [:]) { $0[$1] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($1)")) }
    }

    /// setfsuid(2) holds for the calling thread, and for those that it starts: files are opened as
    /// another user there, and all other threads stay who they are.
    private static let setfsuid: (@convention(c) (uid_t) -> CInt)? = dlsym(nil, "setfsuid").map {
        unsafeBitCast($0, to: (@convention(c) (uid_t) -> CInt).self)
    }

    /// The calling thread, and those that it starts, are somebody else, also for access(2): the
    /// kernel's call, not glibc's, which changes all threads.
    private static func become(_ user: Int) -> Bool {
        typealias Call = @convention(c) (Int, Int, Int, Int) -> Int
        // setresuid(2), by its number, which Swift's Glibc does not show.
        #if arch(x86_64)
            let number = 117
        #else
            let number = 147
        #endif
        guard let call = dlsym(nil, "syscall").map({ unsafeBitCast($0, to: Call.self) }) else { return false }
        return call(number, user, user, -1) == 0
    }

    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { done in
            Thread { done.resume(with: Result(catching: body)) }.start()
        }
    }
}
