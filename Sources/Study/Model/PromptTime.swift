// SPDX-License-Identifier: Apache-2.0
import Base

/// A time of day at which a task prompts, or a stretch of the day in which the times of its prompts are drawn.
/// The participant may move it (`studyd schedule`, `PromptTimeEditor`).
package struct PromptTime: Sendable, Hashable {
    /// Unique in its task, and the same as long as the study says the same.
    package let id: String
    package let task: String
    /// Milliseconds from local midnight.
    package var start: Int
    /// The end of a stretch, past 86 400 000 on the day after; nil = a single time.
    package var end: Int?
    /// How often it comes, in words: `every 2 days`.
    package let rhythm: String
    /// The participant has moved it: it is not the study's own.
    package let isMoved: Bool

    package init(id: String, task: String, start: Int, end: Int?, rhythm: String, isMoved: Bool) {
        self.id = id
        self.task = task
        self.start = start
        self.end = end
        self.rhythm = rhythm
        self.isMoved = isMoved
    }

    /// `09:00` or `09:00-21:00`.
    package var text: String { Self.text(start) + (end.map { "-" + Self.text($0) } ?? "") }

    private static func text(_ milliseconds: Int) -> String {
        let minutes = milliseconds / 60_000 % 1_440
        return "\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
    }
}

/// Why a time cannot be moved so, in words.
package struct PromptTimeError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
