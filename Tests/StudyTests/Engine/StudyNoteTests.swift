// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct StudyNoteTests {
    /// Presented at one second and answered or not at the next, as the participant walked.
    private static func record(_ visits: [(step: String, isAnswered: Bool)]) -> RunRecord {
        let questions = visits.enumerated().map { index, visit in
            var question = RunRecord.Question(step: visit.step, presented: .zero + .seconds(10 * index))
            question.answered = visit.isAnswered ? .zero + .seconds(10 * index + 1) : nil
            return question
        }
        return RunRecord(
            opened: OpenedTask(PanelFixtures.task([]), opening: 1, chance: PanelFixtures.chance), end: .submitted,
            answers: [:], questions: questions, began: .zero, ended: .zero + .seconds(90))
    }

    /// The app of MyStudies sends each result with the times of the answer that it has
    /// (`startTime`, `endTime`), whatever was looked at after it.
    @Test(
        arguments: [
            ([("a", true), ("b", true), ("c", false), ("b", false), ("a", true)], "b", 10, 11),
            ([("a", true), ("b", true), ("c", false), ("b", false), ("a", true)], "a", 40, 41),
            ([("a", true), ("a", true)], "a", 10, 11), ([("a", false), ("a", false)], "a", 10, nil),
        ] as [([(String, Bool)], String, Int, Int?)])
    func timesAreThoseOfTheLastAnswer(visits: [(String, Bool)], step: String, presented: Int, answered: Int?) {
        let now = Moment(instant: Sample.start + .seconds(90), monotonic: .zero + .seconds(90))
        let times = Self.record(visits.map { ($0.0, $0.1) }).times(at: now)
        #expect(times[step]?.presented == Sample.start + .seconds(presented))
        #expect(times[step]?.answered == answered.map { Sample.start + .seconds($0) })
    }
}
