// SPDX-License-Identifier: Apache-2.0

/// How buttons are pressed, in print: for the card sheet and `Panel.words(for:)`.
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

    /// Names by which a board says what a button does.
    private static let roles: Set = ["previous", "select", "next", "step", "choose", "only", "button"]

    /// Where a button of that role lies.
    private static func place(_ role: Panel.Role) -> Phrase? {
        switch role {
        case .previous, .step: Phrase("left")
        case .select: Phrase("middle")
        case .next, .choose: Phrase("right")
        case .only: Phrase("the button")
        case .undo, .menu, .task, .marker, .spare: nil
        }
    }

    /// How a button is called in print, in capitals.
    static func printed(_ button: Panel.Button, in words: Words) -> String { words.text(name(button)).uppercased() }

    /// How a button is called by voice and in print: as in the board file, translated where the name is a usual one;
    /// one that is named after what it does by where it lies, as a participant reads no roles.
    static func name(_ button: Panel.Button) -> Said {
        let name = button.name
        if roles.contains(name), let place = place(button.role) { return .device(place) }
        if let phrase = names[name] { return .device(phrase) }
        let parts = name.split(separator: " ")
        guard parts.count == 2, parts[0] == "key", let number = Int(parts[1]) else { return .study(name) }
        return .device(key, [.number(String(number))])
    }
}
