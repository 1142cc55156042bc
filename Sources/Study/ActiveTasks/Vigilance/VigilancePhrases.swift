// SPDX-License-Identifier: Apache-2.0

/// What the vigilance test says and prints.
enum VigilancePhrases {
    static let times = Phrase("Your times", de: "Die Zeiten", es: "Tus tiempos")
    static let dark = Phrase("The light does not come on", de: "Das Licht geht nicht an", es: "La luz no se enciende")
    /// Everything that is said of it besides what every step says.
    static let spoken = [
        GamePhrases.pressToBegin, GamePhrases.pressToGoOn, times, dark, GamePhrases.tooEarly, GamePhrases.tooLate,
    ]

    static let howTo = Phrase(
        "any button starts a countdown from three; then press any button as soon as the light comes on, until {0} were in time ({1} ms); too early or too late is repeated; ",
        de:
            "jede Taste startet, dann wird von drei heruntergezählt; danach eine beliebige Taste drücken, sobald das Licht angeht, bis es {0}-mal rechtzeitig war ({1} ms); zu früh oder zu spät wird wiederholt; ",
        es:
            "cualquier botón comienza y se cuenta atrás desde tres; después, cualquier botón en cuanto se encienda la luz, hasta acertar {0} a tiempo ({1} ms); si es demasiado pronto o tarde, se repite; "
    )
    static let results = Phrase(
        "at the end {0} through the times, {1} when done; ", de: "am Ende {0} (die Zeiten), {1}: fertig; ",
        es: "al final, {0} (los tiempos), {1}: terminar; ")
    static let leaving = Phrase(
        "skipping it in the menu ({0}) ends it, and what was measured is sent",
        de: "Überspringen im Menü ({0}) beendet den Test, und das Gemessene wird gesendet",
        es: "omitirlo en el menú ({0}) lo termina, y se envía lo medido")
    static let noLeaving = Phrase(
        "it cannot be skipped, only left without saving",
        de: "er kann nicht übersprungen, nur ohne Speichern beendet werden",
        es: "no se puede omitir, solo terminar sin guardar")
    static let summary = Phrase("reaction times {0}", de: "Reaktionszeiten {0}", es: "tiempos de reacción {0}")
}
