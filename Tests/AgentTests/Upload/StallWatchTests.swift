// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

@Suite struct StallWatchTests {
    private func seconds(_ value: Int64) -> MonotonicTime { .zero + .seconds(value) }

    private func firstStall(_ bytesPerSecond: (Int64) -> Int64) -> Int64? {
        var watch = StallWatch(HTTPLimits())
        return (0..<300).first { watch.update(moved: bytesPerSecond($0), at: seconds($0)) }
    }

    @Test func tenBytesASecondAreEnoughAndNineAreNot() {
        #expect(firstStall { $0 * 10 } == nil)
        #expect(firstStall { $0 * 9 } == 30)
        #expect(firstStall { min($0, 100) * 1000 } == 150, "the second whole time without anything")
        #expect(firstStall { _ in 5 } == 30)
    }

    /// libcurl's counters begin at zero for each request of a transfer, after a redirect or a 417.
    @Test func aBodyThatIsSentAgainIsNoStall() {
        #expect(firstStall { $0 < 59 ? $0 * 100_000 : ($0 - 59) * 1000 } == nil)
        #expect(firstStall { $0 < 59 ? $0 * 100_000 : 0 } == 89, "from then on")
    }
}
