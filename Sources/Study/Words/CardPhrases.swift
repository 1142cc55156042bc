// SPDX-License-Identifier: Apache-2.0

/// What the card sheet (`CardSheet`) prints in every study; the texts of a kind of question are with the kind.
enum CardPhrases {
    static let title = Phrase("{0}: cards")
    static let contact = Phrase("Questions? {0}")
    static let howTo = Phrase("How to use it")

    /// The five steps, in order.
    static let prompt = Phrase(
        "The device signals: a prompt is waiting. {0} to start, {1} for later. If it signals a card number at once, just press yes or no."
    )
    static let find = Phrase(
        "It signals a card number: short, long, then a long for each ten and a short for each one. Find the card below."
    )
    static let answer = Phrase("Answer with the buttons. The device signals the number of the option you are on.")
    static let undo = Phrase("A wrong press does no harm: {0} to undo.")
    static let submit = Phrase(
        "At the end {0} to submit; a single question is said back and submitted by itself after {1} seconds. The rising tone means: safely stored."
    )
    static let holding = Phrase(
        "While a button is held, the light blinks 2, 3, 4 times: let go at the one you want. When idle, any short press opens the list of what you can do now."
    )

    static let slow = Phrase(
        "Set for slow hands: there is time to press, and a button that is pressed twice at once counts once.")

    static let next = Phrase("next, more, no")
    static let nextYes = Phrase("next, more, yes")
    static let previous = Phrase("previous")
    static let previousNo = Phrase("previous, less, no")
    static let choose = Phrase("choose, continue, OK")
    static let chooseYes = Phrase("choose, continue, OK, yes")
    static let takeBack = Phrase("undo; with a prompt: not now")
    static let menu = Phrase("menu: prompts off and on, leave")
    static let menuWithPause = Phrase("menu: prompts off and on, pause the sensors for {0} min, leave")
    static let marker = Phrase("note that something has happened")
    static let nothing = Phrase("nothing: hold on if you held it by mistake")

    static let refused = Phrase("Cannot be asked on this device.")
    static let ways = Phrase("How to answer")
    static let signals = Phrase("Signals")
    static let required = Phrase("A black mark: it must be answered")
    static let numbers = Phrase(
        "Numbers: an extra long for each hundred, a long for each ten, a short for each one; zero is blip, long, blip.")
    static let longNumbers = Phrase(
        " Larger numbers and decimals come digit by digit; the point is blip, long, long; minus is blip, extra long.")
    static let dot = Phrase(
        "The rhythm is the same in light, sound and vibration; the dot is the colour of a light that has colours.")
}
