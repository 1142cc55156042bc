// SPDX-License-Identifier: Apache-2.0

/// A number, symbol by symbol: `NumberKind` makes it, and `TaskRun` drives it.
///
/// ```
///  ring of  done 1 … 9 0 [point] [minus] [clear]   select: the symbol is appended, all of it is read back, the ring starts again
///   │ done ── nothing entered: left out; entered and taken away again: answered `cleared`
///   │ done ── out of its limits: refused, and read back
///   ▼
///  answered
///
///  undo: the last symbol is taken away; with none: back
/// ```
package struct NumberQuestion: QuestionMachine {
    private enum Symbol: Sendable, Hashable {
        case done
        case key(Character)
        case clear
    }
    /// A `Double` holds this many decimal digits exactly.
    private static let mostDigits = 15

    private let format: NumberFormat
    private let layout: Panel.Layout
    private var text = ""
    private var wasEntered = false
    private var ring = Ring(count: 1)

    package init(_ format: NumberFormat, layout: Panel.Layout) {
        self.format = format
        self.layout = layout
        ring = Ring(count: symbols.count)
    }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, 0) = event else { return [] }
        if ring.move(gesture) { return [.say(cue(symbols[ring.index]))] }
        switch gesture {
        case .select: return choose(symbols[ring.index])
        case .undo: return undo()
        default: return []
        }
    }

    /// Whether the symbols of such a question spell that number.
    static func canSpell(_ number: Double, in format: NumberFormat) -> Bool {
        let spelling = NumberText.text(number)
        let fraction = spelling.split(separator: ".").dropFirst().first?.count ?? 0
        return !spelling.contains("e") && fraction <= format.maximumFractionDigits
            && spelling.count(where: \.isNumber) <= mostDigits && (number >= 0 || (format.minimum ?? -1) < 0)
    }

    /// A scripted participant's next press, digit by digit; what does not begin as wanted is taken back. Numbers
    /// that need an exponent cannot be entered.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: return wasEntered ? nil : ring.press(to: 0, layout: layout)
        case .answer(.cleared): return pressToClear
        case .answer(.number(let number)):
            let spelling = NumberText.text(number)
            guard spelling.hasPrefix(text), !spelling.contains("e") else { return Press(.undo) }
            if text == spelling { return ring.press(to: 0, layout: layout) }
            let next = spelling[spelling.index(spelling.startIndex, offsetBy: text.count)]
            return press(to: .key(next))
        default: return nil
        }
    }

    /// What is entered so far, else the symbol that was stepped to.
    package var currentPlace: Cue? { text.isEmpty ? ring.index == 0 ? nil : cue(symbols[ring.index]) : .value(text) }

    private var pressToClear: Press? {
        if !wasEntered { return press(to: symbols.first { $0 != .done } ?? .done) }
        return press(to: text.isEmpty ? .done : .clear)
    }

    private func press(to symbol: Symbol) -> Press? {
        symbols.firstIndex(of: symbol).map { ring.press(to: $0, layout: layout) }
    }

    private var value: Double? { Double(text) }

    private var symbols: [Symbol] {
        let digits = text.filter(\.isNumber).count
        let fraction = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first?.count
        var symbols: [Symbol] = [.done]
        if digits < Self.mostDigits, (fraction ?? -1) < format.maximumFractionDigits {
            symbols += "1234567890".map(Symbol.key)
        }
        if format.maximumFractionDigits > 0, fraction == nil, digits > 0 { symbols.append(.key(".")) }
        if text.isEmpty, (format.minimum ?? -1) < 0 { symbols.append(.key("-")) }
        if !text.isEmpty { symbols.append(.clear) }
        return symbols
    }

    private func cue(_ symbol: Symbol) -> Cue {
        switch symbol {
        case .done: .done
        case .clear: .clear
        case .key(let key): .position(String(key))
        }
    }

    private mutating func choose(_ symbol: Symbol) -> [QuestionEffect] {
        switch symbol {
        case .done: return finish()
        case .clear: text = ""
        case .key(let key):
            text.append(key)
            wasEntered = true
        }
        ring = Ring(count: symbols.count)
        return text.isEmpty ? [.say(.undone)] : [.say(.accepted), .say(.value(text))]
    }

    private mutating func finish() -> [QuestionEffect] {
        if text.isEmpty { return [wasEntered ? .answered(.cleared) : .leftOut] }
        guard let value, value >= format.minimum ?? -.infinity, value <= format.maximum ?? .infinity else {
            return [.say(.refused), .say(.value(text))]
        }
        return [.answered(.number(value))]
    }

    private mutating func undo() -> [QuestionEffect] {
        guard !text.isEmpty else { return [.back] }
        text.removeLast()
        ring = Ring(count: symbols.count)
        return [.say(.undone)] + (text.isEmpty ? [] : [.say(.value(text))])
    }
}

enum NumberQuestionPhrases {
    static let add = Phrase("add")
    static let howTo = Phrase("{0} to a digit, {1} to add it; the number so far is read back. At DONE {1} to finish{2}")
    static let limits = Phrase("; numbers{0}{1}{2}")
    static let from = Phrase(" from {0}")
    static let upTo = Phrase(" up to {0}")
    static let fromThisYear = Phrase(" from this year")
    static let upToThisYear = Phrase(" up to this year")
    static let fraction = CountedPhrase(
        one: ", at most {0} digit after the point", other: ", at most {0} digits after the point")
    static let unit = Phrase("in {0}")
}

extension NumberQuestion {
    /// `11[5] cm`: the symbol that would be added in brackets.
    package func drawing(in words: Words) -> [String] {
        guard !text.isEmpty || ring.index > 0 else { return [] }
        let unit = format.unit.isEmpty ? "" : " " + format.unit
        let symbol = symbols[ring.index]
        if case .key(let key) = symbol { return ["\(words.number(text + "[\(key)]"))\(unit)"] }
        let name = cue(symbol).said.map(words.text).joined()
        return ["\(words.number(text))\(unit)  [\(name)]"]
    }

    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard gesture == .select else { return nil }
        switch symbols[ring.index] {
        case .key: return .phrase(NumberQuestionPhrases.add)
        case .clear: return .phrase(PanelPhrases.clear)
        case .done: return text.isEmpty ? nil : .phrase(PanelPhrases.done)
        }
    }
}
