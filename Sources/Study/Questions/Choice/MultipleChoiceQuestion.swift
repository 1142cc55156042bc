// SPDX-License-Identifier: Apache-2.0

/// A choice of several options of a list: `ChoiceKind` makes it, and `TaskRun` drives it. A place is an index
/// into `order`, that is an option as it is presented.
///
/// ```
///  done ── next ──▶ option 1 ── next ──▶ … option n ── next ──▶ done
///   │ select          │ select: ticked ⇄ not ticked, and `done` is on both sides of it from now on:
///   ▼                 │        … option k-1 ── done ── option k ── done ── option k+1 …
///  answered with the ticked ones in the order of ticking; nothing ever ticked: left out
///
///  ticking an exclusive option unticks every other, and ticking another unticks it: after the option itself
/// "taken back" is said, and then each option that is no longer ticked
///
///  undo: the last tick or untick is taken back; with none: back
/// ```
package struct MultipleChoiceQuestion: QuestionMachine {
    private let format: ChoiceFormat
    private let layout: Panel.Layout
    private let order: [Int]
    /// Where the participant is in the circle of options and `done`. At first 0 is `done`, then come the
    /// options. After a tick or untick 0 is the option `changed`, 1 `done`, then the other options from there
    /// on, and at the end `done` again.
    private var ring: Ring
    /// The place in `order` of the option that was ticked or unticked last.
    private var changed: Int?
    /// What was ticked before each change, so that undo is exact.
    private var history: [[String]] = []
    /// Values of the ticked options, in the order of ticking.
    private var ticked: [String] = []

    /// `order` says which option (position in the file) is at each place.
    package init(_ format: ChoiceFormat, layout: Panel.Layout, order: [Int]? = nil) {
        self.format = format
        self.layout = layout
        self.order = format.order(order)
        ring = Ring(count: format.options.count + 1)
    }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, 0) = event else { return [] }
        if ring.move(gesture) { return [.say(currentCue)] }
        switch gesture {
        case .select where place != nil: return toggle()
        case .select: return history.isEmpty ? [.leftOut] : [.answered(.choices(ticked))]
        case .undo: return undo()
        default: return []
        }
    }

    /// Ticks in the order of the wanted values; nil where one of them is no option.
    package func press(towards wanted: Wanted) -> Press? {
        let values: [String]
        switch wanted {
        case .leaveOut where history.isEmpty: values = []
        case .leaveOut: return Press(.undo)
        case .answer(.choices(let choices)): values = choices
        default: return nil
        }
        guard values.allSatisfy({ format.place(of: $0, in: order) != nil }), format.canTick(values) else { return nil }
        if ticked == values, wanted == .leaveOut || !history.isEmpty { return pressToDone }
        // An empty answer is something ticked and unticked.
        if values.isEmpty {
            let first = ticked.first ?? format.options.first?.value ?? ""
            return format.place(of: first, in: order).map(press)
        }
        guard values.starts(with: ticked) else { return Press(.undo) }
        let next = values[ticked.count]
        return format.place(of: next, in: order).map(press)
    }

    /// The option or `done`, whichever was stepped to.
    package var currentPlace: Cue? { ring.index == 0 && changed == nil ? nil : currentCue }
    /// On the card they are numbered in the order of the file.
    package var tickedNumbers: [Int] {
        format.options.indices.filter { ticked.contains(format.options[$0].value) }.map { $0 + 1 }
    }

    /// The place in `order` that the circle shows; nil at `done`.
    private var place: Int? {
        guard let changed else { return ring.index > 0 ? ring.index - 1 : nil }
        if ring.index == 0 { return changed }
        let away = ring.index - 1
        return (1..<order.count).contains(away) ? (changed + away) % order.count : nil
    }

    private func press(_ place: Int) -> Press {
        guard let changed else { return ring.press(to: place + 1, layout: layout) }
        let away = (place - changed + order.count) % order.count
        return ring.press(to: away == 0 ? 0 : away + 1, layout: layout)
    }

    /// To the nearer `done`, where there are two.
    private var pressToDone: Press {
        guard changed != nil else { return ring.press(to: 0, layout: layout) }
        if ring.index == 1 || ring.index == ring.count - 1 { return Press(.select) }
        // From the option changed last (0) it is the `done` after it, else the one at the end.
        return ring.press(to: ring.index == 0 ? 1 : ring.count - 1, layout: layout)
    }

    private mutating func toggle() -> [QuestionEffect] {
        history.append(ticked)
        let chosen = option
        changed = place
        // With a single option both places of `done` are the same.
        ring = Ring(count: order.count == 1 ? 2 : order.count + 2)
        if let tick = ticked.firstIndex(of: chosen.value) {
            ticked.remove(at: tick)
            return [.say(currentCue)]
        }
        let before = ticked
        ticked.removeAll { value in chosen.isExclusive || format.isExclusive(value) }
        ticked.append(chosen.value)
        return [.say(currentCue)] + cuesOfUnticked(before.filter { !ticked.contains($0) })
    }

    /// Names the options that the tick has unticked, which would be noticed nowhere else.
    private func cuesOfUnticked(_ values: [String]) -> [QuestionEffect] {
        let places = values.compactMap { value in format.options.firstIndex { $0.value == value } }
        let cues = places.map { Cue.option($0 + 1, text: format.options[$0].text, isTicked: false) }
        return cues.isEmpty ? [] : [.say(.undone)] + cues.map { .say($0) }
    }

    private mutating func undo() -> [QuestionEffect] {
        guard let earlier = history.popLast() else { return [.back] }
        ticked = earlier
        return [.say(.undone)]
    }

    /// The option that the circle shows; the first one at `done`, where it is not used.
    private var option: ChoiceFormat.Option { format.options[order[place ?? 0]] }

    private var currentCue: Cue {
        guard let place else { return .done }
        return .option(order[place] + 1, text: option.text, isTicked: ticked.contains(option.value))
    }
}

extension ChoiceFormat {
    /// Ticking the option of that value unticks every other.
    func isExclusive(_ value: String) -> Bool { options.contains { $0.value == value && $0.isExclusive } }

    /// False for several of which one is exclusive.
    func canTick(_ values: [String]) -> Bool { values.count <= 1 || !values.contains(where: isExclusive) }
}

enum MultipleChoicePhrases {
    static let howTo = Phrase(
        "{0}, {1} to tick or untick{2}. After ticking, {3} once: you are at DONE. Then {1} to finish")
    /// What ticking exclusive options does.
    static let exclusive = Phrase(" (choosing {0} clears the others)")
    /// Behind an option that goes with no other.
    static let alone = Phrase(" (alone)")
}
