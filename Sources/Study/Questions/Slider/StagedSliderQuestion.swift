// SPDX-License-Identifier: Apache-2.0

/// A slider on one or two buttons: first roughly, then finely.
///
/// ```
///  stage 1: no place ── next ──▶ every 10th (100th …) place ──▶ … ──▶ no place
///            │ select              │ select
///            ▼                     ▼
///          left out              stage 2: the ten places from there ── select ──▶ answered
///
///  undo: to the stage before; in stage 1 to no place; at no place: back
/// ```
/// A scale of up to 12 places has one stage. Each circle begins with what leads to the middle, or
/// to the place that the study proposes. On two buttons a hold goes on stepping back.
package struct StagedSliderQuestion: QuestionMachine {
    private let scale: SliderScale
    private let layout: Panel.Layout
    /// The distance of places in each stage; the last is 1.
    private let blocks: [Int]
    /// The first places of the blocks chosen so far.
    private var chosen: [Int] = []
    private var ring = Ring(count: 1)

    package init(_ format: SliderFormat, layout: Panel.Layout) {
        scale = SliderScale(format)
        self.layout = layout
        blocks = Self.blocks(scale)
        ring = Ring(count: ringCount)
    }

    private static func blocks(_ scale: SliderScale) -> [Int] {
        var blocks = [1]
        while (scale.count - 1) / blocks[0] + 1 > 12 { blocks.insert(blocks[0] * 10, at: 0) }
        return blocks
    }

    /// The place that the first step tells.
    static func firstPlace(_ format: SliderFormat) -> Int {
        let scale = SliderScale(format)
        let block = blocks(scale)[0]
        return scale.start / block * block
    }

    /// Nothing: a place is said once it is stepped to.
    package mutating func begin() -> [QuestionEffect] { [] }

    /// The arrows of the diagram; a held step back goes on, anything else counts once.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, let repeats) = event else { return [] }
        if repeats == 0 || gesture == .previous, ring.move(gesture) { return [.say(told)] }
        guard repeats == 0 else { return [] }
        switch gesture {
        case .select: return choose()
        case .undo: return undo()
        default: return []
        }
    }

    /// Block by block towards the place; nil where the value is no place of the scale.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return chosen.isEmpty ? press(to: 0) : Press(.undo)
        case .answer(.number(let value)):
            guard let target = scale.place(of: value) else { return nil }
            let offset = target - base
            guard offset >= 0, chosen.isEmpty || offset < block * 10 else { return Press(.undo) }
            return press(to: (offset / block - first + places) % places + lead)
        default: return nil
        }
    }

    /// The present place, once one was said.
    package var standing: Cue? { chosen.isEmpty && ring.index == 0 ? nil : told }
    /// True: on two buttons the way back is a hold.
    package var isWalkedByHolds: Bool { layout == .two }

    /// The press on the quicker way; far back one hold instead of several.
    private func press(to target: Int) -> Press {
        let ahead = (target - ring.index + ring.count) % ring.count
        let back = ring.count - ahead
        // A hold takes as long as four taps, and three more steps of it as long as two.
        let holds = layout == .two && ahead > 0 && (2...HoldTable.mostHeldRepeats).contains(back)
        return holds && 12 + 2 * back < 3 * ahead
            ? Press(.previous, repeats: back) : ring.press(to: target, layout: layout)
    }

    private var block: Int { blocks[min(chosen.count, blocks.count - 1)] }
    private var base: Int { chosen.last ?? 0 }
    private var place: Int { base + (ring.index - lead + first) % places * block }
    /// The first stage has one place more, for no answer.
    private var lead: Int { chosen.isEmpty ? 1 : 0 }
    private var places: Int { ringCount - lead }
    /// The place with which the circle begins.
    private var first: Int {
        let start = scale.start
        guard start >= base, (start - base) / block < places else { return 0 }
        return (start - base) / block
    }
    private var told: Cue { chosen.isEmpty && ring.index == 0 ? .leaveOut : .position(scale.text(place)) }

    /// The first stage has one place more, for no answer; a later one has at most ten.
    private var ringCount: Int {
        chosen.isEmpty ? (scale.count - 1) / block + 2 : min(10, (scale.count - 1 - base) / block + 1)
    }

    private mutating func choose() -> [QuestionEffect] {
        if chosen.isEmpty && ring.index == 0 { return [.leftOut] }
        guard chosen.count + 1 < blocks.count else { return [.answered(.number(scale.value(place)))] }
        chosen.append(place)
        ring = Ring(count: ringCount)
        return [.say(.accepted), .say(told)]
    }

    private mutating func undo() -> [QuestionEffect] {
        if chosen.isEmpty && ring.index == 0 { return [.back] }
        if chosen.popLast() == nil { ring = Ring(count: ringCount) } else { ring = Ring(count: ringCount, at: 1) }
        return [.say(.undone)]
    }
}
