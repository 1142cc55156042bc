// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device
@testable import studyd_tools

@Suite struct FeaturesCommandTests {
    private static func run(_ words: [String]) throws {
        try #require(try FeaturesCommand.parseAsRoot(words) as? FeaturesCommand).run()
    }

    /// A folder means the files in it, by whatever name one of them goes.
    @Test func noFileOfAFolderThatIsReadIsReplaced() throws {
        let folder = try TemporaryFolder("features")
        defer { folder.remove() }
        let motion = try ExportCommandTests.record(into: folder.path)
        let inside = try FolderListing.names(in: folder.path) { $0.hasPrefix("0") }.map { "\(folder.path)/\($0)" }
        #expect(inside.count == 2 && inside.contains(motion), "the recording and its description")
        for path in inside {
            let before = try BoundedFile.read(path, limit: 1 << 20)
            #expect("\(path)") { try Self.run([folder.path, "-o", path]) } throws: {
                "\($0)".contains("is one of the files to read; use another file with -o")
            }
            #expect(try BoundedFile.read(path, limit: 1 << 20) == before)
        }
        try Self.run([folder.path, "-o", folder.path + "/features.out"])
        #expect(try !BoundedFile.text(folder.path + "/features.out").isEmpty)
    }

    /// The identity is that of C2SP's test vectors.
    @Test func aSealedRecordingGivesTheRowsOfTheOpenOne() throws {
        let folder = try TemporaryFolder("features")
        defer { folder.remove() }
        let key = try #require(ExportCommandTests.files["key.txt"])
        try AtomicFile.write(Array(key.utf8), to: folder.path + "/key.txt")
        let content = try BoundedFile.read(ExportCommandTests.record(into: folder.path), limit: 1 << 20)
        let sealed = try AgeWriter.encrypt(content, to: AgeIdentity.all(in: key).map(\.recipient))
        try AtomicFile.write(content, to: folder.path + "/night.cwa")
        try AtomicFile.write(sealed, to: folder.path + "/night.cwa.age")
        let paths = ["night.cwa", "night.cwa.age"].map { "\(folder.path)/\($0)" }
        for path in paths { try Self.run([path, "--key", folder.path + "/key.txt", "-o", path + ".csv"]) }
        let tables = try paths.map { try BoundedFile.text($0 + ".csv") }
        #expect(tables[0] == tables[1] && tables[0].contains("enmo"))
        #expect { try Self.run([paths[1], "-o", folder.path + "/none.csv"]) } throws: {
            "\($0)".contains("give the key of one of its recipients: --key")
        }
    }
}
