// SPDX-License-Identifier: Apache-2.0
import Base

/// What reaction time and go/no-go differ in; `ReactionStep` plays both, for `ActiveTaskKind`.
protocol ReactionPlay: ActiveTaskPlay {
    var terms: ReactionTerms { get }
    /// Some lights are not to be reacted to.
    var hasNoGo: Bool { get }
    /// The result; `void` is how many attempts were thrown away (`ReactionTest.void`).
    func record(_ attempts: [ReactionAttempt], void: Int) -> any PerformanceRecord
}

extension ReactionPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { ReactionStep(self, in: context) }

    func spoken(on panel: Panel) -> [Said] {
        (ReactionPhrases.spoken + (hasNoGo ? ReactionPhrases.spokenWithNoGo : [])).map { .device($0) }
    }

    func refusal(on panel: Panel) -> String? {
        panel.leds.isEmpty ? "\(name) needs a light, and the board has none; add one" : nil
    }
}

extension ReactionTimeRules: ReactionPlay {
    var hasNoGo: Bool { false }

    func record(_ attempts: [ReactionAttempt], void: Int) -> any PerformanceRecord {
        ReactionTimeRecord(attempts: attempts, void: void)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(ReactionPhrases.howTo, "\(terms.numberOfAttempts)", words.seconds(terms.timeout))
    }
}

extension GoNoGoRules: ReactionPlay {
    var hasNoGo: Bool { true }

    func record(_ attempts: [ReactionAttempt], void: Int) -> any PerformanceRecord {
        GoNoGoRecord(attempts: attempts, void: void)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let lights = panel.hasColours ? ReactionPhrases.colours : ReactionPhrases.flicker
        return words(ReactionPhrases.howToWithNoGo, words(lights), "\(terms.numberOfAttempts)")
    }
}

extension ReactionTimeRecord: PerformanceSummary {
    func summary(in words: Words) -> String { ReactionPhrases.summary(attempts, words) }
}

extension GoNoGoRecord: PerformanceSummary {
    func summary(in words: Words) -> String { ReactionPhrases.summary(attempts, words) }
}

enum ReactionPhrases {
    static let press = Phrase("Press on this light")
    static let doNotPress = Phrase("Do not press on this light")
    static let spoken = [
        GamePhrases.pressToBegin, GamePhrases.pressToGoOn, VigilancePhrases.dark, GamePhrases.tooEarly,
        GamePhrases.tooLate,
    ]
    static let spokenWithNoGo = [press, doNotPress, GamePhrases.won, GamePhrases.lost]

    static let howTo = Phrase(
        "any button starts; then press any button as soon as the light comes on, until {0} were in time ({1} s); too early or too late is repeated"
    )
    static let howToWithNoGo = Phrase(
        "any button starts; then press any button as soon as the light comes on, but not when {0}, until {1} were right; mistakes are repeated"
    )
    static let colours = Phrase("it is green instead of blue")
    static let flicker = Phrase("it flickers")
    private static let summary = Phrase("reaction times {0} ms")
    private static let summaryWithMistakes = Phrase("reaction times {0} ms, mistakes: {1}")

    static func summary(_ attempts: [ReactionAttempt], _ words: Words) -> String {
        let times = attempts.filter { $0.outcome == .reacted }.compactMap { $0.response?.milliseconds }
        let list = times.map { "\($0)" }.joined(separator: ", ")
        let mistakes = attempts.count { !$0.succeeded }
        return mistakes == 0 ? words(summary, list) : words(summaryWithMistakes, list, "\(mistakes)")
    }
}
