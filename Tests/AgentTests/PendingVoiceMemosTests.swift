// SPDX-License-Identifier: Apache-2.0
import Recording
import Samples
import StudyModel
import Testing
import Times

@testable import Agent
@testable import AgentCore

@Suite struct PendingVoiceMemosTests {
    private func memo(_ number: Int) -> SealedRecording {
        let source = SourceDescription(
            kind: .sound, device: "microphone", location: "mic",
            channels: [Channel(name: "sound", unit: .pcm, scale: 1)], nominalRate: 16_000, fullScale: 1)
        let context = SegmentContext(
            number: number, source: source, measure: MeasureConfiguration(identifier: "voice:\(number)", format: .flac),
            origin: RecordingOrigin(study: "S", participant: nil, deviceID: 1, bootID: "b", zone: .utc), start: .zero,
            anchor: nil)
        return SealedRecording(
            number: number, path: "\(number).flac", descriptionPath: "\(number).json",
            description: RecordingDescription(
                context, fileName: "\(number).flac", contentType: "audio/flac", countedUnit: "frames"))
    }

    @Test func aMemoIsRegisteredWithTheAnswerThatNamesItAndTheOthersAreDiscarded() {
        var shelf = PendingVoiceMemos()
        #expect(shelf.keep(memo(1), of: "a") == nil)
        #expect(shelf.keep(memo(2), of: "b") == nil)
        #expect(shelf["a"]?.number == 1)
        let (named, missing, unnamed) = shelf.submit([.boolean(true), .recording("b"), .number(3)])
        #expect(named.map(\.number) == [2] && unnamed.map(\.number) == [1] && missing.isEmpty)
        #expect(shelf["a"] == nil && shelf["b"] == nil)
    }

    @Test func aMemoThatIsSealedAfterItsSubmissionIsRegisteredThen() {
        var shelf = PendingVoiceMemos()
        let (named, missing, _) = shelf.submit([.recording("late")])
        #expect(named.isEmpty && missing == ["late"])
        #expect(shelf.keep(memo(7), of: "late")?.number == 7)
        #expect(shelf.keep(memo(8), of: "late") == nil)
    }

    @Test func nobodyWaitsForAMemoThatCouldNotBeRecorded() {
        var shelf = PendingVoiceMemos()
        _ = shelf.submit([.recording("silent")])
        shelf.fail("silent")
        #expect(shelf.keep(memo(9), of: "silent") == nil)
    }

    @Test func submittingTwiceRegistersOnce() {
        var shelf = PendingVoiceMemos()
        _ = shelf.keep(memo(1), of: "a")
        #expect(shelf.submit([.recording("a")]).named.count == 1)
        #expect(shelf.submit([AnswerValue]()).named.isEmpty)
    }

    @Test func whatIsDiscardedOrLeftIsNeverRegistered() {
        var shelf = PendingVoiceMemos()
        _ = shelf.keep(memo(1), of: "a")
        _ = shelf.keep(memo(2), of: "b")
        #expect(shelf.discard("a")?.number == 1)
        #expect(shelf.discard("a") == nil)
        #expect(shelf.leave().map(\.number) == [2])
        #expect(shelf.submit([AnswerValue]()).unnamed.isEmpty)
    }
}
