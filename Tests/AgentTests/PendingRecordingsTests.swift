// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Agent
@testable import Study

@Suite struct PendingRecordingsTests {
    static func file(_ number: Int, run: String = "run", task: String = "task") -> SealedRecording {
        let source = SourceDescription(
            kind: .accelerometer, device: "chip", location: "bus", channels: Channel.acceleration(scale: 1),
            nominalRate: 100, fullScale: 1)
        let context = SegmentContext(
            number: number, source: source,
            measure: MeasureConfiguration(
                identifier: "task:run/a", format: .cwa,
                task: .init(task: task, run: run, step: "step", recorders: ["a"])),
            origin: RecordingOrigin(study: "S", participant: nil, deviceID: 1, bootID: "b", zone: .utc), start: .zero,
            anchor: nil)
        return SealedRecording(
            number: number, path: "\(number).cwa", descriptionPath: "\(number).json",
            description: RecordingDescription(
                context, fileName: "\(number).cwa", contentType: "application/octet-stream", countedUnit: .samples))
    }

    static func recording(_ name: String, run: String = "run") -> TaskRecording {
        TaskRecording(
            id: "\(run)/\(name)/1", run: run, task: "task", step: "step",
            recorder: TaskRecorder(identifier: name, kinds: [.accelerometer]))
    }

    static func recorded(_ name: String, _ files: [Int], run: String = "run") -> TaskRecorded {
        TaskRecorded(recording: recording(name, run: run), files: files.map { file($0) }, failures: [])
    }

    @Test func filesAreGivenWithTheSubmissionOfTheirRunEachOnce() {
        var shelf = PendingRecordings()
        shelf.start([Self.recording("a"), Self.recording("b")])
        #expect(!shelf.isComplete("run"))
        guard case .kept = shelf.end(Self.recorded("a", [1])) else { return #expect(Bool(false)) }
        #expect(!shelf.isComplete("run"))
        _ = shelf.end(Self.recorded("b", [1, 2]))
        #expect(shelf.isComplete("run"))
        let (recorded, earlier, files) = shelf.submit("run")
        #expect(recorded.map(\.recording.recorder.identifier) == ["a", "b"] && earlier.isEmpty)
        #expect(files.map(\.number) == [1, 2])
        #expect(shelf.leave().isEmpty)
    }

    @Test func aRunThatIsLeftDiscardsItsFilesAndThoseThatComeLate() {
        var shelf = PendingRecordings()
        shelf.start([Self.recording("a"), Self.recording("b")])
        _ = shelf.end(Self.recorded("a", [1]))
        #expect(shelf.leave().map(\.number) == [1])
        guard case .discarded(let late) = shelf.end(Self.recorded("b", [1, 2])) else { return #expect(Bool(false)) }
        #expect(late.map(\.number) == [2])
    }

    @Test func aFileThatComesAfterItsSubmissionIsOwedToIt() {
        var shelf = PendingRecordings()
        shelf.start([Self.recording("a")])
        #expect(shelf.submit("run").files.isEmpty)
        #expect(shelf.leave().isEmpty)
        guard case .owed(let files) = shelf.end(Self.recorded("a", [3])) else { return #expect(Bool(false)) }
        #expect(files.map(\.number) == [3])
    }

    /// A file from before the restart is found while a recording of its run, which is over, has not ended.
    @Test(arguments: [true, false]) func aFileThatIsFoundLateGoesTheWayOfItsRun(isSubmitted: Bool) {
        var shelf = PendingRecordings()
        shelf.start([Self.recording("a")])
        if isSubmitted { _ = shelf.submit("run") } else { _ = shelf.leave() }
        shelf.adopt([Self.file(4)], of: "run")
        switch shelf.end(Self.recorded("a", [3])) {
        case .kept: Issue.record("the run is over")
        case .owed(let files): #expect(isSubmitted && files.map(\.number) == [4, 3])
        case .discarded(let files): #expect(!isSubmitted && files.map(\.number) == [4, 3])
        }
    }

    @Test func whatWasRecordedBeforeARestartBelongsToTheRunThatGoesOn() {
        var shelf = PendingRecordings()
        shelf.adopt([Self.file(1)], of: "run")
        shelf.start([Self.recording("a")])
        _ = shelf.end(Self.recorded("a", [2]))
        let (_, earlier, files) = shelf.submit("run")
        #expect(earlier.map(\.number) == [1] && files.map(\.number) == [1, 2])
        shelf.adopt([Self.file(4)], of: "other")
        #expect(shelf.leave().map(\.number) == [4])
    }

    @Test func aRunWithoutRecordersIsCompleteAtOnce() {
        var shelf = PendingRecordings()
        #expect(shelf.isComplete("run") && shelf.submit("run").recorded.isEmpty)
    }
}
