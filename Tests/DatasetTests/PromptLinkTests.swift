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

    /// A participant who enrols again has two enrolments with prompts at the same moment. Each is the second at which
    /// it began, its outcome and the second at which it ended; the answer came at 10.
    @Test(
        arguments: [
            ([(-60, "completed", 10), (252, "missed", 10)], 0), ([(-60, "missed", 0), (252, "missed", 0)], 0),
            ([(-60, "completed", 4), (-30, "completed", 10)], 1), ([(-60, "completed", 5), (-30, "completed", 10)], 1),
            ([(-60, "completed", 10), (-30, "completed", 4)], 0), ([(-60, "missed", 10), (-30, "missed", 10)], 1),
            ([(-60, "expired", 10), (10, "completed", 900)], 1), ([(-60, "expired", 10), (11, "completed", 900)], 0),
            ([(11, "completed", 10), (12, "missed", 10)], 0), ([(11, "missed", 10), (12, "missed", 10)], nil),
            ([(86_400, "missed", 10)], 0), ([(nil, "missed", 10)], 0),
            ([(nil, "completed", 10), (nil, "missed", 10)], 0),
        ] as [([(Int?, String, Int)], Int?)])
    func anAnswerIsOfTheEnrolmentThatAsked(enrolments: [(Int?, String, Int)], asked: Int?) {
        func at(_ second: Int) -> StudyTime { StudyTime(Instant(seconds: 1_796_000_000 + Int64(second)), offset: 0) }
        for ids in [["a", "b"], ["b", "a"]] {
            let prompts = zip(ids, enrolments).map { id, one in
                StudyPrompt(
                    occurrence: "ask/\(id)", enrolment: id, task: "ask", due: at(0), ended: at(one.2), outcome: one.1)
            }
            let known = zip(ids, enrolments).map { id, one in Participant.Enrolment(id: id, began: one.0.map(at)) }
            var submissions = [
                StudySubmission(
                    id: "schema-1", enrolment: nil, task: "ask", taskName: nil, due: at(0), answered: at(10),
                    received: nil, clockError: nil, answers: [])
            ]
            // By their enrolments, as a folder has them.
            PromptLink(prompts.sorted { $0.occurrence < $1.occurrence }, Codebook(), known).link(&submissions)
            #expect(submissions[0].enrolment == asked.map { ids[$0] })
            #expect(submissions[0].prompt == asked.map { "ask/\(ids[$0])" })
        }
    }

    /// One that no report names asked, where the only one that is known began later.
    @Test(arguments: [(10, "ask/a"), (11, "ask/b")])
    func anEnrolmentWithoutANameIsAnotherOne(began: Int, asked: String) {
        func at(_ second: Int) -> StudyTime { StudyTime(Instant(seconds: 1_796_000_000 + Int64(second)), offset: 0) }
        let prompts = ([("ask/a", "a"), ("ask/b", nil)] as [(String, String?)]).map { occurrence, enrolment in
            StudyPrompt(
                occurrence: occurrence, enrolment: enrolment, task: "ask", due: at(0), ended: at(900),
                outcome: "missed")
        }
        var submissions = [
            StudySubmission(
                id: "schema-1", enrolment: nil, task: "ask", taskName: nil, due: at(0), answered: at(10),
                received: nil, clockError: nil, answers: [])
        ]
        PromptLink(prompts, Codebook(), [.init(id: "a", began: at(began))]).link(&submissions)
        #expect(submissions[0].prompt == asked)
    }

    /// Also where no report of that enrolment came.
    @Test(arguments: [["e1", "e2"], ["e2", "e1"]], [true, false])
    func anEnrolmentThatBeganLaterGetsNoEarlierAnswer(ids: [String], isReported: Bool) async throws {
        let lab = try LabFixture()
        try await lab.post()
        for (id, minute) in zip(ids, ["00", "05"]) {
            let began = "2026-11-25T09:\(minute):00+01:00"
            try await lab.upload("1.bin", Array(id.utf8), enrolment: id, enrolled: began, recording: nil)
        }
        if isReported { try await lab.report(LabFixture.prompt("moment/1"), enrolment: ids[0]) }
        let missed = LabFixture.prompt("moment/1", outcome: "missed", reason: "before-enrolment")
        try await lab.report(missed, enrolment: ids[1])
        let folder = try LabFolder(lab.directory, study: LabFixture.study)
        let record = try folder.record(of: folder.participants[0])
        let answer = try #require(record.submissions.first)
        #expect(answer.enrolment == ids[0] && answer.prompt == (isReported ? "moment/1" : nil))
        #expect((answer.presented != nil) == isReported && answer.answers.contains { $0.presses == 3 } == isReported)
    }
}
