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
        silent = Set(heartbeats.filter { seen[$0.name]?.count == $0.count }.map(\.name))
        var next: [String: (count: Int, since: MonotonicTime)] = [:]
        for heartbeat in heartbeats {
            let isSilent = silent.contains(heartbeat.name)
            next[heartbeat.name] = (heartbeat.count, isSilent ? seen[heartbeat.name]?.since ?? now : now)
        }
        seen = next
        stuck = heartbeats.filter { beat in seen[beat.name].map { now - $0.since > beat.bound } ?? false }
    }
}
