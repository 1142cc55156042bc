// SPDX-License-Identifier: Apache-2.0
import Base

extension Words {
    /// The words for a study on that panel: in the study's own language, else in the panel's.
    package init(_ study: StudyProtocol, on panel: Panel) { self.init(for: study.language ?? panel.language) }

    /// The number of seconds, with one digit after the point where needed: `0.6`, `3`.
    func seconds(_ duration: Duration) -> String {
        let tenths = duration.milliseconds / 100
        return tenths % 10 == 0 ? "\(tenths / 10)" : number("\(tenths / 10).\(tenths % 10)")
    }
}

extension Panel {
    /// How a gesture is made, in words, for the card sheet and the demo: `press right`,
    /// `hold middle until 2 blinks (0.8 s)`; nil where no button makes it.
    package func words(for gesture: Gesture, in words: Words = .english) -> String? {
        ways(for: gesture, in: words).first
    }

    /// How each button that makes the gesture makes it.
    func ways(for gesture: Gesture, in words: Words) -> [String] {
        zip(buttons, holdTables).compactMap { button, table in
            guard let index = table.levels.firstIndex(where: { $0.gesture == gesture }) else { return nil }
            let name = GesturePhrases.printed(button, in: words)
            if index == 0 { return words(GesturePhrases.press, name) }
            let time = words(GesturePhrases.seconds, words.seconds(table.levels[index].after))
            return words(GesturePhrases.hold, index + 1, name, time)
        }
    }

    /// What the button of that number is called in print.
    package func printedName(of button: Int, in words: Words = .english) -> String {
        buttons.indices.contains(button) ? GesturePhrases.printed(buttons[button], in: words) : ""
    }

    /// As `words(for:)`, of a gesture that every panel has.
    func pressing(_ gesture: Gesture, in words: Words = .english) -> String {
        self.words(for: gesture, in: words) ?? "\(gesture)"
    }

    /// How to walk through a list: both ways where there are both.
    func walking(in words: Words = .english) -> String {
        guard layout != .one else { return words(GesturePhrases.nextOnly, pressing(.next, in: words)) }
        guard let next = pressed(.next), let previous = pressed(.previous) else {
            return words(GesturePhrases.bothWays, pressing(.next, in: words), pressing(.previous, in: words))
        }
        return words(
            GesturePhrases.move, GesturePhrases.printed(next, in: words), GesturePhrases.printed(previous, in: words))
    }

    /// The button that makes a gesture by being pressed; nil where it must be held, or no button makes it.
    private func pressed(_ gesture: Gesture) -> Button? {
        zip(buttons, holdTables).first { $1.levels.first?.gesture == gesture }?.0
    }
}
