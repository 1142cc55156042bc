// SPDX-License-Identifier: Apache-2.0

/// How the tower of Hanoi is explained and spoken on a panel, for `ActiveTaskKind`; `TowerOfHanoiStep` is the
/// machine.
extension TowerOfHanoiRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { TowerOfHanoiStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let ways =
            panel.layout == .three
            ? words(TowerOfHanoiPhrases.threeButtons)
            : words(TowerOfHanoiPhrases.walking, panel.walking(in: words), panel.pressing(.select, in: words))
        return words(TowerOfHanoiPhrases.howTo, ways, panel.pressing(.menu, in: words))
    }

    func spoken(on panel: Panel) -> [Said] { TowerOfHanoiPhrases.spoken.map { .device($0) } }
}

extension HanoiRecord: PerformanceSummary {
    func summary(in words: Words) -> String {
        words(
            TowerOfHanoiPhrases.summary, moves.count,
            words(isSolved ? TowerOfHanoiPhrases.solved : TowerOfHanoiPhrases.unsolved))
    }
}
