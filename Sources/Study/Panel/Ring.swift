// SPDX-License-Identifier: Apache-2.0

/// Places in a circle, walked by `next` and `previous`: after the last comes the first. Questions, the list and
/// the menus are walked so.
struct Ring: Sendable, Hashable {
    let count: Int
    private(set) var index: Int

    init(count: Int, at index: Int = 0) {
        self.count = max(count, 1)
        self.index = min(max(index, 0), self.count - 1)
    }

    /// Moves, and says whether the gesture was a move.
    mutating func move(_ gesture: Gesture) -> Bool {
        switch gesture {
        case .next: index = (index + 1) % count
        case .previous: index = (index + count - 1) % count
        default: return false
        }
        return true
    }

    /// The press with which a scripted participant goes the shorter way to `target`; `select` once there.
    func press(to target: Int, layout: Panel.Layout) -> Press {
        if target == index { return Press(.select) }
        let ahead = (target - index + count) % count
        // With two buttons going back is a hold, which takes as long as three taps.
        let back = (count - ahead) * (layout == .two ? 3 : 1)
        return Press(layout == .one || ahead <= back ? .next : .previous)
    }
}
