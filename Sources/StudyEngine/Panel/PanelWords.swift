// SPDX-License-Identifier: Apache-2.0
import Times

extension Panel {
    /// How a gesture is made, in words: `press right`, `hold middle until 2 blinks (0.8 s)`; nil where no button makes it.
    public func words(for gesture: Gesture) -> String? {
        for button in buttons {
            let table = HoldTable(button.role)
            guard let index = table.levels.firstIndex(where: { $0.gesture == gesture }) else { continue }
            if index == 0 { return "press \(button.name)" }
            return "hold \(button.name) until \(index + 1) blinks (\(Self.text(table.levels[index].after)))"
        }
        return nil
    }

    /// Seconds with one digit where needed: `0.6 s`, `3 s`.
    static func text(_ duration: Duration) -> String {
        let tenths = duration.milliseconds / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
