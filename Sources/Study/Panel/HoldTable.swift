// SPDX-License-Identifier: Apache-2.0
import Base

/// The gestures one button makes, by how long it is held. `GestureRecogniser` reads presses by it, and
/// `PressFinder` makes presses by it (`hold(for:)`).
package struct HoldTable: Sendable, Hashable {
    /// From `after` on a release means `gesture`.
    package struct Level: Sendable, Hashable {
        /// Measured from the press; up to the next level's `after` this one holds.
        package let after: Duration
        /// What a release in that time means.
        package let gesture: Gesture
    }
    /// In order of time, the first at zero; empty for a spare button.
    package let levels: [Level]
    /// Previous and next of three buttons: the gesture is made on the press itself and again while it is held.
    package let repeatsFromPress: Bool
    /// The stepping button of two: while a hold is in level 1 (step back), that gesture is repeated, before its
    /// release makes it once more.
    package let repeatsStepBack: Bool
    /// True where the gesture is made on the press itself, because the button has no other.
    package let isImmediate: Bool
    private let times: HoldTimes

    /// The hold before the first repetition. These times are for usual hands; `times` stretches them.
    package static let repeatDelay: Duration = .milliseconds(600)
    /// Between repetitions.
    package static let repeatPeriod: Duration = .milliseconds(200)
    /// The hold before the first repetition of a button that is held to step back: its level,
    /// and time to let go.
    package static let heldRepeatDelay: Duration = .milliseconds(1_100)
    /// A press with a lost release stops repeating here.
    package static let repeatLimit = 200
    /// The most repetitions that one hold makes of a step back on two buttons.
    static let mostHeldRepeats = 9

    package init(_ role: Panel.Role, _ times: HoldTimes) {
        func levels(_ pairs: (Int, Gesture)...) -> [Level] {
            pairs.map { Level(after: times.stretched(.milliseconds($0.0)), gesture: $0.1) }
        }
        self.times = times
        switch role {
        case .only:
            self.levels = levels((0, .next), (600, .select), (1_500, .undo), (3_000, .menu), (6_000, .cancel))
        case .step: self.levels = levels((0, .next), (600, .previous), (3_000, .cancel))
        case .choose, .select:
            self.levels = levels((0, .select), (800, .undo), (2_500, .menu), (6_000, .cancel))
        case .previous: self.levels = levels((0, .previous))
        case .next: self.levels = levels((0, .next))
        case .undo: self.levels = levels((0, .undo))
        case .menu: self.levels = levels((0, .menu))
        case .task(let key): self.levels = levels((0, .task(key)))
        case .spare, .marker: self.levels = []
        }
        repeatsFromPress = role == .previous || role == .next
        // `levels[1]` steps back and repeats, `levels[2]` ends that: the users of `repeatsStepBack` rely on the
        // three.
        repeatsStepBack = role == .step
        isImmediate = self.levels.count == 1
    }

    /// The hold before the repetition of that number, from 1, of a button that repeats.
    func repeatTime(_ number: Int) -> Duration { times.stretched(Self.repeatDelay + Self.repeatPeriod * (number - 1)) }

    /// As `repeatTime`, of a button that is held to step back.
    func heldRepeatTime(_ number: Int) -> Duration {
        times.stretched(Self.heldRepeatDelay + Self.repeatPeriod * (number - 1))
    }

    /// How many repetitions move `distance` places at most, where the press itself (0) and each repetition move
    /// `stride` of their number; and how far they move.
    static func repeats(within distance: Int, stride: (Int) -> Int) -> (count: Int, moved: Int) {
        var (count, moved) = (0, stride(0))
        while moved + stride(count + 1) <= distance, count < repeatLimit - 1 {
            count += 1
            moved += stride(count)
        }
        return (count, moved)
    }

    /// The level a hold of that length has reached: 0 for a tap.
    package func level(of held: Duration) -> Int {
        levels.lastIndex { $0.after <= held } ?? 0
    }

    /// How long to hold for this many repetitions of `gesture`, which is one of this button's (see
    /// `hold(for:)`); nil where it does not repeat it, or not so often.
    package func hold(for gesture: Gesture, repeats: Int) -> Duration? {
        let half = times.stretched(Self.repeatPeriod) / 2
        if repeatsFromPress { return repeatTime(repeats) + half }
        guard repeatsStepBack, levels[1].gesture == gesture else { return nil }
        let hold = heldRepeatTime(repeats) + half
        return hold < levels[2].after ? hold : nil
    }

    /// The shortest hold that opens the menu (or, still longer, does nothing); nil where no hold of this button
    /// does.
    var menuHold: Duration? { isImmediate ? nil : levels.first { $0.gesture == .menu }?.after }

    /// How long to hold for `gesture`: well inside its level. Nil where this button
    /// does not make it.
    package func hold(for gesture: Gesture) -> Duration? {
        guard let index = levels.firstIndex(where: { $0.gesture == gesture }) else { return nil }
        if index == 0 { return .milliseconds(120) }
        if repeatsStepBack, index == 1 { return (levels[index].after + heldRepeatTime(1)) / 2 }
        guard index + 1 < levels.count else { return levels[index].after + .milliseconds(400) }
        return (levels[index].after + levels[index + 1].after) / 2
    }
}
