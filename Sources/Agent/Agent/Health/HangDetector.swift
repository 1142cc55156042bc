// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Finds threads that hang: their heartbeat has not counted on for longer than its `bound`. Pure.
struct HangDetector: Sendable {
    private var seen: [String: (count: Int, since: MonotonicTime)] = [:]

    /// In the order given.
    private(set) var stuck: [ThreadHeartbeat] = []
    /// Without progress since the last check. A thread that only waits is among them: it counts on once
    /// `LifeSigns` has asked it.
    private(set) var silent: Set<String> = []

    /// Takes the heartbeats of all threads; a new one counts from now.
    mutating func check(_ heartbeats: [ThreadHeartbeat], at now: MonotonicTime) {
        var next: [String: (count: Int, since: MonotonicTime)] = [:]
        (silent, stuck) = ([], [])
        for heartbeat in heartbeats {
            var since = now
            if let former = seen[heartbeat.name], former.count == heartbeat.count {
                silent.insert(heartbeat.name)
                since = former.since
            }
            next[heartbeat.name] = (heartbeat.count, since)
            if now - since > heartbeat.bound { stuck.append(heartbeat) }
        }
        seen = next
    }
}
