// SPDX-License-Identifier: Apache-2.0

/// A text, letter by letter: `TextKind` makes it, and `TaskRun` drives it.
///
/// ```
///              three buttons: ring of  done a b … z [signs] delete      held: keeps moving, from the 6th repetition five at a time
///  entering ── one or two:    ring of  done, a to f, g to l, …  ── select ──▶ ring of that group's letters
///   │ select: the letter is appended, the ring starts again      ◀── undo ──┘
///   │ done ── nothing entered: left out
///   │ done ── not as the study wants it: refused, its own message said, entering goes on
///   ▼
///  reading back ── select ──▶ answered
///   └── next, previous, undo: entering again
///
///  undo while entering: the last letter is taken away; with none: back
/// ```
package struct LettersQuestion: QuestionMachine {
    private enum State: Sendable, Hashable {
        case entering
        /// Within the group of that number.
        case group(Int)
        case readingBack
    }

    private let rules: TextRules
    private let board: LetterBoard
    private let layout: Panel.Layout
    private var state = State.entering
    private var letters: [LetterBoard.Letter] = []
    /// The next letter is made a capital.
    private var isCapital = false
    /// In `entering` 0 is `done`, then come the symbols (three buttons) or the groups; in `group` its symbols.
    private var ring = Ring(count: 1)

    private var text: String { letters.map(\.text).joined() }

    package init(_ rules: TextRules, board: LetterBoard, layout: Panel.Layout) {
        self.rules = rules
        self.board = board
        self.layout = layout
        restart()
    }

    /// The arrows of the diagram; holding next or previous goes on through the letters, other
    /// holds count once.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, let repeats) = event else { return [] }
        switch (state, gesture, repeats) {
        case (.readingBack, .select, 0): return [.answered(.text(text))]
        case (.readingBack, .next, 0), (.readingBack, .previous, 0), (.readingBack, .undo, 0):
            restart()
            return [.say(.undone), .say(.done)]
        case (.readingBack, _, _): return []
        case (_, .next, _), (_, .previous, _):
            for _ in 0..<Self.stride(repeats) { _ = ring.move(gesture) }
            return [.say(currentCue)]
        case (_, .select, 0): return choose()
        case (_, .undo, 0): return undo()
        default: return []
        }
    }

    /// A scripted participant's next press, letter by letter; what does not begin as wanted is taken back. Nil
    /// for a text with other characters, or against the rules.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return text.isEmpty && state == .entering ? ring.press(to: 0, layout: layout) : Press(.undo)
        case .answer(.text(let target)):
            guard !target.isEmpty, rules.accepts(target), board.canSpell(target) else { return nil }
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

    /// How many places one repetition of a held button moves on.
    private static func stride(_ repeats: Int) -> Int { repeats < SteppedSliderQuestion.coarseFrom ? 1 : 5 }

    /// The press on the shorter way, held as long as it does not go past the target.
    private func hold(to target: Int) -> Press {
        let press = ring.press(to: target, layout: layout)
        guard press.gesture != .select else { return press }
        let ahead = (target - ring.index + ring.count) % ring.count
        let distance = press.gesture == .next ? ahead : ring.count - ahead
        return Press(press.gesture, repeats: HoldTable.repeats(within: distance, stride: Self.stride).count)
    }

    /// Nil at `done`.
    package var currentPlace: Cue? { state == .entering && ring.index == 0 ? nil : currentCue }

    private var currentCue: Cue {
        switch state {
        case .readingBack: return board.spelled(letters)
        case .group(let group):
            let place = board.groups[group].lowerBound + ring.index
            return .letter(place + 1, text: LetterBoard.name(board.symbols[place]))
        case .entering:
            guard ring.index > 0 else { return .done }
            let place = ring.index - 1
            if layout == .three { return .letter(place + 1, text: LetterBoard.name(board.symbols[place])) }
            let group = board.groups[place]
            return .letter(group.lowerBound + 1, text: board.name(group))
        }
    }

    /// Back to the whole row, at `done`; the letters stay.
    private mutating func restart() {
        state = .entering
        ring = Ring(count: (layout == .three ? board.symbols.count : board.groups.count) + 1)
    }

    private mutating func choose() -> [QuestionEffect] {
        switch state {
        case .group(let group): return enter(board.symbols[board.groups[group].lowerBound + ring.index])
        default:
            guard ring.index > 0 else { return finish() }
            if layout == .three { return enter(board.symbols[ring.index - 1]) }
            let group = ring.index - 1
            state = .group(group)
            ring = Ring(count: board.groups[group].count)
            return [.say(.accepted), .say(currentCue)]
        }
    }

    private mutating func enter(_ symbol: LetterBoard.Symbol) -> [QuestionEffect] {
        restart()
        switch symbol {
        case .delete: return letters.popLast() == nil ? [.say(.refused)] : [.say(.undone)]
        case .capital: isCapital.toggle()
        case .character(let character):
            let letter = LetterBoard.Letter(character, isCapital: isCapital)
            guard (text + letter.text).count <= rules.limit else {
                return [.say(.refused), .say(.say(LettersPhrases.full))]
            }
            letters.append(letter)
            isCapital = false
        }
        return [.say(.accepted)]
    }

    private mutating func finish() -> [QuestionEffect] {
        if text.isEmpty { return [.leftOut] }
        let verdict = rules.verdict(on: text)
        guard verdict == .accepted else {
            let own = rules.kind == .email ? LettersPhrases.noAddress : LettersPhrases.noMatch
            let remarks = verdict == .undecided ? [QuestionEffect.device(.remark(TextPattern.exhaustedRemark))] : []
            return [.say(.refused), .say(rules.invalidMessage.isEmpty ? .say(own) : .message(rules.invalidMessage))]
                + remarks
        }
        state = .readingBack
        return [.say(currentCue), .say(.confirm)]
    }

    private mutating func undo() -> [QuestionEffect] {
        if case .group(let group) = state {
            restart()
            ring = Ring(count: ring.count, at: group + 1)
            return [.say(.undone), .say(currentCue)]
        }
        guard letters.popLast() != nil else { return [.back] }
        restart()
        return [.say(.undone)]
    }
}

