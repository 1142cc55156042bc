// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite(.timeLimit(.minutes(10))) struct EnrollerSpeechTests {
    private static let study =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/studies/sleep-and-movement.json"

    /// Enrols in the study of the repository; what was printed, and what the log says of speech.
    private func enrol(
        _ voice: SpeechVoice, hasLoudspeaker: Bool = true
    ) async throws -> (progress: [Enroller.Progress], faults: [String], vocabulary: [Utterance]) {
        let panel = try Panel(
            buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [Panel.LED("light", .mono)], buzzer: nil,
            hasLoudspeaker: hasLoudspeaker, hasMicrophone: true)
        let fixture = try SoundFixture()
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: SystemClock(), bootID: "boot", zone: .utc)
        let enroller = Enroller(
            database: database, panel: panel, zone: .utc, stamps: stamps, media: MediaCache(folder: fixture.path),
            voice: voice)
        let loaded = try LoadedStudy.load(Self.study)
        let told = try Handed<Enroller.Progress>()
        _ = try await enroller.enrol(EnrolmentOptions(loaded: loaded)) { told.add($0) }
        let faults = try await database.events().compactMap { row -> String? in
            if case .fault("speech", let message) = row.event { message } else { nil }
        }
        // What the study itself is warned of is no matter of speech.
        let progress = told.wait(for: 0).filter {
            if case .remark(let text) = $0 { !text.hasPrefix("WARNING") } else { true }
        }
        return (progress, faults, Vocabulary(loaded.study, on: panel).parts)
    }

    @Test func everythingTheStudySaysIsReadyWhenTheEnrolmentIs() async throws {
        let fixture = try SoundFixture()
        let program = try fixture.program(making: SoundFixture.wave([1, 2, 3], rate: 22_050))
        let voice = SpeechVoice(folder: fixture.path + "/speech", language: "en", program: program)
        let (progress, faults, vocabulary) = try await enrol(voice)
        #expect(vocabulary.count > 150)
        #expect(progress == (1...vocabulary.count).map { .speech(done: $0, of: vocabulary.count) })
        #expect(faults.isEmpty)
        #expect(vocabulary.allSatisfy { voice.cached($0) != nil })
    }

    @Test func withoutTheProgramTheEnrolmentSucceedsWithOneRemark() async throws {
        let fixture = try SoundFixture()
        let voice = SpeechVoice(folder: fixture.path, language: "en", program: "no-such-espeak")
        let (progress, faults, _) = try await enrol(voice)
        let remarks = EnrolmentRemarks()
        for told in progress { remarks.record(told) }
        #expect(faults.count == 1 && faults[0].contains("only signalled"))
        #expect(remarks.lines == "\nremark: \(faults[0])")
    }

    @Test func aPanelWithoutALoudspeakerRendersNothing() async throws {
        let fixture = try SoundFixture()
        let voice = SpeechVoice(folder: fixture.path, language: "en", program: "no-such-espeak")
        let (progress, faults, _) = try await enrol(voice, hasLoudspeaker: false)
        #expect(progress.isEmpty && faults.isEmpty)
    }
}
