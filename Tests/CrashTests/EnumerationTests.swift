// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import RecordingCrash

/// The short form; `make crash-test` looks at every moment.
@Suite struct EnumerationTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/Crash"

    @Test(.timeLimit(.minutes(10)), arguments: ["run", "sealed"])
    func powerCutsAlongARealRunLoseNoMoreThanTheyMayAndSayIt(name: String) throws {
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let path = "\(root)/studyd-crash-test-\(getpid())-\(name)"
        defer { rmdir(path) }
        var enumeration = try Enumeration(
            log: "\(Self.folder)/\(name).strace.gz", encryption: name == "sealed" ? RecordedRun.encryption : nil,
            in: path)
        #expect(enumeration.changes > 300)
        enumeration.run(step: 37)
        #expect(enumeration.points > 15 && enumeration.states > enumeration.points)
        #expect(enumeration.faults == [])
    }

    @Test func whatWasNotSynchronisedMayBeLostAndWhatWasMayNot() {
        let disk = CrashedDisk([
            .create(inode: 1, name: "a"), .write(inode: 1, offset: 0, bytes: [1, 2]), .syncFile(inode: 1), .syncFolder,
            .write(inode: 1, offset: 2, bytes: [3, 4]), .rename(from: "a", to: "b"),
        ])
        #expect(
            disk.unsynced(before: 3) == [0] && disk.unsynced(before: 4) == [] && disk.unsynced(before: 6) == [4, 5])
        #expect(disk.files(before: 6, [:]) == ["b": [1, 2, 3, 4]])
        #expect(disk.files(before: 6, [4: .dropped, 5: .dropped]) == ["a": [1, 2]])
        #expect(disk.files(before: 6, [4: .zeros]) == ["b": [1, 2, 0, 0]])
        #expect(disk.files(before: 6, [4: .half]) == ["b": [1, 2, 3]])
    }

    @Test func stracesOwnLinesAreUnderstood() throws {
        let log = #"""
            mkdir("\x2f\x72", 0700)                 = 0
            openat(AT_FDCWD, "\x2f\x72\x2f\x61", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 4
            pwrite64(4, "\x01\xff", 2, 0)             = 2
            fsync(4)                                = 0
            close(4)                                = 0
            openat(AT_FDCWD, "\x2f\x72", O_RDONLY|O_CLOEXEC) = 4
            fsync(4)                                = 0
            unlink("\x2f\x72\x2f\x62")              = -1 ENOENT (No such file or directory)
            write(1, "\x68\x69\x0a", 3)             = 3
            """#
        let calls = try SystemCallReader(log).calls
        #expect(calls.count == 5)
        guard case .create(1, "a") = calls[0], case .write(1, 0, [1, 255]) = calls[1], case .syncFile(1) = calls[2],
            case .syncFolder = calls[3], case .mark(["hi"]) = calls[4]
        else {
            Issue.record("read as \(calls)")
            return
        }
    }
}
