// SPDX-License-Identifier: Apache-2.0
import Base

/// What the conductor wants written to the event log.
package enum StudyNote: Sendable {
    case drew(ChanceDraw)
    case prompted(Occurrence)
    /// The prompt's signal was given. The string is the occurrence's id.
    case presented(String)
    case pressed(ButtonEvent)
    /// An event marker was pressed; the text is its button's name.
    case marked(String, at: MonotonicTime)
    case sensorsPaused(Range<MonotonicTime>)
    case sensorsResumed(at: MonotonicTime, byHand: Bool)
    case putOff(String)
    case listOpened, listLeft, menuOpened, menuLeft
    case promptsSwitched(on: Bool)
    /// `occurrence` is the one the run answers; nil = self-started.
    case runOpened(task: String, opening: Int, occurrence: String?)
    case answered(task: String, opening: Int, GivenAnswer)
    /// How far a performance has come; after a restart it goes on from the last of these.
    case progressed(task: String, opening: Int, TaskProgress)
    case submitted(task: String, opening: Int, Submission)
    case runLeft(task: String, opening: Int, end: RunRecord.End)
    case concluded(Occurrence, Outcome)
    /// The clock by which these fell due was wrong: they are to come again. The strings are
    /// occurrences' ids.
    case returned([String])
    case decided(DecisionRecord)
    /// A rule treated this decision point: its prompt is `DecisionRecord.occurrence`.
    case raised(DecisionRecord)
    case measured(OutcomeRecord)
    /// A date from which schedules count, or another value that outlives its run, is known now.
    case learned(name: String, value: AnswerValue)
    /// The server said so: the study's status, a message.
    case serverSaid(name: String, text: String)
}

/// One answer, with when it was asked and given.
package struct GivenAnswer: Sendable, Hashable {
    /// The question's key, unique within its task.
    package let question: String
    /// Its value when the run was submitted.
    package let value: AnswerValue
    /// When its presentation began.
    package let presented: MonotonicTime
    /// When the last press of its answer was recognised: at its release, or when a hold counted.
    package let answered: MonotonicTime
    /// Presses while it was open.
    package let presses: Int
}

extension RunRecord {
    /// When each step was presented and answered, by the wall clock as it is at `now`. Of a step that was
    /// presented several times, the last presentation with an answer, else the last one.
    func times(at now: Moment) -> [String: StepTimes] {
        func wall(_ time: MonotonicTime) -> Instant { now.instant - (now.monotonic - time) }
        return questions.reduce(into: [:]) { times, question in
            guard question.answered != nil || times[question.step]?.answered == nil else { return }
            times[question.step] = StepTimes(
                presented: wall(question.presented), answered: question.answered.map(wall))
        }
    }

    /// How the run went, by the wall clock as it is at `now`.
    func course(at now: Moment) -> RunCourse {
        func wall(_ time: MonotonicTime) -> Instant { now.instant - (now.monotonic - time) }
        return RunCourse(
            id: id, began: wall(began), ended: wall(ended),
            visits: questions.map {
                RunCourse.Visit(
                    step: $0.step,
                    times: StepTimes(presented: wall($0.presented), answered: $0.answered.map(wall)))
            },
            recorded: recorders.map {
                RunCourse.Recorded(recording: $0.recording, began: wall($0.began), ended: wall($0.ended ?? ended))
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
