// SPDX-License-Identifier: Apache-2.0

/// What the tower of Hanoi says and prints.
enum TowerOfHanoiPhrases {
    /// Everything that is said of it besides what every step says.
    static let spoken = GamePhrases.towers + [GamePhrases.empty, GamePhrases.won]

    static let threeButtons = Phrase(
        "the three buttons are the three towers", de: "die drei Tasten sind die drei Türme",
        es: "los tres botones son las tres torres")
    static let walking = Phrase(
        "{0} between the towers, {1} to choose", de: "durch die Türme gehen ({0}), {1}: auswählen",
        es: "recorrer las torres ({0}), {1}: elegir")
    static let howTo = Phrase(
        "{0}: first the tower to take a disk from (it signals all its disks), then the one to put it on; the same tower again to undo; skipping it in the menu ({1}) gives up",
        de:
            "{0}: zuerst den Turm wählen, von dem eine Scheibe genommen wird (er nennt alle seine Scheiben), dann den, auf den sie gelegt wird; derselbe Turm noch einmal nimmt es zurück; Überspringen im Menü ({1}) gibt auf",
        es:
            "{0}: primero la torre de la que se toma un disco (indica todos sus discos), después la torre en la que se coloca; la misma torre otra vez lo deshace; omitirlo en el menú ({1}) es rendirse"
    )
    static let summary = CountedPhrase(
        one: Phrase("{0} move, {1}", de: "{0} Zug, {1}", es: "{0} movimiento, {1}"),
        other: Phrase("{0} moves, {1}", de: "{0} Züge, {1}", es: "{0} movimientos, {1}"))
    static let solved = Phrase("solved", de: "gelöst", es: "resuelta")
    static let unsolved = Phrase("not solved", de: "nicht gelöst", es: "sin resolver")
}
