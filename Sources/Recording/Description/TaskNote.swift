// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// The run that a file was recorded for.
    public struct TaskNote: Sendable, Hashable, Codable {
        /// The task's key.
        public var task: String
        /// The run's name, unique on the device.
        public var run: String
        /// The step that was told when the file began.
        public var step: String
        /// Identifiers of the recorders that asked for it.
        public var recorders: [String]

        public init(task: String, run: String, step: String, recorders: [String]) {
            self.task = task
            self.run = run
            self.step = step
            self.recorders = recorders
        }
    }
}
