// SPDX-License-Identifier: Apache-2.0

/// What the spatial span test says and prints.
enum SpatialSpanPhrases {
    /// What a button means where the board is drawn.
    static let tryIt = Phrase("try it", de: "ausprobieren", es: "probarlo")
    static let target = Phrase("this target", de: "dieses Ziel", es: "este objetivo")

    static let practice = Phrase(
        "Try each button. Each has its own signal",
        de: "Jede Taste einmal ausprobieren. Sie antwortet mit ihrem eigenen Signal",
        es: "Prueba cada botón. Responde con su propia señal")
    /// Everything that is said of it besides what every step says.
    static let spoken = [GamePhrases.pressToBegin, practice, GamePhrases.yourTurn, GamePhrases.won, GamePhrases.lost]

    static let sameOrder = Phrase(
        "in the same order", de: "in derselben Reihenfolge", es: "en el mismo orden")
    static let reversed = Phrase(
        "in reverse order", de: "in umgekehrter Reihenfolge", es: "en orden inverso")
    static let howTo = Phrase(
        "first press each of its {0} buttons{1} to learn its signal ({2}); then any button starts a game: after “watch” some are signalled, press them {3} when it is your turn{4}",
        de:
            "zuerst jede der {0} Tasten{1} einmal drücken und sich das Signal merken, erkennbar an {2}; dann startet jede Taste ein Spiel: nach „aufgepasst“ werden einige gezeigt, danach diese {3} drücken{4}",
        es:
            "primero pulsar cada uno de los {0} botones{1} para conocer su señal, que se reconoce por {2}; después cualquier botón comienza un juego: tras «atención» se muestran algunos; cuando sea tu turno, pulsarlos {3}{4}"
    )
    static let cap = Phrase(
        "; no sequence is longer than {0} (the study: up to {1})",
        de: "; keine Folge ist länger als {0} (in der Studie bis {1})",
        es: "; ninguna secuencia pasa de {0} (en el estudio, hasta {1})")
    static let cappedStart = Phrase(
        ", and the test is capped: it begins with {0}, not {1}",
        de: ", und der Test ist verkürzt: er beginnt mit {0} statt {1}",
        es: ", y la prueba está acortada: comienza con {0}, no con {1}")
    static let cappedMinimum = Phrase(
        ", and its minimum is {0}, not {1}", de: ", und geht bis {0} statt {1} hinunter",
        es: ", y su mínimo es {0}, no {1}")
    static let lightAlone = Phrase(
        "the light at each button", de: "dem Licht an jeder Taste", es: "la luz de cada botón")
    static let lightAndPulses = Phrase(
        "the light at each button, and pulses of {0}", de: "dem Licht an jeder Taste und den Impulsen ({0})",
        es: "la luz de cada botón y por sus impulsos ({0})")
    static let lightAndPitch = Phrase(
        "the light at each button, its pitch and pulses of {0}",
        de: "dem Licht an jeder Taste, der Tonhöhe und den Impulsen ({0})",
        es: "la luz de cada botón, por su tono y por sus impulsos ({0})")
    static let pulses = Phrase(
        "one to {0} pulses of {1}", de: "einem bis {0} Impulsen ({1})", es: "de uno a {0} impulsos ({1})")
    static let light = Phrase("light", de: "Licht", es: "luz")
    static let sound = Phrase("sound", de: "Ton", es: "sonido")
    static let shaking = Phrase("shaking", de: "Vibration", es: "vibración")
    static let and = Phrase("{0} and {1}", de: "{0} und {1}", es: "{0} y {1}")
    static let which = Phrase(" ({0})", de: " ({0})", es: " ({0})")
    static let summary = Phrase(
        "score {0}, {1} games, {2} failures", de: "{0} Punkte, Spiele: {1}, Fehler: {2}",
        es: "{0} puntos, juegos: {1}, fallos: {2}")
    static let summaryCapped = Phrase(
        ", span capped at {0}", de: ", höchstens {0} auf einmal", es: ", como máximo {0} cada vez")
}
