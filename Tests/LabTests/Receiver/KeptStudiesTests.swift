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
}
