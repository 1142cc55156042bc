// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// How far a thread has come: it hangs while `count` does not change.
struct ThreadHeartbeat: Sendable, Hashable {
    enum Role: Sendable, Hashable { case loop, recorder, measuring }

    let name: String
    let role: Role
    let count: Int
    /// For how long `count` may stay the same.
    let bound: Duration
    /// The kernel's number of the thread; 0 where it is not known.
    let threadID: CInt

    init(_ name: String, _ role: Role, count: Int, bound: Duration, threadID: CInt = 0) {
        (self.name, self.role, self.count, self.bound, self.threadID) = (name, role, count, bound, threadID)
    }

    init(_ probe: LivenessProbe, _ role: Role, bound: Duration) {
        self.init(probe.name, role, count: probe.answers, bound: bound, threadID: probe.threadID)
    }
}
