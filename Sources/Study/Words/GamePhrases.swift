// SPDX-License-Identifier: Apache-2.0

/// What active tasks say alike.
enum GamePhrases {
    static let pressToBegin = Phrase(
        "Press any button to start", de: "Zum Starten eine beliebige Taste drücken",
        es: "Pulsa cualquier botón para comenzar")
    static let pressToGoOn = Phrase(
        "Press any button to continue", de: "Zum Fortfahren eine beliebige Taste drücken",
        es: "Pulsa cualquier botón para continuar")
    static let yourTurn = Phrase("Your turn", de: "Du bist dran", es: "Tu turno")
    static let won = Phrase("Right", de: "Richtig", es: "Correcto")
    static let lost = Phrase("Not right", de: "Nicht richtig", es: "Incorrecto")
    static let tooEarly = Phrase("Too early", de: "Zu früh", es: "Demasiado pronto")
    static let tooLate = Phrase("Too late", de: "Zu spät", es: "Demasiado tarde")
    /// What a button means where the board is drawn.
    static let react = Phrase("when it lights", de: "wenn es leuchtet", es: "cuando se encienda")
    /// Towers and their disks; as in ResearchKit (`AX_TOWER_OF_HANOI_TOWER`, `…_EMPTY`).
    static let towers = [
        Phrase("Tower 1", de: "Turm 1", es: "Torre 1"), Phrase("Tower 2", de: "Turm 2", es: "Torre 2"),
        Phrase("Tower 3", de: "Turm 3", es: "Torre 3"),
    ]
    /// Said of a tower without disks.
    static let empty = Phrase("empty", de: "leer", es: "vacía")
}
