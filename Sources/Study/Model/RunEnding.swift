// SPDX-License-Identifier: Apache-2.0
import Base

/// What a task does by itself when a run of it is submitted, before it is kept and sent, for `StudyConductor`.
/// Platforms bring their own.
package protocol RunEnding: Sendable {
    /// Pure: `facts` hold the answers of the run, and the moment. The same facts give the same end.
    func end(_ facts: StudyFacts) -> RunEnd
}

/// What follows from the end of a run; `StudyConductor` carries it out.
package struct RunEnd: Sendable {
    /// Kept and sent with the run's own, under keys that no question has.
    package var answers: Answers = [:]
    /// Kept over runs.
    package var variables: [String: AnswerValue] = [:]
    /// For those who run the study, in their order.
    package var logs: [RunLog] = []
    /// Said to the participant once the run is saved, in their order; a `record` is kept with the
    /// messages.
    package var news: [(text: String, record: String?)] = []
    /// What happened by it, and may make tasks due.
    package var happenings: [StudyHappening] = []
    /// Times of prompts that the participant wants moved.
    package var times = PromptTimeChange()

    package init() {}
}
