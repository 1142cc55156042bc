// SPDX-License-Identifier: Apache-2.0
import Base

/// The printable sheet that goes with the device, made by `studyd cards`: one HTML file that needs nothing
/// outside it but the study's pictures. Each step that can come up has a numbered card (`CardIndex`), and
/// the device signals that number. Texts of the study are escaped before they become HTML.
package struct CardSheet: Sendable {
    private let study: StudyProtocol
    private let panel: Panel
    private let pictures: [String: String]
    private let participant: String?
    private let index: CardIndex
    private let words: Words
    /// The distinct instructions how to answer, in the order of the cards, which name them by letters, A to Z.
    private let ways: [String]

    /// The sheet of a study for a panel. `pictures` gives data URIs by a picture's address; a
    /// picture that is not in it is named by its own address where that is http or https.
    /// `participant` completes addresses that end in the participant's id; nil = they are
    /// completed by hand.
    package init(_ study: StudyProtocol, panel: Panel, pictures: [String: String] = [:], participant: String? = nil) {
        self.participant = participant
        // Without what this panel cannot ask and the study can go without.
        let study = study.served(by: panel)
        self.study = study
        self.panel = panel
        self.pictures = pictures
        index = CardIndex(study)
        words = Words(study, on: panel)
        ways = Self.ways(index, panel, words)
    }

    /// The whole file, in UTF-8, without scripts.
    package var html: String {
        let name = Markup.escaped(study.texts.name.isEmpty ? study.studyID : study.texts.name)
        return """
            <!DOCTYPE html>
            <html lang="\(words.language.tag)"><head><meta charset="utf-8"><title>\(words(CardPhrases.title, name))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(Self.style)</style></head><body>
            <header><h1>\(name)</h1>\(contact)</header>
            \(howTo)
            <main>
            \(tasks)
            \(answering)
            \(letterTables)
            \(signalTable)
            </main>
            </body></html>

            """
    }

    private var contact: String {
        let texts = [study.texts.contactEmail, study.texts.contactURL].filter { !$0.isEmpty }
        return texts.isEmpty
            ? "" : "<p class=contact>\(words(CardPhrases.contact, Markup.escaped(texts.joined(separator: " · "))))</p>"
    }

    // MARK: - How to

    private var howTo: String {
        var rows = gestures.compactMap { gesture, meaning in
            panel.words(for: gesture, in: words).map { row($0, meaning) }
        }
        rows += panel.ways(for: .cancel, in: words).map { row($0, words(CardPhrases.nothing)) }
        rows += panel.buttons.compactMap(boundTo)
        let steps = [
            words(CardPhrases.prompt, capitalised(pressing(panel.layout == .three ? .select : .next)), pressing(.undo)),
            words(CardPhrases.find), words(CardPhrases.answer), words(CardPhrases.undo, pressing(.undo)),
            words(CardPhrases.submit, pressing(.select), "\(RunLimits().graceSeconds(panel.holdTimes))"),
        ]
        return """
            <section class=howto><h2>\(words(CardPhrases.howTo))</h2><div class=columns>
            <table>\(rows.joined())</table>
            <ol>\(steps.map { "<li>\($0)</li>" }.joined(separator: "\n"))</ol>
            </div><p>\(words(CardPhrases.holding))\(panel.holdTimes == .slow ? " " + words(CardPhrases.slow) : "")</p></section>
            """
    }

    private func row(_ press: String, _ meaning: String) -> String {
        "<tr><th>\(Markup.escaped(capitalised(press)))</th><td>\(meaning)</td></tr>"
    }

    /// What a button does that opens one task or marks events; nil for the others.
    private func boundTo(_ button: Panel.Button) -> String? {
        let press = words(GesturePhrases.press, GesturePhrases.printed(button, in: words))
        switch button.role {
        case .task(let key): return row(press, Markup.escaped(study.task(key)?.name ?? key))
        case .marker: return row(press, words(CardPhrases.marker))
        default: return nil
        }
    }

    /// What the menu offers.
    private var menuMeaning: String {
        guard let pause = panel.pause else { return words(CardPhrases.menu) }
        return words(CardPhrases.menuWithPause, "\((pause.components.seconds + 59) / 60)")
    }

    private func pressing(_ gesture: Gesture) -> String { Markup.escaped(panel.pressing(gesture, in: words)) }

    private var gestures: [(Gesture, String)] {
        let isThree = panel.layout == .three
        return [
            (.next, words(isThree ? CardPhrases.nextYes : CardPhrases.next)),
            (.previous, words(isThree ? CardPhrases.previousNo : CardPhrases.previous)),
            (.select, words(isThree ? CardPhrases.choose : CardPhrases.chooseYes)),
            (.undo, words(CardPhrases.takeBack)), (.menu, menuMeaning),
        ]
    }

    // MARK: - Cards

    private var tasks: String {
        let cards = index.cards
        return study.tasks.map { task in
            let own = cards.filter { $0.task.key == task.key }
            let prompt = [task.prompt.title, task.prompt.message].filter { !$0.isEmpty && $0 != task.name }
                .joined(separator: " – ")
            return """
                <section><h2>\(Markup.escaped(task.name))</h2>\(prompt.isEmpty ? "" : "<p class=prompt>\(Markup.escaped(prompt))</p>")
                \(own.map(card).joined())</section>
                """
        }.joined(separator: "\n")
    }

    /// The ways of answering, each once, under the letter on its cards; then how a question is
    /// skipped.
    private var answering: String {
        let rows = ways.enumerated().map { place, way in
            "<p class=way><b>\(Self.letter(place))</b> \(Markup.escaped(way)).</p>"
        }
        let skips = skipping.map { "<p>\(Markup.escaped($0)).</p>" }
        guard !rows.isEmpty || !skips.isEmpty else { return "" }
        return "<section><h2>\(words(CardPhrases.ways))</h2>\(rows.joined())\(skips.joined())</section>"
    }

    /// How questions that need no answer are skipped, each way once; then what the filled mark
    /// means, where there is one.
    private var skipping: [String] {
        let questions = index.cards.map(\.step).filter(\.format.isQuestion)
        let ways = questions.filter { !$0.isRequired }.map {
            $0.format.kind.leavingOut(on: panel, in: words).drop { ". ".contains($0) }
        }
        let distinct = ways.reduce(into: [String]()) { if !$0.contains(String($1)) { $0.append(String($1)) } }
        return distinct + (questions.contains(where: \.isRequired) ? [words(CardPhrases.required)] : [])
    }

    /// A to Z, then A1 to Z1 and so on.
    private static func letter(_ place: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return place < letters.count
            ? String(letters[place]) : "\(letters[place % letters.count])\(place / letters.count)"
    }

    private func card(_ card: CardIndex.Card) -> String {
        """
        <article><div class=number><b>\(card.number)</b>\(RhythmDrawing(Cue.card(card.number, text: "").rhythm, in: words).svg)\(mark(card.step))</div>
        <p class=text>\(Markup.escaped(printed(card)))</p>\(body(card.step.format))\(refusal(card.step))</article>
        """
    }

    private func body(_ format: AnswerFormat) -> String {
        format.kind.card(CardContext(panel: panel, words: words, pictures: pictures, participant: participant))
    }

    /// The card's text. Where it will quote an earlier answer, the sheet names that answer's card instead.
    private func printed(_ card: CardIndex.Card) -> String {
        guard let piping = card.step.piping else { return card.step.text }
        let number = index.number(task: piping.task ?? card.task.key, step: piping.question)
        let place = PipedText.Answer([number.map { words(PipedPhrases.placeholder, "\($0)") } ?? "[…]"])
        return PipedText(card.step.text, snippet: piping.snippet).filled(with: place).text
    }

    /// The rows of symbols that texts are made of on this panel.
    private var letterTables: String {
        let kinds = index.cards.compactMap { card in
            if case .text(_, let rules) = card.step.format { rules.kind } else { nil }
        }
        return [TextRules.Kind.text, .email].filter(kinds.contains).compactMap(letterTable).joined(separator: "\n")
    }

    private func letterTable(_ kind: TextRules.Kind) -> String? {
        guard let board = panel.letterBoard(kind) else { return nil }
        let rows = board.symbols.enumerated().map { place, symbol in
            "<tr><th>\(place + 1)</th><td>\(Markup.escaped(words.text(LetterBoard.name(symbol))))</td><td>\(RhythmDrawing(Rhythm.number(place + 1), in: words).svg)</td></tr>"
        }
        let name = words(kind == .email ? LettersPhrases.addressTitle : LettersPhrases.title)
        return "<section class=letters><h2>\(name)</h2><table class=options>\(rows.joined())</table></section>"
    }

    /// The letter of the step's way of answering; on a filled mark where an answer is required.
    private func mark(_ step: Step) -> String {
        let place = Self.way(of: step, panel, words).flatMap { ways.firstIndex(of: $0) }
        let letter = place.map(Self.letter) ?? ""
        if step.isRequired, step.format.isQuestion {
            return "<i class=\"mark needed\">\(letter.isEmpty ? "!" : letter)</i>"
        }
        return letter.isEmpty ? "" : "<i class=mark>\(letter)</i>"
    }

    /// How the step is answered. Nil where the card itself says it (yes and no are beside their buttons), and
    /// where this panel cannot ask it.
    private static func way(of step: Step, _ panel: Panel, _ words: Words) -> String? {
        let kind = step.format.kind
        if case .yesNo = step.format { return nil }
        guard kind.refusal(on: panel) == nil else { return nil }
        let way = kind.howTo(on: panel, in: words)
        return way.prefix(1).uppercased() + way.dropFirst()
    }

    /// Says that this panel cannot ask the step, without the reason, which `studyd validate` gives.
    private func refusal(_ step: Step) -> String {
        guard case .refused = PanelSupport(step, on: panel, in: words) else { return "" }
        return "<p class=refused>\(words(CardPhrases.refused))</p>"
    }

    private static func ways(_ index: CardIndex, _ panel: Panel, _ words: Words) -> [String] {
        index.cards.reduce(into: []) { ways, card in
            if let way = way(of: card.step, panel, words), !ways.contains(way) { ways.append(way) }
        }
    }

    // MARK: - Signals

    private var signalTable: String {
        let use = SignalUse(study, on: panel)
        let rows = SignalTable.entries.filter { use.uses($0.cue) }.map { entry in
            """
            <p class=signal><i class=dot style="background:\(Self.colours[entry.cue.colour] ?? "#999")"></i><span>\(words(entry.meaning))</span>\
            \(RhythmDrawing(entry.cue.rhythm, in: words).svg)</p>
            """
        }
        return """
            <section class=signals><h2>\(words(CardPhrases.signals))</h2>\(rows.joined())
            <p>\(words(CardPhrases.numbers))\(use.hasLongNumbers ? words(CardPhrases.longNumbers) : "") \(words(CardPhrases.dot))</p></section>
            """
    }

    private static let colours: [SignalColour: String] = [
        .white: "#fff", .red: "#d22", .green: "#2a4", .blue: "#26d", .yellow: "#eb0", .violet: "#a3c",
    ]

    private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// Read at arm's length by eyes of seventy years: nothing is smaller than 14 pt.
    private static let style = """
        @page{size:A4;margin:8mm}*{box-sizing:border-box}
        body{font:14pt/1.1 Arial,"Liberation Sans",Helvetica,sans-serif;color:#000;max-width:192mm;margin:0 auto}
        header{border-bottom:2px solid #000;margin-bottom:2mm;display:flex;justify-content:space-between;align-items:baseline;flex-wrap:wrap;gap:0 6mm}
        h1{font-size:22pt;margin:0}h2{font-size:15pt;margin:2mm 0 .5mm;break-after:avoid}p{margin:0 0 1mm}
        main{columns:2;column-gap:5mm}.prompt{break-after:avoid}ol{margin:0;padding-left:6mm}li{margin-bottom:.5mm}
        table{border-collapse:collapse}th,td{text-align:left;padding:0 3mm 0 0;vertical-align:top}
        .howto table{width:100%;margin-bottom:1mm}.howto th{width:44%}.howto ol{columns:2;column-gap:10mm}
        article{border:1px solid #666;border-radius:2mm;padding:1mm 2.5mm 1.5mm;margin-bottom:1.5mm;break-inside:avoid}
        .number{display:flex;align-items:center;gap:3mm}.number b{font-size:24pt;line-height:1}.mark{margin-left:auto;border:1.5px solid #000;border-radius:50%;width:8mm;height:8mm;text-align:center;font-style:normal;font-weight:bold}.needed{background:#000;color:#fff;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .text{white-space:pre-line;overflow-wrap:anywhere}.refused{color:#a00;font-weight:bold}
        .options{width:100%}.options th{width:7mm}.options td:last-child{text-align:right;padding:0}
        .yesno{display:flex;gap:2mm}.yesno span{flex:1;border:2px solid #000;border-radius:2mm;padding:1mm 2mm;text-align:center}.yesno b{display:block;font-size:20pt;line-height:1.1}
        .scale{display:flex;align-items:center;gap:2mm}.scale i{flex:1;min-width:8mm;border-top:2px solid #000}
        .way{break-inside:avoid}.way b{display:inline-block;min-width:6mm}
        img{max-width:100%;max-height:60mm;object-fit:contain}svg{max-width:100%;height:auto;overflow:visible}
        .signal{display:flex;flex-wrap:wrap;align-items:center;gap:0 2mm;break-inside:avoid;margin:0}.signal span{flex:1 1 auto;max-width:calc(100% - 6mm)}
        .dot{flex:none;width:3.5mm;height:3.5mm;border-radius:50%;border:1px solid #555;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        @media screen{body{padding:4mm}}@media screen and (max-width:700px){main,.howto ol{columns:1}}
        """
}
