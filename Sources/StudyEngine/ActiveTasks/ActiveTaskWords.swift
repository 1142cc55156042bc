// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

extension ActiveTask {
    /// How it is performed on that panel, in one sentence without its end, for `validate` and the card sheet.
    func performing(_ panel: Panel) -> String {
        switch self {
        case .kickCounter: Self.counting(panel)
        case .spatialSpan(let rules): Self.span(rules, panel)
        case .towerOfHanoi: Self.towers(panel)
        case .vigilance(let rules): Self.vigilance(rules, panel)
        }
    }

    private static func counting(_ panel: Panel) -> String {
        let kick = panel.layout == .three ? "\(panel.say(.next)) or \(panel.say(.previous))" : panel.say(.next)
        let choose = panel.say(.select)
        return "any press begins; then \(kick) for each kick; it ends by itself, or when done: \(choose), "
            + "\(panel.say(.next)) for “end the count”, \(choose) (\(choose) at once goes on counting); at the end "
            + "\(choose) keeps the numbers, \(panel.walking) of correcting them, \(panel.say(.undo)) takes the end back"
    }

    private static func span(_ rules: SpatialSpanRules, _ panel: Panel) -> String {
        let board = SpanBoard(rules, on: panel)
        let order = rules.requiresReversal ? "the other way round" : "in the same order"
        let names = board.all.map { panel.buttons[$0].name }.joined(separator: ", ")
        let which = board.all.count < panel.targets.count ? " (\(names))" : ""
        return "first press each of its \(board.all.count) buttons\(which) to learn its signal, "
            + "told by \(board.telling); then any button begins a game: after “watch” some are told, "
            + "press them \(order) once it is your turn\(board.cap)"
    }

    private static func vigilance(_ rules: VigilanceRules, _ panel: Panel) -> String {
        let leaving =
            rules.allowsLeaving
            ? "leaving it out in the menu (\(panel.say(.menu))) ends it, and what was measured is sent"
            : "it cannot be left out, only left without saving"
        let results =
            rules.showsResults ? "at the end \(panel.walking) of the times, \(panel.say(.select)) when read; " : ""
        return "any button begins, and three are counted down; then any button as soon as the light goes on, until "
            + "\(rules.trials) were in time (\(rules.maximumReaction.milliseconds) ms); too early or too late is repeated; "
            + results + leaving
    }

    private static func towers(_ panel: Panel) -> String {
        let ways =
            panel.layout == .three
            ? "the three buttons are the three towers" : "\(panel.walking) of the towers, \(panel.say(.select)) chooses"
        return
            "\(ways): first the tower a disk is taken from, then the one it is put on; the same tower again takes it back; "
            + "leaving it out in the menu (\(panel.say(.menu))) gives up"
    }
}

extension ActiveTask {
    /// What it says on that panel besides its step's text.
    func words(of panel: Panel) -> [Cue] {
        switch self {
        case .kickCounter: (KickCounterStep.words + KickCounterStep.endingWords).map { .menuItem(1, text: $0) }
        case .spatialSpan:
            SpatialSpanStep.words.map { .menuItem(1, text: $0) }
                + panel.targets.map { .message(panel.buttons[$0].name) } + [.yourTurn]
        case .towerOfHanoi: (TowerOfHanoiStep.words + [Cue.empty]).map { .menuItem(1, text: $0) }
        case .vigilance: VigilanceStep.words.map { .menuItem(1, text: $0) } + [.tooEarly, .tooLate]
        }
    }
}

extension Performance {
    /// In one line, for people: `12 kicks in 30 min`.
    public var summary: String {
        switch self {
        case .kicks(let record): "\(record.count) kicks in \(Int(record.duration.seconds)) s"
        case .span(let record):
            "score \(record.score), \(record.numberOfGames) games, \(record.numberOfFailures) failures"
                + (record.cap.map { ", span capped at \($0)" } ?? "")
        case .vigilance(let record): "reaction times \(record.text)"
        case .hanoi(let record): "\(record.moves.count) moves, \(record.isSolved ? "solved" : "not solved")"
        }
    }
}
