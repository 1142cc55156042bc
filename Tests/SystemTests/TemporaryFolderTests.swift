// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// Temporary files go with who made them. Who is still there is util-linux's flock's word.
@Suite(.timeLimit(.minutes(10))) struct TemporaryFolderTests {
    private final class Place {
        let path: String
        init() throws {
            path = "/tmp/studyd-places-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            try #require(mkdir(path, 0o700) == 0)
        }
        deinit { FolderRemoval.remove(path) }
        var names: [String] { FolderListing.readable(path).sorted() }
    }

    @Test func itGoesWithItsLastReferenceAndAllThatIsInIt() throws {
        let place = try Place()
        do {
            let folder = try TemporaryFolder("opened", in: place.path)
            try AtomicFile.write([1], to: folder.path + "/plain")
            try #require(mkdir(folder.path + "/deeper", 0o700) == 0)
            try AtomicFile.write([1], to: folder.path + "/deeper/plain")
            var status = stat()
            #expect(stat(folder.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
            #expect(place.names.count == 1)
        }
        #expect(place.names == [])
    }

    @Test func oneThatIsKeptStays() throws {
        let place = try Place()
        do { try TemporaryFolder("opened", in: place.path).keep() }
        #expect(place.names.count == 1)
        TemporaryFolder.sweep(place.path)
        #expect(place.names.count == 1, "no one left it by accident")
    }

    /// What was opened does not outlive a kill for longer than to the next start.
    @Test func whatAKilledProcessLeftGoesAndWhatIsInUseStays() throws {
        let place = try Place()
        for name in ["studyd-opened-dead", "studyd-opened-live", "studyd-simulate-dead", "mine"] {
            try #require(mkdir("\(place.path)/\(name)", 0o700) == 0)
            try AtomicFile.write(Array("an answer".utf8), to: "\(place.path)/\(name)/plain")
            try AtomicFile.write([], to: "\(place.path)/\(name)/.in-use")
        }
        // `flock FILE COMMAND` holds the lock as long as the command runs.
        let holder = "\(place.path)/studyd-opened-live/.in-use"
        let script =
            "flock '\(holder)' sh -c 'echo $$ >\(place.path)/pid; exec sleep 60' & while [ ! -s \(place.path)/pid ]; do sleep 0.01; done"
        try #require(system(script) == 0)
        let folder = try TemporaryFolder("opened", in: place.path)
        #expect(
            Set(place.names) == [
                "mine", "pid", "studyd-opened-live", String(folder.path.split(separator: "/").last ?? ""),
            ])
        let pid = try BoundedFile.text(place.path + "/pid").split(separator: "\n").first.flatMap { pid_t($0) }
        kill(try #require(pid), SIGKILL)
        // The kernel gives the lock free when it has closed the file.
        while access(holder, F_OK) == 0 {
            TemporaryFolder.sweep(place.path)
            usleep(1000)
        }
        #expect(!place.names.contains("studyd-opened-live"))
    }

    /// The lock file had its first name still. A folder of a moment ago may be one that is being made, and
    /// what has anything else in it was kept.
    @Test func whatWasKilledWhileItBeganGoesLater() throws {
        let place = try Place()
        for (name, age, file) in [
            ("old", 120, ".in-use.new"), ("new", 5, ".in-use.new"), ("kept", 120, "plain"), ("bare", 120, nil),
        ] {
            let path = "\(place.path)/studyd-opened-\(name)"
            try #require(mkdir(path, 0o700) == 0)
            if let file { try AtomicFile.write([], to: "\(path)/\(file)") }
            var times = [timeval(tv_sec: time(nil) - age, tv_usec: 0), timeval(tv_sec: time(nil) - age, tv_usec: 0)]
            try #require(utimes(path, &times) == 0)
        }
        TemporaryFolder.sweep(place.path)
        #expect(place.names == ["studyd-opened-kept", "studyd-opened-new"])
    }

    @Test func aPlaceThatTakesNothingIsNamed() {
        let error = #expect(throws: FileError.self) { try TemporaryFolder("opened", in: "/proc/absent") }
        #expect(error.map { "\($0)".contains("/proc/absent") } == true)
    }
}
