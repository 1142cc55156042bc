// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// The printable sheet that goes with the device: one HTML file with nothing outside it but the study's pictures.
package struct CardSheet: Sendable {
    private let study: StudyProtocol
    private let panel: Panel
    private let pictures: [String: String]
    private let participant: String?
    private let index: CardIndex
    private let words: Words

    /// The sheet of a study for a panel. `pictures` gives data URIs by a picture's address; a picture that is not in it is named by
    /// its own address where that is http or https. `participant` completes addresses that end in the participant's id; nil = they are
    /// completed by hand.
    package init(_ study: StudyProtocol, panel: Panel, pictures: [String: String] = [:], participant: String? = nil) {
        self.participant = participant
        let study = study.served(by: panel)
        self.study = study
        self.panel = panel
        self.pictures = pictures
        index = CardIndex(study)
        words = Words(study, on: panel)
    }

    /// The whole file, in UTF-8, without scripts.
    package var html: String {
        let name = HTML.escaped(study.texts.name.isEmpty ? study.studyID : study.texts.name)
        return """
            <!DOCTYPE html>
            <html lang="\(words.language.rawValue)"><head><meta charset="utf-8"><title>\(words(CardPhrases.title, name))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(Self.style)</style></head><body>
            <header><h1>\(name)</h1>\(contact)</header>
            \(howTo)
            \(tasks)
            \(letterTables)
            \(signalTable)
            </body></html>

            """
    }

    private var contact: String {
        let texts = [study.texts.contactEmail, study.texts.contactURL].filter { !$0.isEmpty }
        return texts.isEmpty
            ? "" : "<p class=contact>\(words(CardPhrases.contact, HTML.escaped(texts.joined(separator: " · "))))</p>"
    }

    // MARK: - How to

    private var howTo: String {
        let rows = gestures.compactMap { gesture, meaning in
            panel.words(for: gesture, in: words).map {
                "<tr><th>\(HTML.escaped(capitalised($0)))</th><td>\(words(meaning))</td></tr>"
            }
        }
        let steps = [
            words(CardPhrases.prompt, capitalised(say(panel.layout == .three ? .select : .next)), say(.undo)),
            words(CardPhrases.find), words(CardPhrases.answer), words(CardPhrases.undo, say(.undo)),
            words(CardPhrases.submit, say(.select), "\(RunLimits().graceSeconds(panel.holdTimes))"),
        ]
        return """
            <section class=howto><h2>\(words(CardPhrases.howTo))</h2><div class=columns>
            <table>\(rows.joined())</table>
            <ol>\(steps.map { "<li>\($0)</li>" }.joined(separator: "\n"))</ol>
            </div><p>\(words(CardPhrases.holding))\(panel.holdTimes == .slow ? " " + words(CardPhrases.slow) : "")</p></section>
            """
    }

    private func say(_ gesture: Gesture) -> String { HTML.escaped(panel.say(gesture, in: words)) }

    private var gestures: [(Gesture, Phrase)] {
        let isThree = panel.layout == .three
        return [
            (.next, isThree ? CardPhrases.nextYes : CardPhrases.next),
            (.previous, isThree ? CardPhrases.previousNo : CardPhrases.previous),
            (.select, isThree ? CardPhrases.choose : CardPhrases.chooseYes), (.undo, CardPhrases.takeBack),
            (.menu, CardPhrases.menu), (.cancel, CardPhrases.nothing),
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
                <section><h2>\(HTML.escaped(task.name))</h2>\(prompt.isEmpty ? "" : "<p class=prompt>\(HTML.escaped(prompt))</p>")
                <div class=cards>\(own.map(card).joined())</div></section>
                """
        }.joined(separator: "\n")
    }

    private func card(_ card: CardIndex.Card) -> String {
        """
        <article><div class=number><b>\(card.number)</b>\(RhythmDrawing(Cue.card(card.number, text: "").rhythm, in: words).svg)</div>
        <p class=text>\(HTML.escaped(printed(card)))</p>\(body(card.step.format))\(footer(card.step))</article>
        """
    }

    private func body(_ format: AnswerFormat) -> String {
        format.kind.card(
            CardSurroundings(panel: panel, words: words, pictures: pictures, participant: participant))
    }

    /// An answer that will stand in the text is named by its card.
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
            "<tr><th>\(place + 1)</th><td>\(HTML.escaped(words.text(LetterBoard.name(symbol))))</td><td>\(RhythmDrawing(Rhythm.number(place + 1), in: words).svg)</td></tr>"
        }
        let name = words(kind == .email ? LettersPhrases.addressTitle : LettersPhrases.title)
        return "<section class=letters><h2>\(name)</h2><table class=options>\(rows.joined())</table></section>"
    }

    private func footer(_ step: Step) -> String {
        switch PanelSupport(step, on: panel, in: words) {
        case .asked(_, let answered): "<p class=how>\(HTML.escaped(capitalised(answered))).</p>"
        // Why not is said by `validate`, to those who can change it.
        case .refused: "<p class=refused>\(words(CardPhrases.refused))</p>"
        }
    }

    // MARK: - Signals

    private var signalTable: String {
        let rows = SignalTable.entries.map { meaning, cue in
            """
            <tr><td><i class=dot style="background:\(Self.colours[cue.colour] ?? "#999")"></i></td><td>\(words(meaning))</td>\
            <td>\(RhythmDrawing(cue.rhythm, in: words).svg)</td></tr>
            """
        }
        return """
            <section class=signals><h2>\(words(CardPhrases.signals))</h2><table>\(rows.joined())</table>
            <p>\(words(CardPhrases.numbers))</p></section>
            """
    }

    private static let colours: [LightColour: String] = [
        .white: "#fff", .red: "#d22", .green: "#2a4", .blue: "#26d", .yellow: "#eb0", .violet: "#a3c",
    ]

    private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private static let style = """
        @page{size:A4;margin:14mm}*{box-sizing:border-box}
        body{font:11pt/1.35 system-ui,"DejaVu Sans",sans-serif;color:#111;max-width:190mm;margin:0 auto;padding:4mm}
        header{border-bottom:2px solid #111;margin-bottom:4mm}h1{font-size:22pt;margin:0}h2{font-size:14pt;margin:6mm 0 2mm;break-after:avoid}
        .contact,.prompt,.unit{color:#444;margin:1mm 0 2mm}.prompt{break-after:avoid}.columns{display:flex;gap:8mm;align-items:flex-start}.columns>*{flex:1}ol{margin:0;padding-left:5mm}li{margin-bottom:1mm}
        table{border-collapse:collapse}th{text-align:left;padding:.6mm 3mm .6mm 0;vertical-align:top}td{padding:.6mm 3mm .6mm 0;vertical-align:top}td svg{margin-top:1mm}
        .cards{display:grid;grid-template-columns:1fr 1fr;gap:4mm}
        article{border:1px solid #888;border-radius:3mm;padding:3mm 4mm;break-inside:avoid;display:flex;flex-direction:column}
        .number{display:flex;align-items:center;gap:4mm;min-height:11mm}.number b{font-size:26pt;line-height:1}
        .text{font-size:12pt;margin:1mm 0 2mm;white-space:pre-line;overflow-wrap:anywhere}.how{font-size:9pt;color:#333;margin:auto 0 0;padding-top:2mm;border-top:1px dotted #aaa}
        .refused{color:#a00;font-weight:bold;font-size:10pt}.options{margin-bottom:2mm}.options th{width:7mm}
        .scale{display:flex;align-items:center;gap:3mm}.scale i{flex:1;border-top:2px solid #111}
        img{max-width:100%;max-height:60mm;object-fit:contain;margin-bottom:2mm}svg{display:block;max-width:100%;height:auto;overflow:visible}
        .signals{break-before:page}.signals table{width:100%}.signals tr{border-bottom:1px solid #ddd;break-inside:avoid}
        .dot{display:inline-block;width:3.5mm;height:3.5mm;border-radius:50%;border:1px solid #555;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        @media screen and (max-width:600px){.cards{grid-template-columns:1fr}.columns{display:block}.columns>*{margin-bottom:4mm}.options,.signals table{display:block}
        .options tbody,.signals tbody{display:block}.options tr,.signals tr{display:flex;flex-wrap:wrap}.options th,.signals td:first-child{flex:0 0 7mm}.options td,.signals td:nth-child(2){flex:1 1 0;min-width:50%}.options td:last-child,.signals td:last-child{flex:0 1 auto;min-width:0;max-width:100%;padding-left:7mm}}
        """
}
