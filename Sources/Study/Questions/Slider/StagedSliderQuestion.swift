// SPDX-License-Identifier: Apache-2.0

/// A slider on one or two buttons, first roughly, then finely: `SliderKind` makes it, and `TaskRun` drives it.
///
/// ```
///  stage 1: no place ── next ──▶ every 10th (100th …) place ──▶ … ──▶ no place
///            │ select              │ select
///            ▼                     ▼
///          left out              stage 2: the ten places from there ── select ──▶ answered
///
///  undo: to the place with which the stage before begins; in stage 1 to no place; at no place: back
/// ```
/// A place is a position of the scale, from 0; each stage steps through some of them in a circle. A scale of
/// up to 12 places has one stage. Each circle begins with what leads to the middle, or to the place that the
/// study proposes. On two buttons a hold goes on stepping back.
package struct StagedSliderQuestion: QuestionMachine {
    private let scale: SliderScale
    private let layout: Panel.Layout
    /// The distance of places in each stage; the last is 1.
    private let stageSteps: [Int]
    /// The place chosen in each stage so far, with which the next one begins.
    private var chosen: [Int] = []
    private var ring = Ring(count: 1)

    package init(_ format: SliderFormat, layout: Panel.Layout) {
        scale = SliderScale(format)
        self.layout = layout
        stageSteps = Self.stageSteps(scale)
        ring = Ring(count: ringCount)
    }

    private static func stageSteps(_ scale: SliderScale) -> [Int] {
        var steps = [1]
        while (scale.count - 1) / steps[0] + 1 > SliderScale.mostInOneStage { steps.insert(steps[0] * 10, at: 0) }
        return steps
    }

    /// The place that the first `next` leads to.
    static func firstPlace(_ format: SliderFormat) -> Int {
        let scale = SliderScale(format)
        let step = stageSteps(scale)[0]
        return scale.start / step * step
    }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, let repeats) = event else { return [] }
        if repeats == 0 || gesture == .previous, ring.move(gesture) { return [.say(currentCue)] }
        guard repeats == 0 else { return [] }
        switch gesture {
        case .select: return choose()
        case .undo: return undo()
        default: return []
        }
    }

    /// Stage by stage towards the place; nil where the value is no place of the scale.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return chosen.isEmpty ? press(to: 0) : Press(.undo)
        case .answer(.number(let value)):
            guard let target = scale.place(of: value) else { return nil }
            let offset = target - stageStart
            // Outside the ten places of this stage: back.
            guard offset >= 0, chosen.isEmpty || offset < stageStep * 10 else { return Press(.undo) }
            // The place's index in the circle, which begins with the place at `startIndex`.
            return press(to: (offset / stageStep - startIndex + stagePlaces) % stagePlaces + noAnswerPlaces)
        default: return nil
        }
    }

    package var currentPlace: Cue? { chosen.isEmpty && ring.index == 0 ? nil : currentCue }
    /// True: on two buttons the way back is a hold.
    package var isWalkedByHolds: Bool { layout == .two }

    /// The press on the quicker way; far back one hold instead of several.
    private func press(to target: Int) -> Press {
        let ahead = (target - ring.index + ring.count) % ring.count
        let back = ring.count - ahead
        // In thirds of a tap: a hold that repeats costs 12, and 2 for each step back; a step ahead costs 3.
        // Otherwise `Ring` chooses, for which a hold of one step costs 3 taps.
        let holds = layout == .two && ahead > 0 && (2...HoldTable.mostHeldRepeats).contains(back)
        return holds && 12 + 2 * back < 3 * ahead
            ? Press(.previous, repeats: back) : ring.press(to: target, layout: layout)
    }

    /// The distance of the places in the present stage.
    private var stageStep: Int { stageSteps[chosen.count] }
    private var stageStart: Int { chosen.last ?? 0 }
    /// The place of the scale that the circle shows.
    private var place: Int { stageStart + (ring.index - noAnswerPlaces + startIndex) % stagePlaces * stageStep }
    /// The first stage has one place more, for no answer.
    private var noAnswerPlaces: Int { chosen.isEmpty ? 1 : 0 }
    /// How many places of the scale the present circle has.
    private var stagePlaces: Int { ringCount - noAnswerPlaces }
    /// The place of this stage, from 0, with which its circle begins.
    private var startIndex: Int {
        let start = scale.start
        guard start >= stageStart, (start - stageStart) / stageStep < stagePlaces else { return 0 }
        return (start - stageStart) / stageStep
    }
    private var currentCue: Cue { chosen.isEmpty && ring.index == 0 ? .leaveOut : .position(scale.text(place)) }

    /// The first stage has one place more, for no answer; a later one has at most ten.
    private var ringCount: Int {
        chosen.isEmpty ? (scale.count - 1) / stageStep + 2 : min(10, (scale.count - 1 - stageStart) / stageStep + 1)
    }

    private mutating func choose() -> [QuestionEffect] {
        if chosen.isEmpty && ring.index == 0 { return [.leftOut] }
        guard chosen.count + 1 < stageSteps.count else { return [.answered(.number(scale.value(place)))] }
        chosen.append(place)
        ring = Ring(count: ringCount)
        return [.say(.accepted), .say(currentCue)]
    }

    private mutating func undo() -> [QuestionEffect] {
        if chosen.isEmpty && ring.index == 0 { return [.back] }
        let isInFirstStage = chosen.popLast() == nil
        ring = Ring(count: ringCount, at: isInFirstStage ? 0 : noAnswerPlaces)
        return [.say(.undone)]
    }
}
