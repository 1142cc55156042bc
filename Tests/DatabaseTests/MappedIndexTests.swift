// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Database

@Suite struct MappedIndexTests {
    private func atPath(_ body: (String) throws -> Void) throws {
        let path = "/tmp/studyd-index-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        try body(path)
    }

    private func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : -1
    }

    @Test func whatWasCutIsAsLongAsItWasAndHoldsZeros() throws {
        try atPath { path in
            var index = MappedIndex(path)
            func isRestored() -> Bool { index.restore() }
            #expect(!isRestored(), "there is none yet")
            try AtomicFile.write([UInt8](repeating: 7, count: 100), toNamed: path)
            #expect(!isRestored() && !isRestored())
            for (cut, length) in [(99, 100), (50, 100), (0, 100), (200, 200), (199, 200)] {
                #expect(truncate(path, cut) == 0)
                #expect(isRestored() == (cut < length), "\(cut)")
                #expect(size(path) == length)
                #expect(!isRestored(), "\(cut)")
            }
            #expect(try BoundedFile.read(path) == [UInt8](repeating: 0, count: 200))
        }
    }

    /// Another file of that name is another index.
    @Test func whatWasReplacedIsLeftAlone() throws {
        try atPath { path in
            var index = MappedIndex(path)
            func isRestored() -> Bool { index.restore() }
            try AtomicFile.write([UInt8](repeating: 7, count: 100), toNamed: path)
            #expect(!isRestored())
            // In its place before it is gone, so that it has another inode.
            try AtomicFile.write([UInt8](repeating: 8, count: 10), toNamed: path)
            #expect(!isRestored() && size(path) == 10)
            unlink(path)
            #expect(!isRestored() && size(path) == -1)
        }
    }
}
