// SPDX-License-Identifier: Apache-2.0
import Base

/// The puzzle itself, for `TowerOfHanoiStep`: three towers, one choice at a time. Pure. Source: ResearchKit's
/// tower of Hanoi step.
///
/// ```
///             tower t                          another tower: legal ─▶ moved
///  no donor ───────────▶ donor t chosen ───────────────────────────▶ no donor
///     ▲                       │  └── illegal: the choice stays, not counted as a move
///     └──── the same tower ───┘
/// ```
/// An empty tower can be chosen, as in ResearchKit: nothing can be moved from it, and the same
/// press takes the choice back.
package struct TowerOfHanoi: Sendable {
    package enum Choice: Sendable, Hashable { case chosen, cleared, moved, illegal, solved, over }

    /// Disks of each tower, the lowest first; 1 is the smallest.
    package private(set) var towers: [[Int]]
    /// The tower chosen to be taken from.
    package private(set) var donor: Int?
    private let disks: Int
    private var moves: [HanoiRecord.Move] = []
    private var illegalMoves = 0
    private var first: MonotonicTime?

    package init(_ rules: TowerOfHanoiRules) {
        disks = rules.disks
        towers = [Array((1...max(rules.disks, 1)).reversed()), [], []]
    }

    /// All disks lie on the last tower.
    package var isSolved: Bool { towers[2].count == disks }

    /// Chooses tower 0, 1 or 2; other numbers do nothing.
    package mutating func choose(_ tower: Int, at time: MonotonicTime) -> Choice {
        guard !isSolved, towers.indices.contains(tower) else { return .over }
        guard let donor else {
            donor = tower
            return .chosen
        }
        guard donor != tower else {
            self.donor = nil
            return .cleared
        }
        return move(from: donor, to: tower, at: time)
    }

    /// Takes a choice of a donor back.
    package mutating func clearChoice() { donor = nil }

    package var record: HanoiRecord {
        HanoiRecord(disks: disks, moves: moves, illegalMoves: illegalMoves, isSolved: isSolved)
    }

    private mutating func move(from donor: Int, to tower: Int, at time: MonotonicTime) -> Choice {
        guard let disk = towers[donor].last, disk < towers[tower].last ?? .max else {
            illegalMoves += 1
            return .illegal
        }
        towers[donor].removeLast()
        towers[tower].append(disk)
        self.donor = nil
        let first = first ?? time
        self.first = first
        moves.append(HanoiRecord.Move(time: time - first, donor: donor, recipient: tower))
        return isSolved ? .solved : .moved
    }

    /// The next legal move of the shortest way from here to the last tower; nil once solved.
    package var nextMove: (donor: Int, recipient: Int)? {
        var target = 2
        var next: (Int, Int)?
        for disk in stride(from: disks, to: 0, by: -1) {
            guard let place = towers.firstIndex(where: { $0.contains(disk) }), place != target else { continue }
            next = (place, target)
            // It can move once all smaller disks lie on the third tower, neither `place` nor `target`.
            target = 3 - place - target
        }
        return next
    }
}