extension TextRules {
    /// A short text that these rules accept, for a scripted participant whose answer does not matter; "" where
    /// none of ours does.
    var example: String {
        let texts = ["ok", "a", "1", "Ok", "A", "12", "123", "1234", "12345", "A1", "a1", "me@example.org", "me@x.org"]
        return texts.first(where: accepts) ?? ""
    }
}

/// The signs are named as by screen readers.
enum LettersPhrases {
    /// Said where a text is as long as it may be, is no address, or does not fit its pattern.
    static let full = Phrase("The text is full")
    static let noAddress = Phrase("This is not an email address")
    static let noMatch = Phrase("This text does not have the required form")
    static let capital = Phrase("capital")
    static let delete = Phrase("delete")
    static let group = Phrase("{0} to {1}")
    /// All that it says in addition to its symbols and what every question says.
    static let spoken = [full, noAddress, noMatch]

    static let signs: [Character: Phrase] = [
        " ": Phrase("space"), ".": Phrase("dot"),
        ",": Phrase("comma"),
        "?": Phrase("question mark"),
        "!": Phrase("exclamation mark"),
        "'": Phrase("apostrophe"),
        "-": Phrase("hyphen"),
        "/": Phrase("slash"),
        ":": Phrase("colon"),
        "@": Phrase("at"), "_": Phrase("underscore"),
        "+": Phrase("plus"), "(": Phrase("bracket"),
        ")": Phrase("closing bracket"),
    ]

    static let howTo = Phrase("by letters: {0} through {1}{2}; at “done” {3}, and again after it is read back")
    static let rowOfLetters = Phrase("done and the letters (hold to go faster), {0} to add one")
    static let rowOfGroups = Phrase("done and the groups of letters, {0}, then the same for the letter")
    static let length = CountedPhrase(one: "; at most {0} character", other: "; at most {0} characters")
    static let addressOnly = Phrase("; anything but an email address is refused")
    static let formOnly = Phrase("; any other form is refused")
    /// Above the rows of symbols on the card sheet.
    static let title = Phrase("Letters")
    static let addressTitle = Phrase("Letters of an email address")
}

extension LettersQuestion {
    /// `ann[a]`: the letter or group that was stepped to in brackets.
    package func drawing(in words: Words) -> [String] {
        if state == .readingBack { return [text] }
        if text.isEmpty, state == .entering, ring.index == 0 { return [] }
        return ["\(text)[\(currentCue.said.map(words.text).joined())]"]
    }

    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard gesture == .select else { return nil }
        if state == .readingBack { return .phrase(DateTimePhrases.keep) }
        return state == .entering && ring.index == 0 && !letters.isEmpty ? .phrase(PanelPhrases.done) : nil
    }
}
