// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

private let subject = CheckSubject(.disk, "x")

@Suite struct DiskVerdictTests {
    private static func finding(_ megabytes: Int64, speed: Double? = 2e7, sync: Duration = .milliseconds(20))
        -> CheckFinding
    {
        DiskVerdict(free: megabytes << 20, speed: speed, slowestSync: sync).finding(subject)
    }

    @Test func spaceAndSpeedDecide() {
        #expect(
            Self.finding(4096).result == .ok
                && Self.finding(4096).detail == "20.0 MB/s, longest sync 20 ms, 4294 MB free")
        #expect(Self.finding(4096, speed: 2e5).result == .warning)
        #expect(Self.finding(4096, sync: .seconds(11)).result == .warning)
        #expect(Self.finding(300).result == .warning)
        #expect(Self.finding(40).result == .failed && Self.finding(4096, speed: nil).result == .failed)
    }
}
