// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@testable import Agent
@testable import Study

@Suite struct PendingVoiceMemosTests {
    @Test func aMemoIsRegisteredWithTheAnswerThatNamesItAndTheOthersAreDiscarded() {
        var shelf = PendingVoiceMemos()
        #expect(shelf.keep(.memo(1, "a"), of: "a") == nil)
        #expect(shelf.keep(.memo(2, "b"), of: "b") == nil)
        #expect(shelf["a"]?.number == 1)
        let (named, missing, unnamed) = shelf.submit([.boolean(true), .recording("b"), .number(3)])
        #expect(named.map(\.number) == [2] && unnamed.map(\.number) == [1] && missing.isEmpty)
        #expect(shelf["a"] == nil && shelf["b"] == nil)
    }

    @Test func aMemoThatIsSealedAfterItsSubmissionIsRegisteredThen() {
        var shelf = PendingVoiceMemos()
        let (named, missing, _) = shelf.submit([.recording("late")])
        #expect(named.isEmpty && missing == ["late"])
        #expect(shelf.keep(.memo(7, "late"), of: "late")?.number == 7)
        #expect(shelf.keep(.memo(8, "late"), of: "late") == nil)
    }

    @Test func nobodyWaitsForAMemoThatCouldNotBeRecorded() {
        var shelf = PendingVoiceMemos()
        _ = shelf.submit([.recording("silent")])
        shelf.fail("silent")
        #expect(shelf.keep(.memo(9, "silent"), of: "silent") == nil)
    }

    @Test func submittingTwiceRegistersOnce() {
        var shelf = PendingVoiceMemos()
        _ = shelf.keep(.memo(1, "a"), of: "a")
        #expect(shelf.submit([.recording("a")]).named.count == 1)
        #expect(shelf.submit([AnswerValue]()).named.isEmpty)
    }

    @Test func whatIsDiscardedOrLeftIsNeverRegistered() {
        var shelf = PendingVoiceMemos()
        _ = shelf.keep(.memo(1, "a"), of: "a")
        _ = shelf.keep(.memo(2, "b"), of: "b")
        #expect(shelf.discard("a")?.number == 1)
        #expect(shelf.discard("a") == nil)
        #expect(shelf.leave().map(\.number) == [2])
        #expect(shelf.submit([AnswerValue]()).unnamed.isEmpty)
    }
}
