// SPDX-License-Identifier: Apache-2.0

/// The spatial span test on a panel, for `ActiveTaskKind`. The buttons are the targets; `SpanBoard` decides
/// which and how they are signalled.
extension SpatialSpanRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { SpatialSpanStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let board = SpanBoard(self, on: panel)
        let order = requiresReversal ? SpatialSpanPhrases.reversed : SpatialSpanPhrases.sameOrder
        let names = board.all.map { panel.printedName(of: $0, in: words) }
        let isPart = board.all.count < panel.targets.count
        let which = isPart ? words(SpatialSpanPhrases.which, names.joined(separator: ", ")) : ""
        return words(
            SpatialSpanPhrases.howTo, "\(board.all.count)", which, board.signalText(in: words), words(order),
            board.cap(in: words))
    }

    func spoken(on panel: Panel) -> [Said] {
        SpatialSpanPhrases.spoken.map { .device($0) }
            + panel.targets.map { GesturePhrases.name(panel.buttons[$0]) }
    }

    func refusal(on panel: Panel) -> String? { SpanBoard(self, on: panel).refusal }
}

extension SpanRecord: PerformanceSummary {
    func summary(in words: Words) -> String {
        words(SpatialSpanPhrases.summary, "\(score)", "\(numberOfGames)", "\(numberOfFailures)")
            + (cap.map { words(SpatialSpanPhrases.summaryCapped, "\($0)") } ?? "")
    }
}
