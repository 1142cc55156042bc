// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// A text, letter by letter.
///
/// ```
///              three buttons: ring of  done a b … z [signs] delete      held: on and on, from the 6th repetition five at once
///  entering ── one or two:    ring of  done, a to f, g to l, …  ── select ──▶ ring of that group's letters
///   │ select: the letter is appended, the ring starts anew       ◀── undo ──┘
///   │ done ── nothing entered: left out
///   │ done ── not as the study wants it: refused, its own message told, entering goes on
///   ▼
///  reading back ── select ──▶ answered
///   └── next, previous, undo: entering again
///
///  undo while entering: the last letter is taken away; with none: back
/// ```
public struct LettersQuestion: QuestionMachine {
    private enum State: Sendable, Hashable {
        case entering
        /// Within the group of that number.
        case group(Int)
        case readingBack
    }

    /// Told where a text is as long as it may be, is no address, or does not fit its pattern.
    static let full = "The text is full"
    static let noAddress = "This is no email address"
    static let noMatch = "This text does not have the wanted form"
    static let words = [full, noAddress, noMatch]

    private let rules: TextRules
    private let board: LetterBoard
    private let layout: Panel.Layout
    private var state = State.entering
    private var text = ""
    private var isCapital = false
    private var ring = Ring(count: 1)

    /// A text of these rules, made of that row.
    public init(_ rules: TextRules, board: LetterBoard, layout: Panel.Layout) {
        self.rules = rules
        self.board = board
        self.layout = layout
        startAnew()
    }

    /// Nothing: a letter is told once it is stepped to.
    public mutating func begin() -> [QuestionEffect] { [] }

    /// The arrows of the diagram; holding next or previous goes on through the letters, other holds count once.
    public mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, let repeats) = event else { return [] }
        switch (state, gesture, repeats) {
        case (.readingBack, .select, 0): return [.answered(.text(text))]
        case (.readingBack, .next, 0), (.readingBack, .previous, 0), (.readingBack, .undo, 0):
            startAnew()
            return [.tell(.undone), .tell(.done)]
        case (.readingBack, _, _): return []
        case (_, .next, _), (_, .previous, _):
            for _ in 0..<Self.stride(repeats) { _ = ring.move(gesture) }
            return [.tell(told)]
        case (_, .select, 0): return choose()
        case (_, .undo, 0): return takeBack()
        default: return []
        }
    }

    /// Letter by letter; what does not begin as wanted is taken back. Nil for a text with other characters, or against the rules.
    public func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return text.isEmpty && state == .entering ? ring.press(to: 0, layout: layout) : Press(.undo)
        case .answer(.text(let target)):
            guard !target.isEmpty, rules.accepts(target), board.spelled(target) != nil else { return nil }
            if state == .readingBack { return Press(text == target ? .select : .undo) }
            if text == target { return state == .entering ? ring.press(to: 0, layout: layout) : Press(.undo) }
            guard target.hasPrefix(text) else { return Press(.undo) }
            return press(to: target[target.index(target.startIndex, offsetBy: text.count)])
        default: return nil
        }
    }

    private func press(to character: Character) -> Press? {
        guard let found = board.symbol(for: character) else { return nil }
        // A capital switched on by mistake is switched off the same way.
        let symbol = found.isCapital == isCapital ? found.symbol : .capital
        guard let place = board.symbols.firstIndex(of: symbol) else { return nil }
        switch state {
        case .group(let group):
            let range = board.groups[group]
            return range.contains(place) ? ring.press(to: place - range.lowerBound, layout: layout) : Press(.undo)
        default:
            return layout == .three
                ? hold(to: place + 1) : ring.press(to: place / LetterBoard.groupSize + 1, layout: layout)
        }
    }

    private static func stride(_ repeats: Int) -> Int { repeats < SteppedSliderQuestion.coarseFrom ? 1 : 5 }

    /// On the shorter way, held as long as it does not go too far.
    private func hold(to target: Int) -> Press {
        let press = ring.press(to: target, layout: layout)
        guard press.gesture != .select else { return press }
        let ahead = (target - ring.index + ring.count) % ring.count
        let distance = press.gesture == .next ? ahead : ring.count - ahead
        var (repeats, moved) = (0, Self.stride(0))
        while moved + Self.stride(repeats + 1) <= distance {
            repeats += 1
            moved += Self.stride(repeats)
        }
        return Press(press.gesture, repeats: repeats)
    }

    private var told: Cue {
        switch state {
        case .group(let group):
            let place = board.groups[group].lowerBound + ring.index
            return .letter(place + 1, text: LetterBoard.name(board.symbols[place]))
        default:
            guard ring.index > 0 else { return .done }
            let place = ring.index - 1
            if layout == .three { return .letter(place + 1, text: LetterBoard.name(board.symbols[place])) }
            let group = board.groups[place]
            return .letter(group.lowerBound + 1, text: board.name(group))
        }
    }

    /// At `done`.
    private mutating func startAnew() {
        state = .entering
        ring = Ring(count: (layout == .three ? board.symbols.count : board.groups.count) + 1)
    }

    private mutating func choose() -> [QuestionEffect] {
        switch state {
        case .group(let group): return take(board.symbols[board.groups[group].lowerBound + ring.index])
        default:
            guard ring.index > 0 else { return finish() }
            if layout == .three { return take(board.symbols[ring.index - 1]) }
            let group = ring.index - 1
            state = .group(group)
            ring = Ring(count: board.groups[group].count)
            return [.tell(.accepted), .tell(told)]
        }
    }

    private mutating func take(_ symbol: LetterBoard.Symbol) -> [QuestionEffect] {
        startAnew()
        switch symbol {
        case .delete: return text.popLast() == nil ? [.tell(.refused)] : [.tell(.undone)]
        case .capital: isCapital.toggle()
        case .character(let character):
            guard text.count < rules.limit else { return [.tell(.refused), .tell(.message(Self.full))] }
            text += isCapital ? String(character).uppercased() : String(character)
            isCapital = false
        }
        return [.tell(.accepted)]
    }

    private mutating func finish() -> [QuestionEffect] {
        if text.isEmpty { return [.leftOut] }
        guard rules.accepts(text) else {
            let own = rules.kind == .email ? Self.noAddress : Self.noMatch
            let message = rules.invalidMessage.isEmpty ? own : rules.invalidMessage
            return [.tell(.refused), .tell(.message(message))]
        }
        state = .readingBack
        let spelled = board.spelled(text) ?? ([], [])
        return [.tell(.spelled(spelled.numbers, names: spelled.names)), .tell(.confirm)]
    }

    private mutating func takeBack() -> [QuestionEffect] {
        if case .group(let group) = state {
            startAnew()
            ring = Ring(count: ring.count, at: group + 1)
            return [.tell(.undone), .tell(told)]
        }
        guard text.popLast() != nil else { return [.back] }
        startAnew()
        return [.tell(.undone)]
    }
}

extension TextRules {
    /// A text of letters that these rules take, for a participant who does not care what; "" where none of ours fits.
    var example: String {
        let tries = ["ok", "a", "1", "Ok", "A", "12", "123", "1234", "12345", "A1", "a1", "me@example.org", "me@x.org"]
        return tries.first(where: accepts) ?? ""
    }
}
