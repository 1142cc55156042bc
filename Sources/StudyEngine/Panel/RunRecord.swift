// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// What came out of one run of a task on the panel.
public struct RunRecord: Sendable {
    /// How a run ends.
    public enum End: String, Sendable { case submitted, left, interrupted }
    /// One presentation of one step; a step that was gone back to has several.
    public struct Question: Sendable {
        public let step: String
        public let card: Int
        /// When it was begun to be told.
        public let presented: MonotonicTime
        /// When the last press of its answer was recognised; nil where it was left without answer.
        public var answered: MonotonicTime?
        /// Every edge while it was open.
        public var presses: [ButtonEvent] = []
    }
    /// The task with the order of this opening.
    public let opened: OpenedTask
    public let end: End
    /// Hidden ones too. For a run that was not submitted: what had been answered.
    public let answers: Answers
    public let questions: [Question]
    public let began: MonotonicTime
    public let ended: MonotonicTime
}
