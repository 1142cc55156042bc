// SPDX-License-Identifier: Apache-2.0
import Base

/// momenTUM's reaction time test (`pvt`) on a panel, for `ActiveTaskKind`: any button is pressed as soon as the
/// light goes on. `VigilanceStep` is the machine.
extension VigilanceRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { VigilanceStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let leaving =
            allowsLeaving
            ? words(VigilancePhrases.leaving, panel.pressing(.menu, in: words)) : words(VigilancePhrases.noLeaving)
        let results =
            showsResults
            ? words(VigilancePhrases.results, panel.walking(in: words), panel.pressing(.select, in: words)) : ""
        return words(VigilancePhrases.howTo, "\(trials)", "\(maximumReaction.milliseconds)") + results + leaving
    }

    func spoken(on panel: Panel) -> [Said] { VigilancePhrases.spoken.map { .device($0) } }

    func refusal(on panel: Panel) -> String? {
        panel.leds.isEmpty ? "a vigilance test needs a light, and the board has none; add one" : nil
    }
}

extension VigilanceRecord: PerformanceSummary {
    func summary(in words: Words) -> String { words(VigilancePhrases.summary, text) }
}
