// SPDX-License-Identifier: Apache-2.0
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

    /// The limit itself and one above it.
    @Test func ofManyVersionsTheOldestGo() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let older = folder + "/data/studies/mood.json.versions"
            func keep(_ texts: ClosedRange<Int>) throws -> [String] {
                for text in texts {
                    try AtomicFile.write(Array("\(text)".utf8), to: folder + "/mood.json")
                    KeptStudies.keep([folder + "/mood.json"], in: folder + "/data") { Issue.record("\($0)") }
                }
                return try FolderListing.readable(older).map { try BoundedFile.text("\(older)/\($0)") }
            }
            let most = KeptStudies.mostVersions
            #expect(try keep(0...most) == (0..<most).map { "\($0)" })
            #expect(try keep(most + 1...most + 1) == (1...most).map { "\($0)" })
        }
    }
}
