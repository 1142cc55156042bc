// SPDX-License-Identifier: Apache-2.0

/// What the kick counter says and prints.
enum KickCounterPhrases {
    static let counting = Phrase("Counting", de: "Es wird gezählt", es: "Contando")
    static let endTheCount = Phrase("Stop counting?", de: "Zählen beenden?", es: "¿Terminar de contar?")
    static let goOn = Phrase("Keep counting", de: "Weiterzählen", es: "Seguir contando")
    static let end = Phrase("Stop counting", de: "Zählen beenden", es: "Terminar de contar")
    /// The places of the review, in order.
    static let review = [
        Phrase("Keep this", de: "Übernehmen", es: "Guardar esto"),
        Phrase("Correct the number", de: "Anzahl korrigieren", es: "Corregir el número"),
        Phrase("Correct the minutes", de: "Minuten korrigieren", es: "Corregir los minutos"),
    ]
    /// Everything that is said of it besides what every step says.
    static let spoken = [counting, endTheCount, goOn, end] + review

    /// For a board that is drawn.
    static let soFar = Phrase("{0} of {1} kicks", de: "{0} von {1} Tritten", es: "{0} de {1} patadas")
    static let reviewed = CountedPhrase(
        one: Phrase("{0} kick in {1} min", de: "{0} Tritt in {1} min", es: "{0} patada en {1} min"),
        other: Phrase("{0} kicks in {1} min", de: "{0} Tritte in {1} min", es: "{0} patadas en {1} min"))
    static let kick = Phrase("a kick", de: "ein Tritt", es: "una patada")
    static let howMany = Phrase("how many so far", de: "wie viele bisher", es: "cuántas hasta ahora")

    static let either = Phrase("{0} or {1}", de: "{0} oder {1}", es: "{0} o {1}")
    static let howTo = Phrase(
        "any press starts; then {0} for each kick; it stops by itself, or to stop: {1}, {2} to “stop counting”, {1} ({1} at once keeps counting); at the end {1} to keep the numbers, {3} to the corrections, {4} to go back",
        de:
            "jede Taste startet; dann bei jedem Tritt {0}; es endet von selbst oder, wenn es genug ist: {1}, {2} bis „Zählen beenden“, {1} (gleich noch einmal {1}: weiterzählen); am Ende {1}: Zahlen übernehmen, {3}: Zahlen korrigieren, {4}: doch weiterzählen",
        es:
            "cualquier botón comienza; después, {0} con cada patada; termina por sí solo o, si ya basta: {1}, {2} hasta «terminar de contar», {1} ({1} enseguida: seguir contando); al final, {1}: guardar los números, {3}: corregirlos, {4}: seguir contando"
    )
    static let summary = CountedPhrase(
        one: Phrase("{0} kick in {1} s", de: "{0} Tritt in {1} s", es: "{0} patada en {1} s"),
        other: Phrase("{0} kicks in {1} s", de: "{0} Tritte in {1} s", es: "{0} patadas en {1} s"))
}
