// SPDX-License-Identifier: Apache-2.0
import Agent
import Synchronization

/// Snapshots that the agent's loop has published and the demo has not printed yet. Any thread may put
/// and drain; of more than 1024 the oldest are dropped.
final class SnapshotQueue: Sendable {
    private let waiting = Mutex<[AgentSnapshot]>([])
    private static let most = 1_024

    func put(_ snapshot: AgentSnapshot) {
        waiting.withLock { waiting in
            waiting.append(snapshot)
            if waiting.count > Self.most { waiting.removeFirst() }
        }
    }

    func drain() -> [AgentSnapshot] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
