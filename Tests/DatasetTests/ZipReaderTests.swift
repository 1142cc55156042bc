// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Dataset

/// Archives by Python's `zipfile`, as they are and damaged.
struct ZipReaderTests {
    private static func archive(_ options: String, _ more: String = "") throws -> [UInt8] {
        let path = "/tmp/studyd-zip-\(getpid())-\(UInt32.random(in: 0 ... .max)).zip"
        defer { unlink(path) }
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], "w", \(options)) as archive:
                archive.writestr("a.json", "first " * 1000)
                archive.writestr("folder/b.json", b"")
                \(more)
            """
        try #require(DatasetProgram.run(["python3", "-c", script, path]) != nil)
        return try BoundedFile.read(path)
    }

    private static let first = Array(String(repeating: "first ", count: 1000).utf8)

    @Test(arguments: ["zipfile.ZIP_STORED", "zipfile.ZIP_DEFLATED", "zipfile.ZIP_DEFLATED, compresslevel=9"])
    func whatWasPackedIsRead(options: String) throws {
        let zip = try #require(ZipReader(try Self.archive(options, "archive.comment = b'PK and more' * 9")))
        #expect(zip.contents(of: "a.json", limit: 6000) == Self.first)
        #expect(zip.contents(of: "folder/b.json", limit: 0) == [])
        #expect(zip.contents(of: "c.json", limit: 9) == nil && zip.contents(of: "a.json", limit: 5999) == nil)
    }

    @Test func whatIsPackedInAnotherWayIsNotRead() throws {
        let zip = try #require(ZipReader(try Self.archive("zipfile.ZIP_BZIP2")))
        #expect(zip.contents(of: "a.json", limit: 9000) == nil)
    }

    /// No byte that is changed gives other contents than those that were packed, and none ends the
    /// program.
    @Test func aChangedByteGivesNothingOrTheSame() throws {
        let bytes = try Self.archive("zipfile.ZIP_DEFLATED")
        for place in bytes.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[place] ^= change
                guard let found = ZipReader(changed)?.contents(of: "a.json", limit: 1 << 20) else { continue }
                #expect(found == Self.first, "byte \(place)")
            }
        }
        for length in bytes.indices where ZipReader(Array(bytes.prefix(length))) != nil {
            #expect(ZipReader(Array(bytes.prefix(length)))?.contents(of: "a.json", limit: 9000) == nil)
        }
    }

    /// One that says it is small, and is not.
    @Test func anEntryThatGrowsBeyondItsSizeIsNotRead() throws {
        var bytes = try Self.archive("zipfile.ZIP_DEFLATED")
        let directory = try #require(
            (0..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual([0x50, 0x4B, 1, 2]) })
        bytes[directory + 24] = 1
        bytes[directory + 25] = 0
        #expect(ZipReader(bytes)?.contents(of: "a.json", limit: 1 << 20) == nil)
    }
}
