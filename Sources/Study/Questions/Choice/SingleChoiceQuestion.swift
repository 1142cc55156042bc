// SPDX-License-Identifier: Apache-2.0

/// One of a list: `ChoiceKind` makes it, and `TaskRun` drives it.
///
/// ```
///  no option ◀── previous ── option 1 ── next ──▶ option 2 … option n ── next ──▶ no option
///   │ select                  │ select
///   ▼                         ▼
///  left out                  answered            undo: to no option; at no option: back
/// ```
/// Where the study proposes an option, the circle begins with it.
package struct SingleChoiceQuestion: QuestionMachine {
    private let format: ChoiceFormat
    private let layout: Panel.Layout
    private let order: [Int]
    private var ring: Ring

    /// `order` says which option (position in the file) is at each place.
    package init(_ format: ChoiceFormat, layout: Panel.Layout, order: [Int]? = nil) {
        self.format = format
        self.layout = layout
        self.order = format.beginningWithInitial(format.order(order))
        ring = Ring(count: format.options.count + 1)
    }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, 0) = event else { return [] }
        if ring.move(gesture) { return [.say(currentCue)] }
        switch gesture {
        case .select: return ring.index == 0 ? [.leftOut] : [.answered(.choices([option.value]))]
        case .undo where ring.index == 0: return [.back]
        case .undo:
            ring = Ring(count: ring.count)
            return [.say(.undone)]
        default: return []
        }
    }

    /// Walks the ring to the option and chooses it; nil unless exactly one known option is wanted.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return ring.press(to: 0, layout: layout)
        case .answer(.choices(let values)):
            guard values.count == 1, let place = format.place(of: values[0], in: order) else { return nil }
            return ring.press(to: place + 1, layout: layout)
        default: return nil
        }
    }

    package var currentPlace: Cue? { ring.index == 0 ? nil : currentCue }

    private var option: ChoiceFormat.Option { format.options[order[ring.index - 1]] }

    private var currentCue: Cue {
        ring.index == 0 ? .leaveOut : .option(order[ring.index - 1] + 1, text: option.text, isTicked: nil)
    }
}

extension ChoiceFormat {
    /// `order` where it names every option once, else the file's.
    func order(_ order: [Int]?) -> [Int] {
        guard let order, order.sorted() == Array(options.indices) else { return Array(options.indices) }
        return order
    }

    /// The same circle, beginning with the option that the study proposes.
    func beginningWithInitial(_ order: [Int]) -> [Int] {
        guard let initial, let place = place(of: initial, in: order) else { return order }
        return Array(order[place...] + order[..<place])
    }

    /// The place in `order` of the option with that value.
    func place(of value: String, in order: [Int]) -> Int? { order.firstIndex { options[$0].value == value } }
}

enum SingleChoicePhrases {
    static let howTo = Phrase("{0}; {1} to choose")
}
