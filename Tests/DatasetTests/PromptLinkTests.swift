// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Dataset

struct PromptLinkTests {
    /// A report calls a step by its path, `left/tapping`; an archive of SageResearch is read as `left_tapping`.
    /// A step's own name goes before another's path, and of two paths of one name none counts.
    @Test(
        arguments: [
            (["left/tapping": 23], "left_tapping", 23), (["mood": 23], "mood", 23), (["a_b": 23], "a_b", 23),
            (["Form/steps": 23], "Form/steps", 23), (["left/tapping": 5, "left_tapping": 23], "left_tapping", 23),
            (["a/b_c": 5, "a_b/c": 23], "a_b_c", nil),
        ] as [([String: Int], String, Int?)])
    func pressesAreFoundByAQuestionsPath(reported: [String: Int], item: String, presses: Int?) {
        let ended = StudyTime(Instant(nanoseconds: 1_796_113_458_000_000_000), offset: 20_700)
        let prompt = StudyPrompt(
            occurrence: "Tapping/open", enrolment: "e", task: "Tapping", due: ended, ended: ended,
            outcome: "completed", presses: reported)
        var submissions = [
            StudySubmission(
                id: "sage-1", enrolment: nil, task: "Tapping", taskName: nil, due: ended, answered: ended,
                received: nil, clockError: nil,
                answers: [.init(item: item, value: "22"), .init(item: "other", value: "1")])
        ]
        PromptLink([prompt], Codebook()).link(&submissions)
        #expect(submissions[0].prompt == "Tapping/open" && submissions[0].answers.map(\.presses) == [presses, nil])
    }
}
