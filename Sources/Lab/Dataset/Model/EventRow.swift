// SPDX-License-Identifier: Apache-2.0
import Base
import Exports

/// A press of a button, or something that a platform's app logged: a row of `events.csv`, which `TableSet`
/// writes.
package struct EventRow: Sendable, Hashable {
    /// `app` or `button`.
    package let source: String
    package let time: StudyTime?
    /// The app's page, or the button.
    package let name: String
    package let meaning: String
    /// How long a button was held.
    package var seconds: Double?
    package var repeats: Int?
    /// Seconds of CLOCK_MONOTONIC in the boot with the ID `boot`.
    package var uptime: Double?
    package var boot: String?
    package var recording: String?

    package init(_ event: AppEvent) {
        (source, time, name, meaning) = ("app", event.time, event.page, event.event)
    }

    package init(_ press: ButtonPress, in recording: StudyRecording) {
        let offset = recording.start?.offset
        (source, name, meaning) = ("button", press.button, press.meaning)
        time = press.time.map { StudyTime($0, offset: offset) }
        (seconds, repeats, uptime) = (press.duration, press.repeats, press.uptime)
        (boot, self.recording) = (recording.description?.bootID, recording.name)
    }
}
