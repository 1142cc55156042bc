// SPDX-License-Identifier: Apache-2.0
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

/// What is read of a folder that holds a study.
@Suite struct StudyFolderTests {
    /// Files with holes take no room on the disk.
    private static func write(_ sizes: [(String, Int)], in folder: String) throws {
        for (name, size) in sizes {
            try AtomicFile.write([], to: "\(folder)/\(name)", mode: 0o600)
            try #require(truncate("\(folder)/\(name)", off_t(size)) == 0)
        }
    }

    private static func problem(_ sizes: [(String, Int)]) async throws -> String? {
        try await AgentFixture.inFolder { folder in
            defer { system("rm -rf '\(folder)'") }
            try write(sizes, in: folder)
            do {
                #expect(try StudyFolder.files(in: folder).map(\.bytes.count) == sizes.map(\.1))
                return nil
            } catch let error as FileError { return "\(error)".replacing(folder, with: "F") }
        }
    }

    @Test(
        arguments: [
            ([("a.json", 32 << 20)], nil), ([("a.json", 16 << 20), ("b.json", 16 << 20)], nil),
            (
                [("a.json", 16 << 20), ("b.json", 16 << 20), ("c.json", 1)],
                "F/c.json: makes the files of the study larger than 33554432 bytes in all"
            ), ([("a.json", 32 << 20 + 1)], "F/a.json: is larger than 33554432 bytes"),
        ] as [([(String, Int)], String?)])
    func theLimitThatIsNamedIsThatOfAllFiles(_ sizes: [(String, Int)], _ says: String?) async throws {
        #expect(try await Self.problem(sizes) == says)
    }

    @Test(arguments: [("ABC\nDEF \n\n", ["ABC", "DEF"]), ("", []), (nil, [])] as [(String?, [String])])
    func theTokensOfAFolderAreReadInOrder(_ text: String?, _ tokens: [String]) async throws {
        try await AgentFixture.inFolder { folder in
            defer { system("rm -rf '\(folder)'") }
            if let text { try AtomicFile.write(Array(text.utf8), to: "\(folder)/tokens.txt", mode: 0o600) }
            #expect(StudyFolder.tokens(in: folder) == tokens)
        }
    }
}
