// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// The run (one performance of a task) that a file was recorded for. `MeasureConfiguration` has it; the lab
    /// finds a run's files by it.
    package struct TaskNote: Sendable, Hashable, Codable {
        package var task: String
        /// The run's name, unique on the device.
        package var run: String
        /// The step that was open when the file began.
        package var step: String
        /// Identifiers of the recorders that asked for it.
        package var recorders: [String]

        package init(task: String, run: String, step: String, recorders: [String]) {
            (self.task, self.run, self.step, self.recorders) = (task, run, step, recorders)
        }
    }
}
