// SPDX-License-Identifier: Apache-2.0

/// Messages to the participant: the last one, and those that came while the panel was in use. Pure.
struct PanelMessages: Sendable {
    /// Older ones are dropped; `studyd messages` still has them.
    private static let mostUntold = 8

    /// The message that the menu repeats; empty where there is none.
    private(set) var last = ""
    private var untold: [String] = []

    /// Keeps a message for the menu.
    mutating func keep(_ text: String) { last = text }

    /// To be said once the panel is at rest.
    mutating func tellLater(_ text: String) {
        untold = untold.suffix(Self.mostUntold - 1) + [text]
    }

    mutating func takeUntold() -> [String] {
        defer { untold = [] }
        return untold
    }
}
