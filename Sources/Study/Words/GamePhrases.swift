// SPDX-License-Identifier: Apache-2.0

/// What the steps of several active tasks say.
enum GamePhrases {
    static let pressToBegin = Phrase("Press any button to start")
    static let pressToGoOn = Phrase("Press any button to continue")
    static let yourTurn = Phrase("Your turn")
    static let won = Phrase("Right")
    static let lost = Phrase("Not right")
    static let tooEarly = Phrase("Too early")
    static let tooLate = Phrase("Too late")
    /// What a button does in a reaction task, where the board is drawn.
    static let react = Phrase("when it lights")
    /// Towers and their disks; as in ResearchKit (`AX_TOWER_OF_HANOI_TOWER`, `…_EMPTY`).
    static let towers = [
        Phrase("Tower 1"), Phrase("Tower 2"), Phrase("Tower 3"),
    ]
    /// Said of a tower without disks.
    static let empty = Phrase("empty")
}
