// SPDX-License-Identifier: Apache-2.0
import Base

/// The Paced Serial Addition Test on a panel, for `ActiveTaskKind`: digits are spoken, and each sum of the last
/// two is entered with one button for ten and one for each one.
extension PSATRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { PSATStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let names = [panel.tapButtons?.left, panel.tapButtons?.right].map { index in
            index.map { panel.printedName(of: $0, in: words) } ?? ""
        }
        return words(
            PSATPhrases.howTo, words.seconds(interStimulusInterval), names[0], names[1], "\(seriesLength)")
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

enum PSATPhrases {
    static let ten = Phrase("add ten")
    static let one = Phrase("add one")
    static let howTo = Phrase(
        "any button starts; a digit is said every {0} s: add it to the digit before and press {1} for ten, {2} for each one of the sum, before the next digit; {3} sums; opening the menu starts it over"
    )
    static let summary = Phrase("{0} of {1} sums right")
}
