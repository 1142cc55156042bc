// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study
@testable import studyd_tools

@Suite struct SnapshotQueueTests {
    private static func seconds(_ queue: SnapshotQueue) -> [Int64] {
        queue.drain().map { $0.now.monotonic.nanoseconds / 1_000_000_000 }
    }

    /// Of more than 1024 that nothing has taken the oldest are gone.
    @Test(arguments: [0, 1, 2, 1_023, 1_024, 1_025, 1_100])
    func theLatestAreKeptInTheirOrderAndGivenOnce(count: Int) {
        let queue = SnapshotQueue()
        for second in 0..<count {
            queue.put(
                AgentSnapshot(
                    conductor: nil, effects: [], now: Moment(instant: .epoch, monotonic: at(Double(second)))))
        }
        #expect(Self.seconds(queue) == Array((0..<Int64(count)).suffix(1_024)))
        #expect(Self.seconds(queue) == [])
    }
}
