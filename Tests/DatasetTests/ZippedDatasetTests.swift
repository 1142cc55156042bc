// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Lab

struct ZippedDatasetTests {
    /// The disk holds one file at a time, and in the end none.
    @Test func aFileIsTakenAwayWhenItIsPacked() throws {
        let path = "/tmp/studyd-zipped-\(getpid())-\(UInt32.random(in: 0 ... .max)).zip"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { unlink(path) }
        let zipped = try ZippedDataset(to: descriptor)
        let folder = zipped.folder.path
        for (name, text) in [("answers.csv", "participant\nP1\n"), ("rules/a.toml", "")] {
            try zipped.folder.write(text, to: name)
            #expect(access("\(folder)/\(name)", F_OK) != 0, "\(name)")
        }
        try zipped.finish()
        close(descriptor)
        let zip = try #require(ZipReader(try BoundedFile.read(path)))
        #expect(zip.contents(of: "answers.csv", limit: 100) == Array("participant\nP1\n".utf8))
        #expect(zip.contents(of: "rules/a.toml", limit: 100) == [])
        #expect(access(folder, F_OK) == 0)
        zipped.remove()
        #expect(access(folder, F_OK) != 0)
    }
}
