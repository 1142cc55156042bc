// SPDX-License-Identifier: Apache-2.0
import Base

/// How a timed walk is explained and spoken on a panel, for `ActiveTaskKind`: a walk over a known distance,
/// timed by a press at its beginning and one at its end. `TimedWalkStep` is the machine.
extension TimedWalkRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { TimedWalkStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(TimedWalkPhrases.howTo, words.number(Self.meters(distanceInMeters)), "\(timeLimit.milliseconds / 1_000)")
    }

    func spoken(on panel: Panel) -> [Said] { [.device(GamePhrases.pressToBegin)] }

    /// Without a fraction where there is none.
    static func meters(_ distance: Double) -> String {
        abs(distance) < 1e6 && distance == distance.rounded() ? "\(Int(distance))" : "\(distance)"
    }
}

extension TimedWalkRecord: PerformanceSummary {
    func summary(in words: Words) -> String {
        let tenths = duration.milliseconds / 100
        return words(
            isFinished ? TimedWalkPhrases.summary : TimedWalkPhrases.unfinished,
            words.number(TimedWalkRules.meters(distanceInMeters)), words.number("\(tenths / 10).\(tenths % 10)"))
    }
}

enum TimedWalkPhrases {
    static let arrived = Phrase("arrived")
    static let howTo = Phrase(
        "press any button where the way begins, and again after {0} m; it ends after {1} s at the latest; opening the menu starts it over"
    )
    static let summary = Phrase("{0} m in {1} s")
    static let unfinished = Phrase("{0} m not finished in {1} s")
}
