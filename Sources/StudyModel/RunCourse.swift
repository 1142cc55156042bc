// SPDX-License-Identifier: Apache-2.0
import Times

/// A finished run as it went: every step in the order of telling, and what was recorded meanwhile.
public struct RunCourse: Sendable, Hashable {
    /// One telling of one step.
    public struct Visit: Sendable, Hashable {
        /// The step's key.
        public let step: String
        /// When its telling began and when it was answered.
        public let times: StepTimes
        public init(step: String, times: StepTimes) {
            self.step = step
            self.times = times
        }
    }
    /// One time that a recorder ran.
    public struct Recorded: Sendable, Hashable {
        /// Which recorder, and at which step.
        public let recording: TaskRecording
        /// When it was started.
        public let began: Instant
        /// When it was stopped.
        public let ended: Instant
        /// A recorder that ran from `began` to `ended`.
        public init(recording: TaskRecording, began: Instant, ended: Instant) {
            self.recording = recording
            self.began = began
            self.ended = ended
        }
    }

    /// The run's name, unique on the device; its recordings are named after it.
    public let id: String
    /// The first telling.
    public let began: Instant
    /// When it was submitted.
    public let ended: Instant
    /// In the order of telling; a step that was gone back to stands here again.
    public let visits: [Visit]
    /// In the order of starting.
    public let recorded: [Recorded]

    public init(id: String, began: Instant, ended: Instant, visits: [Visit], recorded: [Recorded]) {
        self.id = id
        self.began = began
        self.ended = ended
        self.visits = visits
        self.recorded = recorded
    }
}
