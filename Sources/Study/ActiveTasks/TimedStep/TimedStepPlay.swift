// SPDX-License-Identifier: Apache-2.0
import Base

/// How a timed step is explained, spoken and refused on a panel, for `ActiveTaskKind`; `TimedStep` is the
/// machine.
extension TimedStepRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { TimedStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let seconds = "\(Int(duration.seconds.rounded()))"
        let begin = words(
            takesTaps
                ? TimedStepPhrases.byTap : beginsByItself ? TimedStepPhrases.byItself : TimedStepPhrases.byPress,
            panel.pressing(.select, in: words), seconds)
        guard takesTaps, let (left, right) = panel.tapButtons else { return begin }
        let names = [left, right].map { panel.printedName(of: $0, in: words) }
        return begin + words(TimedStepPhrases.taps, names[0], names[1])
    }

    func spoken(on panel: Panel) -> [Said] {
        TimedStepPhrases.spoken.map { .device($0) } + lines.map { .study($0.text) }
            + (0..<max(0, min(countedSeconds, 60))).map { .number(String($0 + 1)) }
    }

    func refusal(on panel: Panel) -> String? {
        takesTaps && panel.tapButtons == nil
            ? "\(name) counts changes between two buttons, and with one the count is 1 however often it is pressed; use a board with at least two buttons. "
                + "One button measures reactionTime, gonogo, timedWalk and steps that last"
            : nil
    }
}

extension TimedStepRecord: PerformanceSummary {
    func summary(in words: Words) -> String {
        let seconds = "\(Int(measured.seconds.rounded()))"
        return taps.isEmpty
            ? words(TimedStepPhrases.lasted, seconds) : words(TimedStepPhrases.summary, seconds, "\(tapCount)")
    }
}

enum TimedStepPhrases {
    static let tap = Phrase("tap")
    static let selectToBegin = Phrase("Select to start")
    static let tapToBegin = Phrase("The first tap starts the time")
    static let selectToGoOn = Phrase("Time is up; select to continue")
    static let goesOn = Phrase("Continuing")
    /// All that it says in addition to the study's own texts.
    static let spoken = [selectToBegin, tapToBegin, selectToGoOn, goesOn]

    static let byPress = Phrase("{0} to start, it takes {1} s; the menu pauses it")
    static let byTap = Phrase("the first tap starts it, it takes {1} s; the menu pauses it")
    static let byItself = Phrase("it starts by itself and takes {1} s; the menu pauses it")
    static let taps = Phrase("; tap {0} and {1} in turn, as fast as possible")
    static let lasted = Phrase("{0} s")
    static let summary = Phrase("{0} s, {1} taps in turn")
}
