// SPDX-License-Identifier: Apache-2.0

enum VigilancePhrases {
    static let times = Phrase("Your times")
    static let dark = Phrase("The light does not come on")
    static let spoken = [
        GamePhrases.pressToBegin, GamePhrases.pressToGoOn, times, dark, GamePhrases.tooEarly, GamePhrases.tooLate,
    ]

    static let howTo = Phrase(
        "any button starts a countdown from three; then press any button as soon as the light comes on, until {0} were in time ({1} ms); too early or too late is repeated; "
    )
    static let results = Phrase("at the end {0} through the times, {1} when done; ")
    static let leaving = Phrase("skipping it in the menu ({0}) ends it, and what was measured is sent")
    static let noLeaving = Phrase("it cannot be skipped, only left without saving")
    static let summary = Phrase("reaction times {0}")
}
