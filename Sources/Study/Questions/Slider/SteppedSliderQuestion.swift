// SPDX-License-Identifier: Apache-2.0

/// A slider on a panel that can step both ways at once: `SliderKind` makes it, and `TaskRun` drives it.
///
/// ```
///  not moved (in the middle, or where the study proposes) ── next, previous ──▶ moved ⟲ next, previous; held: faster
///   │ select                                         │ select
///   ▼                                                ▼
///  left out                                        answered
///
///  undo: moved ──▶ not moved ──▶ back
/// ```
package struct SteppedSliderQuestion: QuestionMachine {
    /// From this repetition on a hold moves by tenths of the scale; on a scale of more than 20 places sooner.
    static let coarseFrom = 6
    private static let coarseFromOnLong = 2
    /// Up to this many places away single presses are quicker than a hold.
    private static let nearby = 5

    private let scale: SliderScale
    private var place: Int
    private var hasMoved = false

    package init(_ format: SliderFormat) {
        scale = SliderScale(format)
        place = scale.start
    }

    /// The arrows of the diagram; holding next or previous goes on, and after a while by
    /// tenths of the scale.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, let repeats) = event else { return [] }
        switch gesture {
        case .next: return move(by: stride(repeats))
        case .previous: return move(by: -stride(repeats))
        case .select where repeats == 0:
            return hasMoved ? [.answered(.number(scale.value(place)))] : [.leftOut]
        case .undo where repeats == 0: return undo()
        default: return []
        }
    }

    /// The next press of a scripted participant: holds towards the place as long as it does not go too far; nil
    /// where the value is no place of the scale.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return Press(hasMoved ? .undo : .select)
        case .answer(.number(let value)):
            guard let target = scale.place(of: value) else { return nil }
            // Not moved yet: a press that stays at an end, or one away, which is taken back by the next.
            if target == place { return Press(hasMoved ? .select : scale.count > 1 && place == 0 ? .previous : .next) }
            return Press(target > place ? .next : .previous, repeats: repeats(for: abs(target - place)))
        default: return nil
        }
    }

    package var currentPlace: Cue? { hasMoved ? .position(scale.text(place)) : nil }

    private func stride(_ repeats: Int) -> Int {
        repeats < (scale.count > 20 ? Self.coarseFromOnLong : Self.coarseFrom) ? 1 : max(1, scale.count / 10)
    }

    /// How long to hold so as not to go too far.
    private func repeats(for distance: Int) -> Int {
        let (count, moved) = HoldTable.repeats(within: distance, stride: stride)
        return moved > Self.nearby ? count : 0
    }

    private mutating func move(by offset: Int) -> [QuestionEffect] {
        let moved = min(max(place + offset, 0), scale.count - 1)
        defer { (place, hasMoved) = (moved, true) }
        // A press beyond an end of the scale is refused. The first press counts as a move even there, so that
        // the end can be chosen where the slider begins at it.
        return moved == place && hasMoved ? [.say(.refused)] : [.say(.position(scale.text(moved)))]
    }

    private mutating func undo() -> [QuestionEffect] {
        guard hasMoved else { return [.back] }
        place = scale.start
        hasMoved = false
        return [.say(.undone)]
    }
}

enum SliderPhrases {
    static let stepped = Phrase("{0} for more, {1} for less (from {2}; hold to go faster); {3} to choose")
    static let staged = Phrase(
        "{0} through the coarse values (from {2}, wrapping around), {1}; then the same for the fine ones")
    static let walked = Phrase("{0} (from {2}, wrapping around); {1} to choose")
}
