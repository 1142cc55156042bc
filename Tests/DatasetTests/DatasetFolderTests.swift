// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Testing

@testable import Dataset

struct DatasetFolderTests {
    private static func date(_ path: String, _ seconds: Int) -> Bool {
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        return utimensat(AT_FDCWD, path, [time, time], 0) == 0
    }

    /// The export after it was interrupted before it came to that file: its list is newer than the change.
    @Test func whatWasChangedStaysChangedForTheNextExport() throws {
        let path = "/tmp/studyd-dataset-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try DatasetFolder(path)
        for name in ["a.txt", "b.txt"] { try first.write("whole", to: name) }
        try first.finish()
        for (name, time) in [("a.txt", 3_000), (".studyd-dataset", 2_000), ("b.txt", 1_000)] {
            #expect(Self.date("\(path)/\(name)", time))
        }
        for _ in 0..<2 {
            let next = try DatasetFolder(path)
            #expect(next.unchanged("a.txt") == nil && next.unchanged("b.txt")?.bytes == 5)
            try next.write("more", to: "c.txt")
            try next.save()
        }
        let last = try DatasetFolder(path)
        try last.write("whole", to: "b.txt")
        try last.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [".studyd-dataset", "b.txt"])
    }
}
