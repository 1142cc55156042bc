// SPDX-License-Identifier: Apache-2.0
import Base

/// What came out of one run of a task on the panel: `TaskRun` gives it at its end, and `StudyConductor` logs
/// it.
package struct RunRecord: Sendable {
    package enum End: String, Sendable { case submitted, left, interrupted }
    /// One presentation of one step; a step that was gone back to has several.
    package struct Question: Sendable {
        package let step: String
        /// When its presentation began.
        package let presented: MonotonicTime
        /// When the last press of its answer was recognised; nil where it was left without answer.
        package var answered: MonotonicTime?
        /// Every edge while it was open, and the release of the press that answered it. A single
        /// press that took up the prompt and answered it is here too.
        package var presses: [ButtonEvent] = []

        package init(step: String, presented: MonotonicTime) { (self.step, self.presented) = (step, presented) }
    }
    /// The task with the order of this opening.
    package let opened: OpenedTask
    package let end: End
    /// Hidden ones too. For a run that was not submitted: what had been answered.
    package let answers: Answers
    /// In the order in which they were presented.
    package let questions: [Question]
    /// From the first presentation to the end.
    package let began: MonotonicTime
    /// When it was submitted, left or broken off; CLOCK_MONOTONIC as `began`.
    package let ended: MonotonicTime
    /// The run's name, unique on the device; empty where it has none.
    package var id = ""
    /// What was recorded in the background, in the order of starting; all of it has ended.
    package var recorders: [RunRecorders.Span] = []
    /// Where the participant goes on once it is stored; nil = nowhere.
    package var continuation: Continuation?

    /// When each step was presented and answered, by the wall clock as it is at `now`. Of a step that was
    /// presented several times, the last presentation with an answer, else the last one.
    func times(at now: Moment) -> [String: StepTimes] {
        questions.reduce(into: [:]) { times, question in
            guard question.answered != nil || times[question.step]?.answered == nil else { return }
            times[question.step] = question.times(at: now)
        }
    }

    /// How the run went, by the wall clock as it is at `now`.
    func course(at now: Moment) -> RunCourse {
        RunCourse(
            id: id, began: now.instant(at: began), ended: now.instant(at: ended),
            visits: questions.map { RunCourse.Visit(step: $0.step, times: $0.times(at: now)) },
            recorded: recorders.map {
                RunCourse.Recorded(
                    recording: $0.recording, began: now.instant(at: $0.began),
                    ended: now.instant(at: $0.ended ?? ended))
            })
    }

    /// The answers with their times: of a question shown several times, the last one
    /// that was answered.
    package var given: [GivenAnswer] {
        var last: [String: Question] = [:]
        for question in questions where question.answered != nil { last[question.step] = question }
        return opened.order.compactMap { key in
            guard let value = answers[key], let question = last[key], let answered = question.answered else {
                return nil
            }
            return GivenAnswer(
                question: key, value: value, presented: question.presented, answered: answered,
                presses: question.presses.count { $0.isPressed })
        }
    }
}

extension RunRecord.Question {
    /// By the wall clock as it is at `now`.
    fileprivate func times(at now: Moment) -> StepTimes {
        StepTimes(presented: now.instant(at: presented), answered: answered.map(now.instant(at:)))
    }
}
