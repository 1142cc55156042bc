// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Finds threads that hang: their heartbeat has not counted on for longer than its `bound`. `AgentWatch` calls
/// `check` before it lets the watchdog be fed, and `RestartRule` decides about the `stuck` ones. Pure.
struct HangDetector: Sendable {
    /// By the thread's name: the last count, and when it was seen first.
    private var seen: [String: (count: Int, since: MonotonicTime)] = [:]

    /// Those that hang at the last check, in the order given to it.
    private(set) var stuck: [ThreadHeartbeat] = []
    /// The names of those without progress since the check before, hanging or not. A thread that only waits is among
    /// them: it counts on once `WatchedThreads` has asked it.
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

/// How far a thread has come, as `WatchedThreads` reads it: it hangs while `count` does not change.
struct ThreadHeartbeat: Sendable, Hashable {
    enum Role: Sendable, Hashable { case loop, recorder, measuring }

    let name: String
    let role: Role
    let count: Int
    /// How long `count` may stay the same.
    let bound: Duration
    /// The kernel's number of the thread; 0 where it is not known.
    let threadID: CInt

    init(_ name: String, _ role: Role, count: Int, bound: Duration, threadID: CInt = 0) {
        (self.name, self.role, self.count, self.bound, self.threadID) = (name, role, count, bound, threadID)
    }

    init(_ probe: LivenessProbe, _ role: Role, bound: Duration) {
        self.init(probe.name, role, count: probe.turns, bound: bound, threadID: probe.threadID)
    }
}
