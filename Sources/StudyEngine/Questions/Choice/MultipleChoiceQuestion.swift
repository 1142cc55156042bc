// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Several of a list.
///
/// ```
///  done ── next ──▶ option 1 ── next ──▶ … option n ── next ──▶ done
///   │ select          │ select: ticked ⇄ not ticked
///   ▼
///  answered with the ticked ones in the order of ticking; nothing ever ticked: left out
///
///  ticking an exclusive option unticks every other, and ticking another unticks it: after the option itself
///  "taken back" is told, and then each option that is no longer ticked
///
///  undo: the last tick or untick is taken back; with none: back
/// ```
public struct MultipleChoiceQuestion: QuestionMachine {
    private let format: ChoiceFormat
    private let layout: Panel.Layout
    private let order: [Int]
    private var ring: Ring
    /// What was ticked before each change, so that undo is exact.
    private var history: [[String]] = []
    private var ticked: [String] = []

    /// `order` says which option (position in the file) stands at each place.
    public init(_ format: ChoiceFormat, layout: Panel.Layout, order: [Int]? = nil) {
        self.format = format
        self.layout = layout
        self.order = format.order(order)
        ring = Ring(count: format.options.count + 1)
    }

    /// Nothing: an option is told once it is stepped to.
    public mutating func begin() -> [QuestionEffect] { [] }

    /// The arrows of the diagram; holding counts once.
    public mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, 0) = event else { return [] }
        if ring.move(gesture) { return [.tell(told)] }
        switch gesture {
        case .select where ring.index > 0: return toggle()
        case .select: return history.isEmpty ? [.leftOut] : [.answered(.choices(ticked))]
        case .undo: return takeBack()
        default: return []
        }
    }

    /// Ticks in the order of the wanted values; nil where one of them is no option.
    public func press(towards wanted: Wanted) -> Press? {
        let values: [String]
        switch wanted {
        case .leaveOut where history.isEmpty: values = []
        case .leaveOut: return Press(.undo)
        case .answer(.choices(let choices)): values = choices
        default: return nil
        }
        guard values.allSatisfy({ format.place(of: $0, in: order) != nil }), format.canTick(values) else { return nil }
        if ticked == values, wanted == .leaveOut || !history.isEmpty { return ring.press(to: 0, layout: layout) }
        // An empty answer is something ticked and unticked.
        if values.isEmpty {
            let first = ticked.first ?? format.options.first?.value ?? ""
            return format.place(of: first, in: order).map { ring.press(to: $0 + 1, layout: layout) }
        }
        guard values.starts(with: ticked) else { return Press(.undo) }
        let next = values[ticked.count]
        return format.place(of: next, in: order).map { ring.press(to: $0 + 1, layout: layout) }
    }

    private mutating func toggle() -> [QuestionEffect] {
        history.append(ticked)
        if let place = ticked.firstIndex(of: option.value) {
            ticked.remove(at: place)
            return [.tell(told)]
        }
        let (before, chosen) = (ticked, option)
        ticked.removeAll { value in chosen.isExclusive || format.isExclusive(value) }
        ticked.append(chosen.value)
        return [.tell(told)] + toldUnticked(before.filter { !ticked.contains($0) })
    }

    /// What went with the tick, so that it is noticed without a look at anything.
    private func toldUnticked(_ values: [String]) -> [QuestionEffect] {
        let places = values.compactMap { value in format.options.firstIndex { $0.value == value } }
        let cues = places.map { Cue.option($0 + 1, text: format.options[$0].text, isTicked: false) }
        return cues.isEmpty ? [] : [.tell(.undone)] + cues.map { .tell($0) }
    }

    private mutating func takeBack() -> [QuestionEffect] {
        guard let earlier = history.popLast() else { return [.back] }
        ticked = earlier
        return [.tell(.undone)]
    }

    private var option: ChoiceFormat.Option { format.options[order[ring.index - 1]] }

    private var told: Cue {
        if ring.index == 0 { return .done }
        return .option(order[ring.index - 1] + 1, text: option.text, isTicked: ticked.contains(option.value))
    }
}

extension ChoiceFormat {
    /// Ticking the option of that value unticks every other.
    func isExclusive(_ value: String) -> Bool { options.contains { $0.value == value && $0.isExclusive } }

    /// False for several of which one is exclusive.
    func canTick(_ values: [String]) -> Bool { values.count <= 1 || !values.contains(where: isExclusive) }
}

/// What is printed of a choice of several.
enum MultipleChoicePhrases {
    static let howTo = Phrase(
        "{0}; {1} ticks or unticks{2}; at “done” {1}", de: "{0}; {1}: auswählen oder abwählen{2}; bei „Fertig“: {1}",
        es: "{0}; {1}: marcar o desmarcar{2}; en «Listo», {1}")
    /// What ticking exclusive options does.
    static let exclusive = Phrase(
        " ({0} alone: it unticks the others, and they it)",
        de: " ({0} nur allein: wählt die anderen ab und umgekehrt)",
        es: " ({0} por separado: desmarca las demás, y al revés)")
    /// Behind an option that goes with no other.
    static let alone = Phrase(" (alone)", de: " (nur allein)", es: " (sola)")
}
