// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Who has made no progress for longer than they may. Pure.
struct Vitals: Sendable {
    private var seen: [String: (count: Int, since: MonotonicTime)] = [:]

    /// Those who have been silent for longer than they may, in the order given.
    private(set) var stuck: [ThreadHeartbeat] = []
    /// Those who have made no progress since the last look; they want to be asked.
    private(set) var silent: Set<String> = []

    /// Takes the progress of all; a new one counts from now.
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
