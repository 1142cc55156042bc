// SPDX-License-Identifier: Apache-2.0
import Study

/// The keys of a terminal that do something other than pressing buttons, for `TerminalPlayer`, and as
/// `DemoPicture` lists them. A letter that is a button's stays the button's; the same with Ctrl always works.
struct DemoKeys: Sendable {
    enum Purpose: Character, CaseIterable, Sendable {
        case menu = "m"
        case jump = "t"
        case end = "q"

        /// With Ctrl: Ctrl-M is the Enter key.
        fileprivate var controlled: Character { self == .menu ? "e" : rawValue }
    }
    private let buttons: [String]

    /// The keys beside those of these buttons.
    init(buttons: [String]) { self.buttons = buttons.map { $0.lowercased() } }

    func button(_ key: Character) -> Int? { buttons.firstIndex(of: String(key)) }

    /// What the key is for; nil where it presses a button or does nothing.
    func purpose(_ key: Character, hasControl: Bool) -> Purpose? {
        if hasControl { return key == "c" ? .end : Purpose.allCases.first { $0.controlled == key } }
        return button(key) == nil ? Purpose(rawValue: key) : nil
    }

    /// The lines that explain the keys; `tellsReleases` where the terminal reports when a key is let go.
    func legend(tellsReleases: Bool, in words: Words) -> [String] {
        let keys = buttons.map { "[\($0)]" }
        let phrases: [(Purpose, Phrase)] = [
            (.menu, DemoPhrases.menuKey), (.jump, DemoPhrases.jumpKey), (.end, DemoPhrases.endKey),
        ]
        let others = phrases.map { purpose, phrase in
            words(
                phrase,
                button(purpose.rawValue) == nil ? String(purpose.rawValue) : "Ctrl-\(purpose.controlled.uppercased())")
        }
        return [
            words(DemoPhrases.press, keys.count > 6 ? words(DemoPhrases.keys) : keys.joined(separator: " ")),
            words(tellsReleases ? DemoPhrases.holdAsLong : DemoPhrases.hold),
        ] + others
    }
}
