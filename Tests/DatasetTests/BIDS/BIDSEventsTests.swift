// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Dataset

/// Devices number the prompts of each enrolment from one (docs/lab.md): a name says nothing without it.
@Suite struct BIDSEventsTests {
    private struct Nothing: StudyDataset {
        let study = "s1"
        var codebook = Codebook()
        let participants: [Participant] = []
        let latest = Instant(seconds: 0)
        let issues: [DatasetIssue] = []

        func items() throws -> [String] { [] }
        func record(of participant: Participant) throws -> ParticipantRecord { ParticipantRecord(participant) }
    }

    /// A validator takes them for what they are in BIDS: numbers, files below `stimuli`, members that are texts
    /// (bids-specification 4523097f4, src/schema/rules: tabular_data/events.yaml, sidecars/events.yaml and beh.yaml).
    @Test(arguments: [
        "onset", "response_time", "stim_file", "HED", "channel", "TaskName", "Instructions", "StimulusPresentation",
    ])
    func aQuestionWhoseNameHasAMeaningInBIDSIsCalledByItsTask(item: String) throws {
        var dataset = Nothing()
        dataset.codebook.items = [
            Codebook.Item(task: "mood", taskName: "Mood", item: item, type: "text", words: "How are you?"),
            Codebook.Item(task: "mood", taskName: "Mood", item: "mood", type: "text", words: "And now?"),
        ]
        let questions = try BIDSQuestions(of: dataset, reserved: BIDSEvents.reserved)
        #expect(questions.columns == ["mood.\(item)", "mood"])
        #expect(questions.json.map(\.key) == questions.columns)
    }

    /// A cell has neither tabs nor ends of lines, so a level is not found by a value with them.
    @Test func aLevelIsNamedAsTheTableHasIt() throws {
        var dataset = Nothing()
        var item = Codebook.Item(task: "mood", taskName: "Mood", item: "mood", type: "multi", words: "How are you?")
        item.levels = [.init("so\nso", "so so"), .init("\u{1F600}\tbest", "best"), .init("n, a", "none")]
        dataset.codebook.items = [item]
        let json = try #require(try BIDSQuestions(of: dataset, reserved: []).json.first).value
        let levels = json["Levels"]?.members ?? []
        #expect(levels.map(\.key) == item.levels.map { BIDSCell.text($0.value) })
        #expect(levels.map(\.key) == ["so so", "\u{1F600} best", "n, a"])
    }

    @Test func levelsThatDifferInATabAloneAreToldApart() throws {
        var dataset = Nothing()
        var item = Codebook.Item(task: "mood", taskName: "Mood", item: "mood", type: "multi", words: "How are you?")
        let values = ["so\tso", "so so", "so\nso", "well"]
        item.levels = values.map { .init($0, $0) }
        dataset.codebook.items = [item]
        let questions = try BIDSQuestions(of: dataset, reserved: [])
        let levels = questions.json.first?.value["Levels"]?.members.map(\.key)
        #expect(levels == ["so so_", "so so", "so so__", "well"])
        #expect(values.map { questions.cell($0, in: "mood") } == levels)
        #expect(questions.cell("so\tso; well", in: "mood") == "so\tso; well")
        var record = ParticipantRecord(Participant(id: "P1", study: "s1", enrolments: []))
        record.submissions = [
            StudySubmission(
                id: "a", enrolment: nil, task: "mood", taskName: nil, prompt: nil, due: nil, answered: Self.time(40),
                received: nil, clockError: nil, answers: [.init(item: "mood", value: values[0])])
        ]
        let events = BIDSEvents(record, enrolment: nil, presses: [], questions).events
        #expect(events.compactMap { $0.cells["mood"] } == ["so so_"])
    }

    /// A lab is not told when a run was left; a run that a power cut ended is left at the next start.
    @Test(
        arguments: [
            ("interrupted", 20, 8), ("interrupted", 50, 28), ("interrupted", nil, nil), ("completed", nil, 28),
        ] as [(String, Int64?, Double?)])
    func aTaskThatWasNotSubmittedLastsUntilItWasLeft(outcome: String, left: Int64?, duration: Double?) throws {
        var record = ParticipantRecord(Participant(id: "P1", study: "s1", enrolments: []))
        var prompt = Self.prompt("first", outcome)
        prompt.left = left.map(Self.time)
        record.prompts = [prompt]
        let events = BIDSEvents(
            record, enrolment: "first", presses: [], try BIDSQuestions(of: Nothing(), reserved: [])
        ).events
        #expect(events.filter { $0.kind == .task }.map(\.duration) == [duration])
    }

    private static func time(_ seconds: Int64) -> StudyTime { StudyTime(Instant(seconds: seconds), offset: 0) }

    private static func prompt(_ enrolment: String, _ outcome: String) -> StudyPrompt {
        StudyPrompt(
            occurrence: "mood/1", enrolment: enrolment, task: "mood", due: time(10), presented: time(10),
            opened: time(12),
            ended: time(40), outcome: outcome)
    }

    @Test func aRunThatWasOpenedStaysWhereAnotherEnrolmentSubmittedAPromptOfThatName() throws {
        var record = ParticipantRecord(Participant(id: "P1", study: "s1", enrolments: []))
        record.prompts = [Self.prompt("first", "interrupted"), Self.prompt("second", "completed")]
        record.submissions = [
            StudySubmission(
                id: "a", enrolment: "second", task: "mood", taskName: nil, prompt: "mood/1", due: Self.time(10),
                answered: Self.time(40), received: nil, clockError: nil, answers: [])
        ]
        let questions = try BIDSQuestions(of: Nothing(), reserved: [])
        for (enrolment, outcome) in [("first", "interrupted"), ("second", "submitted")] {
            let events = BIDSEvents(record, enrolment: enrolment, presses: [], questions).events
            let runs = events.filter { $0.kind == .task }.map { $0.cells["outcome"] }
            #expect(runs == [outcome], "\(enrolment)")
        }
    }
}
