// SPDX-License-Identifier: Apache-2.0

/// What the participant is still to hear: messages that came while the panel was in use, the end of the sensors'
/// pause, and that the stick may be pulled out; also the last message, which the menu repeats. `PanelSession` has
/// one. Pure.
struct PanelMessages: Sendable {
    /// Older ones are dropped; `studyd messages` still has them.
    private static let mostPending = 8

    /// The message that the menu repeats; empty where there was none.
    private(set) var last = ""
    private var pending: [String] = []
    private var isPauseEndPending = false
    private var isRemovablePending = false

    /// Keeps a message for the menu.
    mutating func keep(_ text: String) { last = text }

    /// To be said once the panel is at rest.
    mutating func announceLater(_ text: String) { pending = pending.suffix(Self.mostPending - 1) + [text] }

    /// To be said then, too: the pause of the sensors has ended.
    mutating func announcePauseEndLater() { isPauseEndPending = true }

    /// And that the stick may be pulled out, if it still may.
    mutating func announceRemovableLater() { isRemovablePending = true }

    /// What is to be said now that the panel is at rest.
    mutating func takePending(isRemovable: Bool) -> [Cue] {
        defer { (pending, isPauseEndPending, isRemovablePending) = ([], false, false) }
        var cues = pending.map(Cue.news)
        if isPauseEndPending { cues.append(.pauseEnds) }
        if isRemovablePending, isRemovable { cues.append(.removable) }
        return cues
    }
}
