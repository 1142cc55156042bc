// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// An accelerometer and a magnetometer that are recorded all the time, in a folder, and what is
/// recorded for runs beside them.
private final class Desk {
    let fixture: SoundFixture
    let folder: RecordingFolder
    let sources: [RecorderThread.Source]
    let recorders: [any SampleRecorder]
    let tasks: TaskRecorders
    private let rings: [FrameRing<VectorFrame>]
    private let anchors: [ClockAnchor]
    private var fed = 0
    private var skipped: UInt32 = 0

    init(isAnchored: Bool = true) throws {
        fixture = try SoundFixture()
        folder = try RecordingFolder(fixture.path + "/recordings")
        let origin = RecordingOrigin(study: "S", participant: "P", deviceID: 1, bootID: "boot", zone: .utc)
        let rings = (0..<2).map { _ in
            FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 0))
        }
        let kinds: [(MeasureKind, RecordingFormat, [Channel])] = [
            (.accelerometer, .cwa, Channel.acceleration(scale: 1.0 / 4096)),
            (.magnetometer, .csv, Channel.magneticField(scale: 0.1)),
        ]
        sources = zip(rings, kinds).map { ring, kind in
            RecorderThread.Source(
                measure: MeasureConfiguration(identifier: kind.0.rawValue, format: kind.1), input: .vectors(ring),
                source: SourceDescription(
                    kind: kind.0, device: "chip", location: "bus", channels: kind.2, nominalRate: 100, fullScale: 8))
        }
        recorders = try [sources[0], sources[1]].map { [folder] in
            try $0.measure.recorder(of: $0.input, source: $0.source, origin: origin, folder: folder)
        }
        tasks = TaskRecorders(sources, recorders, origin: origin, folder: folder)
        self.rings = rings
        anchors =
            isAnchored
            ? [
                ClockAnchor(
                    monotonic: .zero, instant: try Instant(rfc3339: "2026-03-02T10:00:00Z"), source: .simulated,
                    uncertainty: .milliseconds(1))
            ] : []
    }

    static func at(_ seconds: Double) -> MonotonicTime { .zero + .nanoseconds(Int64(seconds * 1e9)) }

    /// Both chips up to that time: 100 samples a second, in bursts of 25 of which the
    /// last is stamped.
    func feed(to seconds: Double) {
        while Double(fed + 1) / 100 <= seconds {
            fed += 1
            for ring in rings {
                var frame = VectorFrame(
                    values: [Int32(fed % 4000), 0, 4096, 0, 0, 0, 0, 0], count: 3,
                    time: Self.at(Double(fed) / 100), isStamped: fed % 25 == 0)
                if skipped > 0 { (frame.lostBefore, frame.reason) = (skipped, LossReason.deviceError.rawValue) }
                ring.push(frame)
            }
            skipped = 0
        }
    }

    /// Both chips are silent up to that time, and say so with their next sample.
    func skip(to seconds: Double) {
        let next = Int((seconds * 100).rounded())
        (skipped, fed) = (UInt32(next - fed), next)
    }

    func drain(at seconds: Double) -> [TaskRecorded] {
        for recorder in recorders { _ = recorder.drain(at: Self.at(seconds), anchors: anchors) }
        return tasks.drain(at: Self.at(seconds), anchors: anchors)
    }

    func stop(at seconds: Double) -> [TaskRecorded] {
        for recorder in recorders { _ = recorder.stop(at: Self.at(seconds), anchors: anchors) }
        return tasks.stop(at: Self.at(seconds), anchors: anchors)
    }

    func recording(_ identifier: String, _ kinds: [TaskRecorder.Kind]) -> TaskRecording {
        TaskRecording(
            id: "run/\(identifier)/1", run: "run", task: "task", step: "step",
            recorder: TaskRecorder(identifier: identifier, kinds: kinds))
    }
}

