// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

extension ActiveTask {
    /// How it is performed on that panel, in one sentence without its end, for `validate` and the card sheet.
    func performing(_ panel: Panel, in words: Words) -> String {
        switch self {
        case .kickCounter: Self.counting(panel, words)
        case .spatialSpan(let rules): Self.span(rules, panel, words)
        case .towerOfHanoi: Self.towers(panel, words)
        case .vigilance(let rules): Self.vigilance(rules, panel, words)
        }
    }

    private static func counting(_ panel: Panel, _ words: Words) -> String {
        let next = panel.say(.next, in: words)
        let kick =
            panel.layout == .three ? words(KickCounterPhrases.either, next, panel.say(.previous, in: words)) : next
        return words(
            KickCounterPhrases.howTo, kick, panel.say(.select, in: words), next, panel.walking(in: words),
            panel.say(.undo, in: words))
    }

    private static func span(_ rules: SpatialSpanRules, _ panel: Panel, _ words: Words) -> String {
        let board = SpanBoard(rules, on: panel)
        let order = rules.requiresReversal ? SpatialSpanPhrases.reversed : SpatialSpanPhrases.sameOrder
        let names = board.all.map { words.text(GesturePhrases.name(panel.buttons[$0].name)) }
        let isPart = board.all.count < panel.targets.count
        let which = isPart ? words(SpatialSpanPhrases.which, names.joined(separator: ", ")) : ""
        return words(
            SpatialSpanPhrases.howTo, "\(board.all.count)", which, board.telling(in: words), words(order),
            board.cap(in: words))
    }

    private static func vigilance(_ rules: VigilanceRules, _ panel: Panel, _ words: Words) -> String {
        let leaving =
            rules.allowsLeaving
            ? words(VigilancePhrases.leaving, panel.say(.menu, in: words)) : words(VigilancePhrases.noLeaving)
        let results =
            rules.showsResults
            ? words(VigilancePhrases.results, panel.walking(in: words), panel.say(.select, in: words)) : ""
        return words(VigilancePhrases.howTo, "\(rules.trials)", "\(rules.maximumReaction.milliseconds)") + results
            + leaving
    }

    private static func towers(_ panel: Panel, _ words: Words) -> String {
        let ways =
            panel.layout == .three
            ? words(TowerOfHanoiPhrases.threeButtons)
            : words(TowerOfHanoiPhrases.walking, panel.walking(in: words), panel.say(.select, in: words))
        return words(TowerOfHanoiPhrases.howTo, ways, panel.say(.menu, in: words))
    }
}

extension ActiveTask {
    /// What it says on that panel besides its step's text.
    func spoken(on panel: Panel) -> [Said] {
        switch self {
        case .kickCounter: KickCounterPhrases.spoken.map { .device($0) }
        case .spatialSpan:
            SpatialSpanPhrases.spoken.map { .device($0) }
                + panel.targets.map { GesturePhrases.name(panel.buttons[$0].name) }
        case .towerOfHanoi: TowerOfHanoiPhrases.spoken.map { .device($0) }
        case .vigilance: VigilancePhrases.spoken.map { .device($0) }
        }
    }
}

extension Performance {
    /// In one line, for people: `12 kicks in 30 min`.
    public func summary(in words: Words) -> String {
        switch self {
        case .kicks(let record): words(KickCounterPhrases.summary, record.count, "\(Int(record.duration.seconds))")
        case .span(let record):
            words(
                SpatialSpanPhrases.summary, "\(record.score)", "\(record.numberOfGames)", "\(record.numberOfFailures)")
                + (record.cap.map { words(SpatialSpanPhrases.summaryCapped, "\($0)") } ?? "")
        case .vigilance(let record): words(VigilancePhrases.summary, record.text)
        case .hanoi(let record):
            words(
                TowerOfHanoiPhrases.summary, record.moves.count,
                words(record.isSolved ? TowerOfHanoiPhrases.solved : TowerOfHanoiPhrases.unsolved))
        }
    }
}
