// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Dataset

struct PromptLinkTests {
    /// A report calls a step by its path, `left/tapping`; an archive of SageResearch is read as `left_tapping`.
    @Test(arguments: [("left/tapping", "left_tapping"), ("mood", "mood"), ("a_b", "a_b"), ("Form/steps", "Form/steps")])
    func pressesAreFoundByAQuestionsPath(reported: String, item: String) {
        let ended = StudyTime(Instant(nanoseconds: 1_796_113_458_000_000_000), offset: 20_700)
        let prompt = StudyPrompt(
            occurrence: "Tapping/open", enrolment: "e", task: "Tapping", due: ended, ended: ended,
            outcome: "completed", presses: [reported: 23])
        var submissions = [
            StudySubmission(
                id: "sage-1", enrolment: nil, task: "Tapping", taskName: nil, due: ended, answered: ended,
                received: nil, clockError: nil,
                answers: [.init(item: item, value: "22"), .init(item: "other", value: "1")])
        ]
        PromptLink([prompt], Codebook()).link(&submissions)
        #expect(submissions[0].prompt == "Tapping/open" && submissions[0].answers.map(\.presses) == [23, nil])
    }
}
