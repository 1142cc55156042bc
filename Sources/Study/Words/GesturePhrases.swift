// SPDX-License-Identifier: Apache-2.0

/// How buttons are pressed, in print.
enum GesturePhrases {
    static let press = Phrase("press {0}", de: "{0} drücken", es: "pulsar {0}")
    static let hold = CountedPhrase(
        one: Phrase(
            "hold {1} until {0} blink ({2})", de: "{1} halten, bis das Licht {0}-mal blinkt ({2})",
            es: "mantener {1} hasta {0} destello ({2})"),
        other: Phrase(
            "hold {1} until {0} blinks ({2})", de: "{1} halten, bis das Licht {0}-mal blinkt ({2})",
            es: "mantener {1} hasta {0} destellos ({2})"))
    static let seconds = Phrase("{0} s", de: "{0} s", es: "{0} s")
    static let nextOnly = Phrase("{0} for next", de: "{0}: weiter", es: "{0}: siguiente")
    static let move = Phrase("{0}/{1} to move", de: "mit {0}/{1} blättern", es: "moverse con {0}/{1}")
    static let bothWays = Phrase(
        "{0} for next, {1} for previous", de: "{0}: weiter, {1}: zurück", es: "{0}: siguiente, {1}: anterior")

    /// Names that boards give their buttons, as they are said and printed.
    private static let names: [String: Phrase] = [
        "left": Phrase("left", de: "links", es: "izquierda"), "middle": Phrase("middle", de: "Mitte", es: "centro"),
        "right": Phrase("right", de: "rechts", es: "derecha"), "up": Phrase("up", de: "oben", es: "arriba"),
        "down": Phrase("down", de: "unten", es: "abajo"), "button": Phrase("button", de: "Taste", es: "botón"),
        "next": Phrase("next", de: "Weiter", es: "siguiente"),
        "previous": Phrase("previous", de: "Zurück", es: "anterior"),
        "select": Phrase("select", de: "Auswahl", es: "seleccionar"),
        "undo": Phrase("undo", de: "Rückgängig", es: "deshacer"), "menu": Phrase("menu", de: "Menü", es: "menú"),
        "step": Phrase("step", de: "Weiter", es: "paso"), "choose": Phrase("choose", de: "Auswahl", es: "elegir"),
        "yes": Phrase("yes", de: "Ja", es: "sí"), "no": Phrase("no", de: "Nein", es: "no"),
    ]
    private static let key = Phrase("key {0}", de: "Taste {0}", es: "tecla {0}")

    /// Buttons that the board names after what they do are called by where they lie: a
    /// participant reads no roles.
    private static let places: [String: Phrase] = [
        "previous": Phrase("left", de: "links", es: "izquierda"), "select": Phrase("middle", de: "Mitte", es: "centro"),
        "next": Phrase("right", de: "rechts", es: "derecha"), "step": Phrase("left", de: "links", es: "izquierda"),
        "choose": Phrase("right", de: "rechts", es: "derecha"),
        "only": Phrase("the button", de: "die Taste", es: "el botón"),
        "button": Phrase("the button", de: "die Taste", es: "el botón"),
    ]

    /// How a button is called in print, in capitals: what is printed on it, else where it lies.
    static func printed(_ name: String, in words: Words) -> String {
        let said = places[name].map { Said.device($0) } ?? Self.name(name)
        return words.text(said).uppercased()
    }

    /// A button's name as the board file has it; in the table's words where it is a usual one, else
    /// as it stands there.
    static func name(_ name: String) -> Said {
        if let phrase = names[name] { return .device(phrase) }
        let parts = name.split(separator: " ")
        guard parts.count == 2, parts[0] == "key", let number = Int(parts[1]) else { return .study(name) }
        return .device(key, [.number(String(number))])
    }
}
