// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base
@testable import Device

/// What `recordings verify` says of a log, and how much of it is the receiver's.
@Suite struct NMEACheckTests {
    private static let void = "GPRMC,,V,,,,,,,,,,N"

    private static func log(_ bodies: [String]) -> [UInt8] { bodies.flatMap { NMEAFraming.bytes($0) } }

    private static func check(_ content: [UInt8]) throws -> ContentCheck {
        let bench = Workbench()
        try bench.write("x.nmea", content)
        var found = ContentCheck()
        try found.checkSentences(TextLines(File(bench.path + "/x.nmea", .read), isCompressed: false))
        return found
    }

    @Test(arguments: [
        ("110.000000,2026-11-21T09:00:10Z", ""), ("110.000000,", ""), ("110.000000,soon", "damaged $PSTDY lines: 1"),
        ("90.000000,2026-11-21T08:59:50Z", "$PSTDY times going backwards: 1"),
        ("110.000000,2026-11-21T09:00:12Z", "$PSTDY times that contradict their uptimes: 1"),
    ])
    func theTwoClocksGoOnAndAlike(epoch: String, problem: String) throws {
        let content = Self.log(["PSTDY,E,100.000000,2026-11-21T09:00:00Z", Self.void, "PSTDY,E,\(epoch)", Self.void])
        #expect(try Self.check(content).problems == (problem.isEmpty ? [] : [problem]))
    }

    /// More than 64 KiB in one line are read in parts.
    @Test(arguments: [0, 65_535, 65_536, 65_537, 200_000])
    func aLongLineInTheMiddleDoesNotMakeTheLastOneTorn(count: Int) throws {
        let stretch = [UInt8](repeating: 0xB5, count: count) + [0x0A]
        let content = Self.log(["PSTDY,E,100.000000,", Self.void]) + stretch + Self.log([Self.void])
        let found = try Self.check(content)
        #expect(found.problems == [] && found.stored == content.count - Self.log(["PSTDY,E,100.000000,"]).count)
        #expect(try Self.check(Array(content.dropLast(2))).problems == ["the last line is truncated"])
    }
}
