// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Device

@Suite struct TextLinesTests {
    /// However a file is cut, all is given that can be known of it, as much as Python's zlib gives. It is one
    /// that expands to more than is inflated at a time, so that some cut lies where what is inflated fills up.
    @Test(.enabled(if: Python.has("zlib"))) func aCutFileGivesAllThatItHolds() throws {
        let line = [UInt8](repeating: 0x61, count: 999) + [0x0A]
        let bench = Workbench()
        let whole = try GzipFile.compressed((0..<70).flatMap { _ in line })
        try bench.write("whole.gz", whole)
        let script = """
            import sys, zlib
            data = open(sys.argv[1], "rb").read()
            for end in range(len(data) + 1): print(len(zlib.decompressobj(31).decompress(data[:end])))
            """
        let lengths = try #require(Python.run(script, ["\(bench.path)/whole.gz"])).compactMap { Int($0) }
        #expect(lengths.count == whole.count + 1 && lengths.last == 70_000)
        for (end, length) in lengths.enumerated() where end % 16 == 0 || length > 65_000 {
            try bench.write("cut.gz", Array(whole[..<end]))
            let lines = try TextLines(File("\(bench.path)/cut.gz", .read), isCompressed: true)
            var held = 0
            while let line = try lines.next() { held += line.count + (lines.isTorn ? 0 : 1) }
            #expect(held == length, "\(end) of \(whole.count) bytes")
        }
    }
}
