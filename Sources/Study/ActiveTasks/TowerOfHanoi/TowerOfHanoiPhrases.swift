// SPDX-License-Identifier: Apache-2.0

enum TowerOfHanoiPhrases {
    static let spoken = GamePhrases.towers + [GamePhrases.empty, GamePhrases.won]

    static let threeButtons = Phrase("the three buttons are the three towers")
    static let walking = Phrase("{0} between the towers, {1} to choose")
    static let howTo = Phrase(
        "{0}: first the tower to take a disk from (it signals all its disks), then the one to put it on; the same tower again to undo; skipping it in the menu ({1}) gives up"
    )
    static let summary = CountedPhrase(one: "{0} move, {1}", other: "{0} moves, {1}")
    static let solved = Phrase("solved")
    static let unsolved = Phrase("not solved")
}
