// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Lab

@Suite struct KeptStudiesTests {
    /// Whatever is served now: an earlier version has kept it.
    @Test(arguments: [true, false]) func passwordsAndParticipantsAreNotKept(isServed: Bool) async throws {
        try await withFolder { folder in
            let (served, kept) = (folder + "/mood", folder + "/data/studies/mood")
            let personal = ["accounts.json", "participantProperties-values.json"]
            for path in [served, kept] {
                try File.makeFolder(path)
                for name in personal + ["A_1.0.json"] { try AtomicFile.write(Array("{}".utf8), to: "\(path)/\(name)") }
            }
            var said: [String] = []
            KeptStudies.keep(isServed ? [served] : [], in: folder + "/data") { said.append($0) }
            #expect(FolderListing.readable(kept) == ["A_1.0.json"])
            #expect(FolderListing.readable(served) == (personal + ["A_1.0.json"]).sorted())
            #expect(said.isEmpty)
        }
    }

    /// Of a single file and of one in a folder; each text once, whatever is between.
    @Test(arguments: [true, false]) func whatAStudyWasBeforeIsKept(isFolder: Bool) async throws {
        try await withFolder { folder in
            let path = folder + (isFolder ? "/mood" : "/mood.json")
            let file = isFolder ? path + "/A.json" : path
            try File.makeFolder(isFolder ? path : folder)
            for text in ["1", "2", "2", "1", "3", "1"] {
                try AtomicFile.write(Array(text.utf8), to: file)
                KeptStudies.keep([path], in: folder + "/data") { Issue.record("\($0)") }
            }
            let kept = folder + "/data/studies"
            #expect(try BoundedFile.text(kept + (isFolder ? "/mood/A.json" : "/mood.json")) == "1")
            let older = kept + (isFolder ? "/mood.versions" : "/mood.json.versions")
            let names = FolderListing.readable(older)
            #expect(try names.map { try BoundedFile.text("\(older)/\($0)") } == ["1", "2", "3"])
            let name = isFolder ? "A.json" : "mood.json"
            #expect(names.map { String($0.prefix(name.count + 7)) } == (1...3).map { "\(name).00000\($0)" })
        }
    }

    /// Nothing is deleted. The text that found no room is kept when there is some.
    @Test(
        arguments: [
            (KeptStudies.mostCopies - 1, 0, true), (KeptStudies.mostCopies, 0, false),
            (1, KeptStudies.mostBytes - 1, true), (1, KeptStudies.mostBytes, false),
        ] as [(Int, Int64, Bool)]) func replacedCopiesHaveALimitInAll(copies: Int, bytes: Int64, hasRoom: Bool)
        async throws
    {
        try await withFolder { folder in
            let (kept, path) = (folder + "/data/studies", folder + "/mood.json")
            let (others, note) = (kept + "/other.versions", kept + "/mood.json.versions/NOT-ALL-KEPT")
            try File.makeFolder(others)
            for number in 0..<copies { close(open("\(others)/\(number).json", O_CREAT | O_WRONLY, 0o600)) }
            try #require(truncate("\(others)/0.json", off_t(bytes)) == 0)
            func keep(_ text: String) throws -> (kept: String, said: [String]) {
                var said: [String] = []
                try AtomicFile.write(Array(text.utf8), to: path)
                KeptStudies.keep([path], in: folder + "/data") { said.append($0) }
                return (try BoundedFile.text(kept + "/mood.json"), said)
            }
            #expect(try keep("1").said.isEmpty)
            let second = try keep("2")
            #expect(second.kept == (hasRoom ? "2" : "1") && second.said.count == (hasRoom ? 0 : 1))
            #expect(second.said.allSatisfy { $0.contains("mood.json.versions: no room") }, "\(second.said)")
            #expect((access(note, F_OK) == 0) == !hasRoom && FolderListing.readable(others).count == copies)
            unlink("\(others)/0.json")
            #expect(try keep("2").kept == "2")
        }
    }

    /// Right after a change the stamps of a file do not tell a further one.
    @Test func aFileIsReadAgainWhereItMayHaveChanged() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let path = folder + "/mood.json"
            let watch = inotify_init1(CInt(IN_NONBLOCK))
            defer { close(watch) }
            func isRead(at now: Instant) -> Bool {
                _ = inotify_add_watch(watch, path, UInt32(IN_OPEN))
                KeptStudies.keep([path], in: folder + "/data", at: now) { Issue.record("\($0)") }
                var events = [UInt8](repeating: 0, count: 4096)
                return read(watch, &events, events.count) > 0
            }
            try AtomicFile.write(Array("1".utf8), to: path)
            let now = SystemClock().now
            let later = now + .seconds(60)
            // The first copies it.
            #expect([now, now, later, later, later].map(isRead) == [true, true, true, false, false])
            try AtomicFile.write(Array("2".utf8), to: path)
            #expect(isRead(at: later))
            #expect(try BoundedFile.text(folder + "/data/studies/mood.json") == "2")
            try AtomicFile.write(Array("3".utf8), to: folder + "/data/studies/mood.json")
            #expect(isRead(at: later), "the copy has changed")
            #expect(try BoundedFile.text(folder + "/data/studies/mood.json") == "2")
        }
    }
}
