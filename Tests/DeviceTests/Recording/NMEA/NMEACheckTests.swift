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
}
