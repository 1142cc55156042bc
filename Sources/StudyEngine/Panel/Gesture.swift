// SPDX-License-Identifier: Apache-2.0
import Times

/// What a participant means by a press.
public enum Gesture: Sendable, Hashable {
    case previous, next, select, undo, menu
    /// A hold longer than any other: a way out of a press that was not meant. Nothing happens.
    case cancel
    /// A button bound to the task of that key.
    case task(String)
}

/// The gestures one button makes, by how long it is held.
public struct HoldTable: Sendable, Hashable {
    /// From `after` on a release means `gesture`.
    public struct Level: Sendable, Hashable {
        /// Measured from the press; up to the next level's `after` this one holds.
        public let after: Duration
        /// What a release in that time means.
        public let gesture: Gesture

        /// A level that begins after that hold.
        public init(after: Duration, gesture: Gesture) {
            self.after = after
            self.gesture = gesture
        }
    }
    /// In order of time, the first at zero; empty for a spare button.
    public let levels: [Level]
    /// True where the gesture is made on the press itself and again while it is held.
    public let repeats: Bool
    /// True where the gesture is made on the press itself.
    public let isImmediate: Bool

    /// The hold before the first repetition.
    public static let repeatDelay: Duration = .milliseconds(600)
    /// Between repetitions.
    public static let repeatPeriod: Duration = .milliseconds(200)
    /// A press whose release was lost ends repeating here.
    public static let repeatLimit = 200

    /// The table of a role.
    public init(_ role: Panel.Role) {
        func levels(_ pairs: (Int, Gesture)...) -> [Level] {
            pairs.map { Level(after: .milliseconds($0.0), gesture: $0.1) }
        }
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
        case .spare: self.levels = []
        }
        repeats = role == .previous || role == .next
        isImmediate = self.levels.count == 1
    }

    /// The level a hold of that length has reached: 0 for a tap.
    public func level(of held: Duration) -> Int {
        max((levels.lastIndex { $0.after <= held }) ?? 0, 0)
    }

    /// How long to hold for `gesture`: well inside its level. Nil where this button does not make it.
    public func hold(for gesture: Gesture) -> Duration? {
        guard let index = levels.firstIndex(where: { $0.gesture == gesture }) else { return nil }
        if index == 0 { return .milliseconds(120) }
        guard index + 1 < levels.count else { return levels[index].after + .milliseconds(400) }
        return (levels[index].after + levels[index + 1].after) / 2
    }
}

extension Panel.Layout {
    /// The gesture that says yes.
    var yes: Gesture { self == .three ? .next : .select }
    /// The gesture that says no.
    var no: Gesture { self == .three ? .previous : .next }
}
