// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset

/// As Python's zipfile reads it, which checks every CRC-32.
struct ZipStreamTests {
    private static let files: [(name: String, content: [UInt8])] = [
        ("answers.csv", Array("participant,sleep\nP1,7\n".utf8)), ("empty.csv", []),
        ("recordings/P1/e1/000001-accelerometer.cwa", (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }),
        ("codebook-größe.csv", Array(repeating: 0x61, count: 700_000)),
    ]

    private static let reader = """
        import hashlib, sys, zipfile
        archive = zipfile.ZipFile(sys.argv[1])
        assert archive.testzip() is None
        for item in archive.infolist():
            print(item.filename, item.file_size, item.date_time, oct(item.external_attr >> 16),
                item.extract_version, hashlib.sha256(archive.read(item)).hexdigest())
        """

    /// 1: every file is written as one of more than four gigabytes is, or behind four gigabytes. The version that
    /// a reader needs is that of APPNOTE 4.4.3.2, as Python's own zipfile writes it (`ZIP64_VERSION`).
    @Test(arguments: [4_000_000_000, 1] as [UInt64]) func pythonReadsWhatWasPacked(large: UInt64) throws {
        let folder = try Self.folder()
        defer { FolderRemoval.remove(folder) }
        let (first, again) = (try Self.pack(folder, large), try Self.pack(folder, large))
        #expect(first == again)
        try Data(first).write(to: URL(fileURLWithPath: folder + "/x.zip"))
        let lines = try Self.files.map { file in
            let digest = try Digest(of: file.content).description
            return
                "\(file.name) \(file.content.count) (1980, 1, 1, 0, 0, 0) 0o100644 \(large == 1 ? 45 : 20) \(digest)\n"
        }
        let output = try #require(DatasetProgram.run(["python3", "-c", Self.reader, folder + "/x.zip"]))
        #expect(output == lines.joined())
    }

    @Test func anEmptyOneIsAnArchive() throws {
        let folder = try Self.folder()
        defer { FolderRemoval.remove(folder) }
        var bytes: [UInt8] = []
        try ZipStream { bytes += $0 }.finish()
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/x.zip"))
        #expect(DatasetProgram.run(["python3", "-c", Self.reader, folder + "/x.zip"]) == "")
    }

    /// 65,535 is where APPNOTE 4.4.21 needs the record of 64 bits.
    @Test(arguments: [65_534, 65_535, 65_536]) func asManyFilesAsThereAreAreRead(count: Int) throws {
        let folder = try Self.folder()
        defer { FolderRemoval.remove(folder) }
        try Data().write(to: URL(fileURLWithPath: folder + "/empty"))
        var bytes: [UInt8] = []
        let zip = ZipStream { bytes += $0 }
        for number in 0..<count { try zip.add("\(number)", file: folder + "/empty") }
        try zip.finish()
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/x.zip"))
        let script = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))"
        #expect(DatasetProgram.run(["python3", "-c", script, folder + "/x.zip"]) == "\(count)\n")
    }

    @Test func whatTheReaderRefusesEndsIt() throws {
        struct Gone: Error {}
        let folder = try Self.folder()
        defer { FolderRemoval.remove(folder) }
        try Data(Self.files[2].content).write(to: URL(fileURLWithPath: folder + "/file"))
        var room = 1000
        let zip = ZipStream { bytes in
            room -= bytes.count
            if room < 0 { throw Gone() }
        }
        #expect(throws: Gone.self) { try zip.add("recordings/x.cwa", file: folder + "/file") }
        #expect(throws: FileError.self) { try zip.add("x", file: folder + "/nothing") }
    }

    private static func pack(_ folder: String, _ large: UInt64) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let zip = ZipStream(large: large) { bytes += $0 }
        for file in files {
            try Data(file.content).write(to: URL(fileURLWithPath: folder + "/file"))
            try zip.add(file.name, file: folder + "/file")
        }
        try zip.finish()
        return bytes
    }

    private static func folder() throws -> String {
        let path = "/tmp/studyd-zip-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try File.makeFolder(path)
        return path
    }
}
