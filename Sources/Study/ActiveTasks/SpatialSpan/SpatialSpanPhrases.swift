// SPDX-License-Identifier: Apache-2.0

enum SpatialSpanPhrases {
    /// What a button means where the board is drawn.
    static let tryIt = Phrase("try it")
    static let target = Phrase("this target")

    static let practice = Phrase("Try each button. Each has its own signal")
    static let spoken = [GamePhrases.pressToBegin, practice, GamePhrases.yourTurn, GamePhrases.won, GamePhrases.lost]

    static let sameOrder = Phrase("in the same order")
    static let reversed = Phrase("in reverse order")
    /// {0} how many buttons, {1} `which` or nothing, {2} the signals, {3} `sameOrder` or `reversed`,
    /// {4} what is capped, or nothing.
    static let howTo = Phrase(
        "first press each of its {0} buttons{1} to learn its signal ({2}); then any button starts a game: after “watch” some are signalled, press them {3} when it is your turn{4}"
    )
    static let cap = Phrase("; no sequence is longer than {0} (the study: up to {1})")
    static let cappedStart = Phrase(", and the test is capped: it begins with {0}, not {1}")
    static let cappedMinimum = Phrase(", and its minimum is {0}, not {1}")
    static let lightAlone = Phrase("the light at each button")
    static let lightAndPulses = Phrase("the light at each button, and pulses of {0}")
    static let lightAndPitch = Phrase("the light at each button, its pitch and pulses of {0}")
    static let pulses = Phrase("one to {0} pulses of {1}")
    static let light = Phrase("light")
    static let sound = Phrase("sound")
    static let shaking = Phrase("shaking")
    static let and = Phrase("{0} and {1}")
    static let which = Phrase(" ({0})")
    static let summary = Phrase("score {0}, {1} games, {2} failures")
    static let summaryCapped = Phrase(", span capped at {0}")
}