@Suite struct TaskRecordersTests {
    @Test func aFileOfATaskCoversItsTimeAndTheContinuousOneMissesNothing() throws {
        let desk = try Desk()
        desk.feed(to: 10)
        _ = desk.drain(at: 10)
        desk.tasks.start([desk.recording("motion", [.accelerometer])], at: Desk.at(10))
        desk.feed(to: 20)
        #expect(desk.drain(at: 20).isEmpty)
        desk.tasks.stop(["run/motion/1"], at: Desk.at(20.1))
        #expect(desk.drain(at: 20.2).isEmpty, "the chip still holds samples of the task's time")
        desk.feed(to: 22)
        let ended = desk.drain(at: 22)
        let file = try #require(ended.first?.files.first)
        #expect(ended.count == 1 && ended[0].files.count == 1 && ended[0].failures.isEmpty)
        #expect(file.path.hasSuffix("-accelerometer.cwa"))
        #expect(file.description.startUptime <= 10.02 && file.description.endUptime >= 20.1)
        let description = file.description
        #expect((1010..<1130).contains(description.samplesStored) && description.totalLost == 0, "\(description)")
        #expect(
            file.description.task
                == .init(task: "task", run: "run", step: "step", recorders: ["motion"]))
        let onDisk = try RecordingDescription(
            json: BoundedFile.read(file.descriptionPath), path: file.descriptionPath)
        #expect(onDisk.task == file.description.task && onDisk.identifier == "task:run/motion")
        _ = desk.stop(at: 22)
        #expect(desk.recorders[0].counts.due == 2200 && desk.recorders[0].counts.lost == [.notRunning: 40])
    }

    /// What waits in the rings was measured before the step, in one of several seconds.
    @Test func aFileOfATaskBeginsWithIt() throws {
        let desk = try Desk()
        desk.feed(to: 14)
        desk.tasks.start([desk.recording("all", [.accelerometer, .magnetometer])], at: Desk.at(12.005))
        _ = desk.drain(at: 14)
        desk.feed(to: 22)
        desk.tasks.stop(["run/all/1"], at: Desk.at(20))
        let ended = try #require(desk.drain(at: 22).first)
        #expect(ended.files.count == 2 && ended.failures.isEmpty)
        for file in ended.files.map(\.description) {
            #expect((12.005...12.03).contains(file.startUptime) && file.totalLost == 0, "\(file.startUptime)")
        }
        #expect(desk.recorders.allSatisfy { $0.counts.due == 2200 })
    }

    /// Beside the file, as the apps' recorder reports its error.
    @Test(
        arguments: [
            ("it goes on", 15.0, 15.0, 40.0, nil), ("a moment's pause", 15, 15.7, 40, nil),
            ("it stops for good", 15, 40, 40, "15."), ("a hole", 15, 19.9, 40, "4.9"),
            ("it comes late", 0, 5, 40, "5.0"),
        ] as [(String, Double, Double, Double, String?)])
    func aFileWithAHoleHasAFailureBesideIt(
        name: String, last: Double, next: Double, end: Double, missing: String?
    ) throws {
        let desk = try Desk()
        desk.tasks.start([desk.recording("motion", [.magnetometer])], at: Desk.at(0))
        desk.feed(to: last)
        desk.skip(to: next)
        desk.feed(to: end)
        _ = desk.drain(at: 30)
        desk.tasks.stop(["run/motion/1"], at: Desk.at(30))
        let ended = try #require(desk.drain(at: 37).first)
        #expect(ended.files.first.map { $0.description.samplesStored > 900 } == true)
        let message = ended.failures.first?.message
        #expect((message == nil) == (missing == nil), "\(name): \(message ?? "")")
        if let missing { #expect(message?.hasPrefix(missing) == true, "\(name): \(message ?? "")") }
        #expect(ended.failures.allSatisfy { $0.isMeasured && $0.kind == .magnetometer })
    }

    @Test func recordersOfOneRunShareTheFileOfASource() throws {
        let desk = try Desk()
        desk.tasks.start(
            [
                desk.recording("motion", [.accelerometer]), desk.recording("all", [.accelerometer, .magnetometer]),
            ], at: .zero)
        desk.feed(to: 5)
        _ = desk.drain(at: 5)
        desk.tasks.stop(["run/motion/1", "run/all/1"], at: Desk.at(5))
        desk.feed(to: 7)
        let ended = desk.drain(at: 7)
        #expect(ended.map(\.recording.recorder.identifier) == ["motion", "all"])
        #expect(ended.map { $0.files.map { $0.kind } } == [[.accelerometer], [.accelerometer, .magnetometer]])
        #expect(ended[0].files[0].number == ended[1].files[0].number)
        #expect(ended[0].files[0].description.task?.recorders == ["motion", "all"])
    }

    @Test func whatIsNotMeasuredIsAFailureAndTheRestIsRecorded() throws {
        let desk = try Desk()
        desk.tasks.start(
            [
                desk.recording("motion", [.accelerometer, .gyroscope]), desk.recording("audio", [.sound]),
                desk.recording("pedometer", [.steps]),
            ], at: .zero)
        desk.feed(to: 5)
        _ = desk.drain(at: 5)
        desk.tasks.stop(["run/motion/1", "run/audio/1", "run/pedometer/1"], at: Desk.at(5))
        desk.feed(to: 7)
        let ended = desk.drain(at: 7).sorted { $0.recording.recorder.identifier > $1.recording.recorder.identifier }
            .sorted { $0.files.count > $1.files.count }
        #expect(ended.map(\.files.count) == [1, 0, 0])
        #expect(ended.map { $0.failures.map(\.kind) } == [[.gyroscope], [.steps], [.sound]])
        #expect(ended.allSatisfy { $0.failures.allSatisfy { !$0.isMeasured } })
    }

    @Test func samplesThatDoNotComeAreWaitedForSixSeconds() throws {
        let desk = try Desk()
        desk.tasks.start([desk.recording("motion", [.accelerometer])], at: .zero)
        desk.feed(to: 5)
        _ = desk.drain(at: 5)
        desk.tasks.stop(["run/motion/1"], at: Desk.at(6))
        #expect(desk.drain(at: 11.9).isEmpty && desk.tasks.isEnding)
        #expect(desk.drain(at: 12).first?.files.count == 1 && !desk.tasks.isEnding)
    }

    @Test func aMeasureThatGivesNothingIsAFailureThatSaysSo() throws {
        let desk = try Desk()
        desk.tasks.start([desk.recording("motion", [.accelerometer])], at: .zero)
        desk.tasks.stop(["run/motion/1"], at: Desk.at(1))
        let ended = desk.drain(at: 7)
        #expect(ended.first?.files.isEmpty == true)
        #expect(ended.first?.failures.first?.message == "no samples arrived during the task")
        #expect(ended.first?.failures.first?.isMeasured == true)
    }

    /// Whether the step was over when measuring ended or not.
    @Test(arguments: [false, true]) func theEndOfMeasuringEndsWhatIsRecorded(isOver: Bool) throws {
        let desk = try Desk()
        desk.tasks.start([desk.recording("motion", [.accelerometer, .gyroscope])], at: .zero)
        desk.feed(to: 5)
        if isOver { desk.tasks.stop(["run/motion/1"], at: Desk.at(4.9)) }
        let ended = desk.stop(at: 5)
        #expect(ended.first?.files.first?.description.samplesStored ?? 0 >= 480)
        let failures = ended.first?.failures ?? []
        #expect(failures.filter { !$0.isMeasured }.map(\.kind) == [.gyroscope])
        #expect(failures.filter(\.isMeasured).map(\.message) == (isOver ? [] : ["measuring ended during the task"]))
        #expect(desk.tasks.drain(at: Desk.at(6), anchors: []).isEmpty)
    }

    @Test func aFileThatWaitsForTheClockIsAFailureThatSaysSo() throws {
        let desk = try Desk(isAnchored: false)
        desk.tasks.start([desk.recording("motion", [.accelerometer])], at: .zero)
        desk.feed(to: 5)
        let message = desk.stop(at: 5).first?.failures.first?.message
        #expect(message?.hasPrefix("the clock is not known yet") == true)
    }
}
