// SPDX-License-Identifier: Apache-2.0

enum KickCounterPhrases {
    static let counting = Phrase("Counting")
    static let endTheCount = Phrase("Stop counting?")
    static let goOn = Phrase("Keep counting")
    static let end = Phrase("Stop counting")
    /// What can be chosen after the count, in order.
    static let review = [
        Phrase("Keep this"), Phrase("Correct the number"), Phrase("Correct the minutes"),
    ]
    static let spoken = [counting, endTheCount, goOn, end] + review

    /// Shown beside a board that is drawn on a screen, as the next three are.
    static let soFar = Phrase("{0} of {1} kicks")
    static let reviewed = CountedPhrase(one: "{0} kick in {1} min", other: "{0} kicks in {1} min")
    static let kick = Phrase("a kick")
    static let howMany = Phrase("how many so far")

    static let either = Phrase("{0} or {1}")
    /// `{0}` the button or buttons for a kick, `{1}` select, `{2}` next, `{3}` how to walk through a list, `{4}` undo.
    static let howTo = Phrase(
        "any press starts; then {0} for each kick; it stops by itself, or to stop: {1}, {2} to “stop counting”, {1} ({1} at once keeps counting); at the end {1} to keep the numbers, {3} to the corrections, {4} to go back"
    )
    static let summary = CountedPhrase(one: "{0} kick in {1} s", other: "{0} kicks in {1} s")
}
