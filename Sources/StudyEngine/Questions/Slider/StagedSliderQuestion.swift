// SPDX-License-Identifier: Apache-2.0
import StudyModel

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
/// A scale of up to 12 places has one stage. Where the study proposes a place, each circle begins with what leads to it.
public struct StagedSliderQuestion: QuestionMachine {
    private let scale: SliderScale
    private let layout: Panel.Layout
    /// The distance of places in each stage; the last is 1.
    private let blocks: [Int]
    /// The first places of the blocks chosen so far.
    private var chosen: [Int] = []
    private var ring = Ring(count: 1)

    /// A slider of that scale.
    public init(_ format: SliderFormat, layout: Panel.Layout) {
        scale = SliderScale(format)
        self.layout = layout
        var blocks = [1]
        while (scale.count - 1) / blocks[0] + 1 > 12 { blocks.insert(blocks[0] * 10, at: 0) }
        self.blocks = blocks
        ring = Ring(count: ringCount)
    }

    /// Nothing: a place is told once it is stepped to.
    public mutating func begin() -> [QuestionEffect] { [] }

    /// The arrows of the diagram; holding counts once.
    public mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, 0) = event else { return [] }
        if ring.move(gesture) { return [.tell(told)] }
        switch gesture {
        case .select: return choose()
        case .undo: return takeBack()
        default: return []
        }
    }

    /// Block by block towards the place; nil where the value is no place of the scale.
    public func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return chosen.isEmpty ? ring.press(to: 0, layout: layout) : Press(.undo)
        case .answer(.number(let value)):
            guard let target = scale.place(of: value) else { return nil }
            let offset = target - base
            guard offset >= 0, chosen.isEmpty || offset < block * 10 else { return Press(.undo) }
            return ring.press(to: (offset / block - first + places) % places + lead, layout: layout)
        default: return nil
        }
    }

    private var block: Int { blocks[min(chosen.count, blocks.count - 1)] }
    private var base: Int { chosen.last ?? 0 }
    private var place: Int { base + (ring.index - lead + first) % places * block }
    /// The first stage has one place more, for no answer.
    private var lead: Int { chosen.isEmpty ? 1 : 0 }
    private var places: Int { ringCount - lead }
    /// The place with which the circle begins.
    private var first: Int {
        guard let proposed = scale.proposed, proposed >= base, (proposed - base) / block < places else { return 0 }
        return (proposed - base) / block
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
        return [.tell(.accepted), .tell(told)]
    }

    private mutating func takeBack() -> [QuestionEffect] {
        if chosen.isEmpty && ring.index == 0 { return [.back] }
        if chosen.popLast() == nil { ring = Ring(count: ringCount) } else { ring = Ring(count: ringCount, at: 1) }
        return [.tell(.undone)]
    }
}
