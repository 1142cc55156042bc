// SPDX-License-Identifier: Apache-2.0
import Base

extension PSATRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { PSATStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let names = [panel.tapButtons?.left, panel.tapButtons?.right].map { index in
            index.map { panel.printedName(of: $0, in: words) } ?? ""
        }
        return words(
            PSATPhrases.howTo, ReactionPhrases.seconds(interStimulusInterval), names[0], names[1], "\(seriesLength)")
    }

    func spoken(on panel: Panel) -> [Said] {
        [.device(GamePhrases.pressToBegin)] + (1...9).map { .number(String($0)) }
    }

    func refusal(on panel: Panel) -> String? {
        if !panel.hasLoudspeaker { return "\(name) says its digits, and the board has no loudspeaker; add one" }
        return panel.tapButtons == nil
            ? "\(name) needs two buttons, one for ten and one for one; use a board with at least two" : nil
    }
}

extension PSATRecord: PerformanceSummary {
    func summary(in words: Words) -> String { words(PSATPhrases.summary, "\(totalCorrect)", "\(length)") }
}

/// What the addition test prints.
enum PSATPhrases {
    static let ten = Phrase("add ten", de: "zehn dazu", es: "sumar diez")
    static let one = Phrase("add one", de: "eins dazu", es: "sumar uno")
    static let howTo = Phrase(
        "any button starts; a digit is said every {0} s: add it to the digit before and press {1} for ten, {2} for each one of the sum, before the next digit; {3} sums; opening the menu starts it over",
        de:
            "jede Taste startet; alle {0} s wird eine Ziffer gesagt: zur Ziffer davor addieren und {1} für zehn, {2} für jede Eins der Summe drücken, bevor die nächste Ziffer kommt; {3} Summen; das Menü beginnt von vorn",
        es:
            "cualquier botón comienza; cada {0} s se dice una cifra: sumarla a la anterior y pulsar {1} para diez y {2} por cada unidad de la suma, antes de la cifra siguiente; {3} sumas; al abrir el menú se empieza de nuevo"
    )
    static let summary = Phrase(
        "{0} of {1} sums right", de: "{0} von {1} Summen richtig", es: "{0} de {1} sumas correctas")
}
