// SPDX-License-Identifier: Apache-2.0

/// Messages to the participant: the last one, and what came while the panel was in use. Pure.
struct PanelMessages: Sendable {
    /// Older ones are dropped; `studyd messages` still has them.
    private static let mostUntold = 8

    /// The message that the menu repeats; empty where there was none.
    private(set) var last = ""
    private var untold: [String] = []
    private var owesPauseEnd = false
    private var owesRemoval = false

    /// Keeps a message for the menu.
    mutating func keep(_ text: String) { last = text }

    /// To be said once the panel is at rest.
    mutating func tellLater(_ text: String) { untold = untold.suffix(Self.mostUntold - 1) + [text] }

    /// To be said then, too: the pause of the sensors has ended.
    mutating func tellPauseEndLater() { owesPauseEnd = true }

    /// And that the stick may be pulled out, if it still may.
    mutating func tellRemovalLater() { owesRemoval = true }

    mutating func takeUntold(isRemovable: Bool) -> [Cue] {
        defer { (untold, owesPauseEnd, owesRemoval) = ([], false, false) }
        var cues = untold.map(Cue.news)
        if owesPauseEnd { cues.append(.pauseEnds) }
        if owesRemoval, isRemovable { cues.append(.removable) }
        return cues
    }
}
