// SPDX-License-Identifier: Apache-2.0

/// How a count of kicks is explained and spoken on a panel, for `ActiveTaskKind`; `KickCounterStep` is the
/// machine.
extension KickCounterRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { KickCounterStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let next = panel.pressing(.next, in: words)
        let kick =
            panel.layout == .three ? words(KickCounterPhrases.either, next, panel.pressing(.previous, in: words)) : next
        return words(
            KickCounterPhrases.howTo, kick, panel.pressing(.select, in: words), next, panel.walking(in: words),
            panel.pressing(.undo, in: words))
    }

    func spoken(on panel: Panel) -> [Said] { KickCounterPhrases.spoken.map { .device($0) } }
}

extension KickRecord: PerformanceSummary {
    func summary(in words: Words) -> String {
        words(KickCounterPhrases.summary, count, "\(Int(duration.components.seconds))")
    }
}
