// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Dataset

struct PieceFileTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "/tmp/studyd-pieces-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { FolderRemoval.remove(folder) }
        try body(folder)
    }

    private static func bytes(_ sizes: [Int]) -> [[UInt8]] {
        var next = 0
        return sizes.map { size in
            defer { next += size }
            return (next..<next + size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        }
    }

    /// A piece has 64 KiB: what is shorter waits for more, and nothing overtakes it.
    @Test(arguments: [
        [], [0], [1], [65_535], [65_536], [65_537], [1, 65_536], [1, 65_535], [65_535, 1], [65_535, 2],
        [65_536, 1, 65_536], [1, 200_000, 1], [0, 65_536, 0],
    ]) func whatIsWrittenIsThereInItsOrder(sizes: [Int]) throws {
        try Self.withFolder { folder in
            let (pieces, path) = (Self.bytes(sizes), folder + "/made/here.csv")
            let file = try PieceFile(path, earlier: nil)
            for piece in pieces { try file.write(piece) }
            #expect(access(path, F_OK) != 0, "it takes its place when it is whole")
            let (entry, isNew) = try file.finish()
            let whole = pieces.flatMap { $0 }
            #expect(try BoundedFile.read(path) == whole)
            #expect(try entry.bytes == whole.count && entry.sha256 == Digest(of: whole).description && isNew)
        }
    }

    /// Of the same content, of another, and of the same that was changed or lost since.
    @Test(arguments: [("same", false), ("other", true), ("changed", true), ("lost", true)])
    func whatIsThereAlreadyIsNotWrittenAgain(state: String, isWritten: Bool) throws {
        try Self.withFolder { folder in
            let path = folder + "/a.csv"
            func write(_ text: String, _ earlier: DatasetFolder.Entry?, isDigested: Bool = true) throws
                -> (entry: DatasetFolder.Entry, isNew: Bool)
            {
                let file = try PieceFile(path, earlier: earlier, isDigested: isDigested)
                try file.write(Array(text.utf8))
                return try file.finish()
            }
            let first = try write("a,b\n", nil)
            if state == "changed" { try AtomicFile.write(Array("A,b\n".utf8), to: path) }
            if state == "lost" { unlink(path) }
            let text = state == "other" ? "a,c\n" : "a,b\n"
            let second = try write(text, first.entry)
            #expect(second.isNew == isWritten)
            #expect(try BoundedFile.read(path) == Array(text.utf8))
            // What nothing compares is written each time.
            let (plain, again) = (try write(text, nil, isDigested: false), try write(text, nil, isDigested: false))
            #expect(try plain.isNew && write(text, again.entry, isDigested: false).isNew)
        }
    }
}
