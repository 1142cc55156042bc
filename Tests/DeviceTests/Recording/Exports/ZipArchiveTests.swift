// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device

/// Archives as Python's `zipfile` reads them.
@Suite struct ZipArchiveTests {
    /// What failed half-way is not there, and everything before and behind it is whole.
    @Test func anEntryThatFailsLeavesNothing() throws {
        var zip = ZipArchive(at: LocalDateTime(LocalDate(daysSinceEpoch: 20_000), .midnight))
        try zip.add("first", Array("one".utf8))
        let size = zip.size
        for isDeflated in [true, false] {
            #expect(throws: FileError.self) {
                try zip.add("broken", isDeflated: isDeflated) { output throws(FileError) in
                    for _ in 0..<20_000 { output.text("some twenty bytes...") }
                    try output.drain()
                    throw FileError.format(path: "broken", problem: "ends here")
                }
            }
            #expect(zip.size == size)
        }
        try zip.add("last", Array("two".utf8), isDeflated: false)
        let path = "/tmp/studyd-zip-\(getpid()).zip"
        defer { unlink(path) }
        try File(path, .replace).write(zip.finish(), at: 0)
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
            assert [(n, z.read(n)) for n in z.namelist()] == [("first", b"one"), ("last", b"two")], z.namelist()
            """
        #expect(system("python3 -c '\(script)' \(path)") == 0)
    }
}
