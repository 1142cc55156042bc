// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Database

/// stat(2) and truncate(2) are the facts.
@Suite struct MappedIndexTests {
    private func atPath(_ body: (String) throws -> Void) throws {
        let path = "/tmp/studyd-index-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        try body(path)
    }

    private func size(_ path: String) -> off_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : nil
    }

    @Test func aFileThatWasCutIsAsLongAgain() throws {
        try atPath { path in
            var index = MappedIndex(path)
            let wasCut = index.restore()
            #expect(!wasCut && size(path) == nil)
            try AtomicFile.write([1, 2, 3], toNamed: path)
            for (cut, isCut, length) in [(3, false, 3), (2, true, 3), (3, false, 3), (5, false, 5), (0, true, 5)] {
                truncate(path, off_t(cut))
                let isRestored = index.restore()
                #expect(isRestored == isCut && size(path) == off_t(length), "\(cut)")
            }
            unlink(path)
            let isRestored = index.restore()
            #expect(!isRestored && size(path) == nil)
        }
    }

    /// What another program put there is its own.
    @Test func anotherFileInItsPlaceIsLeftAlone() throws {
        try atPath { path in
            try AtomicFile.write([1, 2, 3], toNamed: path)
            var index = MappedIndex(path)
            _ = index.restore()
            // Made beside the first and renamed: another inode.
            try AtomicFile.write([4], toNamed: path)
            let isRestored = index.restore()
            #expect(!isRestored && size(path) == 1)
        }
    }
}
