// SPDX-License-Identifier: Apache-2.0

/// A step that lasts a fixed time while something is done or recorded: SageResearch's active, countdown and
/// tapping steps. Sage's reader reads it, and `TimedStep` plays it.
package struct TimedStepRules: ActiveTaskRules {
    /// Something said while it lasts.
    package struct Line: Sendable, Hashable {
        /// Since its beginning.
        package let at: Duration
        /// As plain text.
        package let text: String

        package init(at: Duration, text: String) { (self.at, self.text) = (at, text) }
    }

    /// Which kind of step the study calls it.
    package let name: String
    package let duration: Duration
    /// The step begins as soon as it is presented; otherwise with a press.
    package var beginsByItself = false
    /// The next step follows as soon as this one ends; otherwise after a press.
    package var goesOnByItself = false
    package var signalsStart = false
    package var signalsEnd = false
    /// A participant who pauses it is warned.
    package var warnsOnPause = false
    /// In time order.
    package var lines: [Line] = []
    /// This many of its last seconds are counted aloud.
    package var countedSeconds = 0
    /// A tapping test: presses of two buttons are measured, and the first press begins the step.
    package var takesTaps = false
    /// After a pause the step starts over; otherwise it goes on.
    package var restartsAfterPause = false

    /// A step of that length, which waits for a press before and after.
    package init(name: String, duration: Duration) { (self.name, self.duration) = (name, duration) }

    /// Longer than any step of a published task.
    package static let longest = Duration.seconds(7_200)

    /// The same for all kinds: the step's text says what is done.
    package var title: Phrase { Phrase("Active step") }

    package var problems: [String] {
        (.zero...Self.longest).contains(duration) ? [] : ["its duration is outside 0 to 7200 seconds"]
    }
}
