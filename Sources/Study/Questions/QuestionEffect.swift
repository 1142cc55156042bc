// SPDX-License-Identifier: Apache-2.0

/// What a question asks its `TaskRun` to do.
package enum QuestionEffect: Sendable, Hashable {
    case say(Cue)
    /// Says the question's text again.
    case repeatText
    case answered(AnswerValue)
    /// Its time is over, and a press will answer it: recorders that run up to this step stop.
    case timeOver
    /// The question was left without an answer.
    case leftOut
    /// To the question before.
    case back
    case device(DeviceEffect)
    /// What must be kept so that it can go on after a restart.
    case progress(TaskProgress)

    /// The answer of an active task.
    static func performed(_ record: any PerformanceRecord) -> QuestionEffect {
        .answered(.performance(Performance(record)))
    }
}
