// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct RunResultTests {
    /// What is sealed on the disk is opened before it is packed: an archive says what is in it then.
    @Test(arguments: [nil, "audio/flac"] as [String?])
    func aFileThatIsSentOpenedIsOfTheTypeThatIsInside(sealed: String?) {
        var description = RecordingDescription(
            fileName: "1", contentType: sealed == nil ? "audio/flac" : RecordingDescription.AgeNote.contentType,
            countedUnit: .samples)
        description.age = sealed.map { .init(recipients: 1, contentType: $0) }
        description.identifier = VoiceMemo.prefix + "m-1"
        let memo = SealedRecording(number: 1, path: "1", descriptionPath: "1.json", description: description)
        let due = Instant(seconds: 1_800_000_000)
        let occurrence = Occurrence(
            id: "task/1", task: "task", taskIndex: 0, number: 1, local: Zone.utc.local(due), due: due, expires: nil)
        let submission = Submission(
            task: "task", occurrence: occurrence, order: [], answers: [:], drawn: [],
            submitted: Instant(seconds: 1_800_000_060))
        let result = RunResult(
            submission: submission, task: PanelFixtures.task([]), enrolment: "e1", zone: .utc, recorded: [],
            earlier: [memo], memos: [memo], digest: { $0 })
        #expect(result.spoken["m-1"]?.contentType == "audio/flac")
        #expect(result.recordings.flatMap { $0.files.map(\.contentType) } == ["audio/flac"])
    }
}
