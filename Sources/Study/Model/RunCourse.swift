// SPDX-License-Identifier: Apache-2.0
import Base

/// A finished run as it went, made by `RunRecord` for result trees and platforms' writers: every step in the
/// order of presentation, and what was recorded meanwhile.
package struct RunCourse: Sendable, Hashable {
    /// One presentation of one step.
    package struct Visit: Sendable, Hashable {
        package let step: String
        /// When its presentation began and when it was answered.
        package let times: StepTimes
        package init(step: String, times: StepTimes) { (self.step, self.times) = (step, times) }
    }
    /// One time that a recorder ran.
    package struct Recorded: Sendable, Hashable {
        /// Which recorder, and at which step.
        package let recording: TaskRecording
        package let began: Instant
        package let ended: Instant
    }

    /// The run's name, unique on the device; its recordings are named after it.
    package let id: String
    /// When its first step was first presented.
    package let began: Instant
    /// When it was submitted.
    package let ended: Instant
    /// In the order of presentation; a step that was gone back to is here again.
    package let visits: [Visit]
    /// In the order of starting.
    package let recorded: [Recorded]

    package init(id: String, began: Instant, ended: Instant, visits: [Visit], recorded: [Recorded]) {
        self.id = id
        self.began = began
        self.ended = ended
        self.visits = visits
        self.recorded = recorded
    }
}
