// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite struct EventEncoderTests {
    let now = Moment(instant: Instant(seconds: 1_800_000_000), monotonic: MonotonicTime(nanoseconds: 5_000_000_000))

    private func encoder() throws -> EventEncoder {
        let loaded = try LoadedStudy.load(AgentFixture.sleepStudy)
        let context = try AgentFixture.context(loaded.study)
        return EventEncoder(
            context: WireContext(study: loaded.study, enrolment: context.enrolment, zone: context.zone, postURL: nil))
    }

    private func occurrence() throws -> Occurrence {
        let loaded = try LoadedStudy.load(AgentFixture.sleepStudy)
        return Planner(study: loaded.study, context: try AgentFixture.context(loaded.study)).plan.occurrences[1]
    }

    private func submission() throws -> Submission {
        Submission(
            task: "pain", occurrence: try occurrence(), order: ["pain-level"], answers: ["pain-level": .number(3)],
            drawn: [], submitted: now.instant)
    }

    @Test func everyNoteHasItsRow() throws {
        let occurrence = try occurrence()
        let record = OccurrenceRecord(occurrence)
        let edge = ButtonEvent(button: 2, isPressed: true, time: now.monotonic)
        let release = ButtonEvent(button: 2, isPressed: false, time: now.monotonic)
        let submission = try submission()
        let cases: [(StudyNote, StudyEvent)] = [
            (.prompted(occurrence), .prompted(occurrence: record)),
            (.pressed(edge), .pressed(button: 2, at: now.monotonic)),
            (.pressed(release), .released(button: 2, at: now.monotonic)),
            (.row(.listOpened), .listOpened),
            (
                .submitted(task: "t", opening: 2, submission),
                .submitted(task: "t", opening: 2, submission: SubmissionRecord(submission))
            ),
            (.runLeft(task: "t", opening: 2, end: .left), .runLeft(task: "t", opening: 2)),
            (.concluded(occurrence, .expired), .concluded(occurrence: record, outcome: .expired)),
        ]
        for (note, event) in cases { #expect(EventEncoder.events(note) == [event], "\(note)") }
    }

    @Test func anAnswerIsOneItemAndItsLogRecordAnother() throws {
        var encoder = try encoder()
        let submission = try submission()
        let commit = encoder.commit(
            [.note(.submitted(task: "pain", opening: 1, submission)), .report(.submitted(submission))], at: now)
        #expect(commit.hasSubmission)
        #expect(commit.events.count == 1)
        #expect(commit.drafts.map(\.itemClass) == [.answers, .answers])
        #expect(commit.drafts.allSatisfy { $0.destination == "schema" })
        let kinds = commit.drafts.map { draft in
            if case .request(let request) = draft.content { PostedForm(request)?.kind ?? "?" } else { "file" }
        }
        #expect(kinds == ["survey_response", "survey submit"])
    }

    /// Two equal reports in the same instant are two records on a phone, and two items here.
    @Test func noTwoReportsAreTakenForOne() throws {
        var encoder = try encoder()
        let drafts = encoder.drafts(.listOpened, at: now) + encoder.drafts(.listOpened, at: now)
        #expect(Set(drafts.map(\.origin)).count == 2)
    }

    @Test func whatThePanelDoesIsNotWritten() throws {
        var encoder = try encoder()
        let commit = encoder.commit([.device(.stopSignals), .withdraw(deletesData: nil)], at: now)
        #expect(commit.isEmpty && !commit.hasSubmission)
    }

    /// The archive of a run holds the sound of what was spoken: it is made once that is sealed,
    /// as with recorders.
    @Test(arguments: [(AnswerValue.recording("m1"), true), (.text("typed"), false)])
    func anArchiveWaitsForTheSoundOfASpokenAnswer(answer: AnswerValue, waits: Bool) throws {
        let text =
            #"{"type":"assessment","identifier":"T","steps":[{"type":"simpleQuestion","identifier":"q","inputItem":{"type":"string"}}]}"#
        let loaded = try LoadedStudy(Array(text.utf8), origin: "t.json")
        let context = try AgentFixture.context(loaded.study)
        var encoder = EventEncoder(
            context: WireContext(study: loaded.study, enrolment: context.enrolment, zone: context.zone, postURL: nil))
        let course = RunCourse(
            id: "e-1", began: now.instant, ended: now.instant,
            visits: [
                RunCourse.Visit(step: "q", times: StepTimes(presented: now.instant, answered: now.instant))
            ], recorded: [])
        let submission = Submission(
            task: "T", occurrence: try occurrence(), order: ["q"], answers: ["q": answer], drawn: [],
            submitted: now.instant, course: course)
        #expect(encoder.waits(submission) == waits)
        #expect(encoder.commit([.report(.submitted(submission))], at: now).drafts.isEmpty == waits)
        #expect(encoder.drafts(.submitted(submission), at: now).count == 1)
    }
}
