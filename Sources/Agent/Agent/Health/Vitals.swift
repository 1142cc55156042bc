// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Who has made no progress for longer than they may. Pure.
struct Vitals: Sendable {
    enum Role: Sendable, Hashable { case loop, recorder, measuring }

    /// How far somebody has come.
    struct Sign: Sendable, Hashable {
        let name: String
        let role: Role
        let answers: Int
        let bound: Duration
        /// The kernel's number of the thread; 0 where it is not known.
        let threadID: CInt

        init(_ name: String, _ role: Role, _ answers: Int, bound: Duration, threadID: CInt = 0) {
            (self.name, self.role, self.answers, self.bound, self.threadID) = (name, role, answers, bound, threadID)
        }

        init(_ sign: LifeSign, _ role: Role, bound: Duration) {
            self.init(sign.name, role, sign.answers, bound: bound, threadID: sign.threadID)
        }
    }

    private var seen: [String: (answers: Int, since: MonotonicTime)] = [:]

    /// Those who have been silent for longer than they may, in the order given.
    private(set) var stuck: [Sign] = []
    /// Those who have made no progress since the last look; they want to be asked.
    private(set) var silent: Set<String> = []

    /// Takes how far everybody has come; whoever is new has come that far now.
    mutating func check(_ signs: [Sign], at now: MonotonicTime) {
        silent = Set(signs.filter { seen[$0.name]?.answers == $0.answers }.map(\.name))
        var next: [String: (answers: Int, since: MonotonicTime)] = [:]
        for sign in signs {
            let isSilent = silent.contains(sign.name)
            next[sign.name] = (sign.answers, isSilent ? seen[sign.name]?.since ?? now : now)
        }
        seen = next
        stuck = signs.filter { sign in seen[sign.name].map { now - $0.since > sign.bound } ?? false }
    }
}
