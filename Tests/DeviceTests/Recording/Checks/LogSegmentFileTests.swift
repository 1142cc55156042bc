// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

/// Segments as docs/delivery.md has them, of rows without their bodies.
@Suite struct LogSegmentFileTests {
    private static func segment(
        _ rows: ClosedRange<Int>, of log: String = "a", kind: String = "k"
    ) throws -> LogSegmentFile {
        var hashes = [[UInt8](repeating: 0, count: 32)]
        for row in 1...rows.upperBound {
            let fields = ["\(row)", "e", "0", "0", "b", "0", kind, "5ea1"].map { "\($0.utf8.count):\($0)," }.joined()
            hashes.append(try FileDigest.bytes(hashes[row - 1] + Array(fields.utf8)))
        }
        let lines = rows.map {
            #"{"row":\#($0),"enrolment":"e","wall":0,"monotonic":0,"boot":"b","offset":0,"kind":"\#(kind)","seal":"5ea1"}"#
        }
        let rest = ([#"{"prompts":[]}"#] + lines).joined(separator: "\n")
        let ends = #""first":\#(rows.lowerBound),"last":\#(rows.upperBound)"#
        let (previous, hash) = (hashes[rows.lowerBound - 1].hexadecimal, hashes[rows.upperBound].hexadecimal)
        let digest = try FileDigest.sha256(Array(rest.utf8))
        let head =
            #"{"format":"studyd-log","version":1,"log":"\#(log)",\#(ends),"previous":"\#(previous)","hash":"\#(hash)","sha256":"\#(digest)"}"#
        return try LogSegmentFile(Array("\(head)\n\(rest)".utf8), of: "x.jsonl.gz")
    }

    @Test func aCopyHasTheSameRowsOfTheSameLog() throws {
        let segment = try Self.segment(1...2)
        #expect(try segment.isCopy(of: Self.segment(1...2)))
        for other in try [
            Self.segment(2...2), Self.segment(1...3), Self.segment(1...2, of: "b"), Self.segment(1...2, kind: "l"),
        ] {
            #expect(!segment.isCopy(of: other), "\(other.numbers) of \(other.log)")
        }
    }
}
