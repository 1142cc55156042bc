// SPDX-License-Identifier: Apache-2.0

/// One time that a recorder ran: `RunRecorders` has it started, and the agent's `TaskRecorders` record it.
package struct TaskRecording: Sendable, Hashable {
    /// Unique on the device.
    package let id: String
    /// The run it belongs to, unique on the device.
    package let run: String
    package let task: String
    /// The step that was open when it began.
    package let step: String
    package let recorder: TaskRecorder

    package init(id: String, run: String, task: String, step: String, recorder: TaskRecorder) {
        self.id = id
        self.run = run
        self.task = task
        self.step = step
        self.recorder = recorder
    }
}
