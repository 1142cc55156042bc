// SPDX-License-Identifier: Apache-2.0

/// How buttons are pressed, in print.
enum GesturePhrases {
    static let press = Phrase("press {0}")
    static let hold = CountedPhrase(one: "hold {1} until {0} blink ({2})", other: "hold {1} until {0} blinks ({2})")
    static let seconds = Phrase("{0} s")
    static let nextOnly = Phrase("{0} for next")
    static let move = Phrase("{0}/{1} to move")
    static let bothWays = Phrase("{0} for next, {1} for previous")

    /// Names that boards give their buttons, as they are said and printed.
    private static let names: [String: Phrase] = [
        "left": Phrase("left"), "middle": Phrase("middle"),
        "right": Phrase("right"), "up": Phrase("up"),
        "down": Phrase("down"), "button": Phrase("button"),
        "next": Phrase("next", context: "printed on a button"),
        "previous": Phrase("previous", context: "printed on a button"),
        "select": Phrase("select"),
        "undo": Phrase("undo", context: "printed on a button"), "menu": Phrase("menu"),
        "step": Phrase("step"), "choose": Phrase("choose", context: "printed on a button"),
        "yes": Phrase("yes", context: "printed on a button"), "no": Phrase("no", context: "printed on a button"),
    ]
    private static let key = Phrase("key {0}")

    /// Buttons that the board names after what they do are called by where they lie, since the names of roles
    /// mean nothing to a participant.
    private static let places: [String: Phrase] = [
        "previous": Phrase("left"), "select": Phrase("middle"),
        "next": Phrase("right"), "step": Phrase("left"),
        "choose": Phrase("right"),
        "only": Phrase("the button"),
        "button": Phrase("the button"),
    ]

    /// How a button is called in print, in capitals: what is printed on it, else where it lies.
    static func printed(_ name: String, in words: Words) -> String {
        let said = places[name].map { Said.device($0) } ?? Self.name(name)
        return words.text(said).uppercased()
    }

    /// A button's name as the board file has it; translated where it is a usual one, else
    /// unchanged.
    static func name(_ name: String) -> Said {
        if let phrase = names[name] { return .device(phrase) }
        let parts = name.split(separator: " ")
        guard parts.count == 2, parts[0] == "key", let number = Int(parts[1]) else { return .study(name) }
        return .device(key, [.number(String(number))])
    }
}
