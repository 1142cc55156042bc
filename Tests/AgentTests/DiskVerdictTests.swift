// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

private let subject = CheckSubject(.disk, "x")

@Suite struct DiskVerdictTests {
    private static func finding(
        _ megabytes: Int64, floor: Int64 = 256, speed: Double? = 2e7, sync: Duration = .milliseconds(20)
    ) -> CheckFinding {
        DiskVerdict(free: megabytes << 20, floor: floor << 20, speed: speed, slowestSync: sync).finding(subject)
    }

    /// Below 256 MiB, or a twentieth of a small disk, retention removes what was not delivered.
    @Test(arguments: [
        (255, 256, CheckFinding.Result.failed), (256, 256, .warning), (60, 51, .warning), (50, 51, .failed),
    ]) func wherePastRecordingsGoTheCheckFails(free: Int64, floor: Int64, result: CheckFinding.Result) {
        #expect(Self.finding(free, floor: floor).result == result)
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
