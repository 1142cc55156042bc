// SPDX-License-Identifier: Apache-2.0
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Base
@testable import Device

@Suite struct RecordedRunsTests {
    private let bench = RecordingBench()

    /// Records a second from that uptime on, for a task or all the time.
    private func record(
        _ folder: RecordingFolder, boot: String, at uptime: Int, task: String? = nil
    ) throws -> SealedRecording {
        let source = SourceDescription(
            kind: .accelerometer, device: "LSM6DSO", location: "i2c-1 0x6a",
            channels: Channel.acceleration(scale: 0.000_122), nominalRate: 50, fullScale: 4)
        let note = task.map { RecordingDescription.TaskNote(task: $0, run: "run", step: "step", recorders: ["walk"]) }
        let ring = FrameRing(capacity: 1 << 8, repeating: VectorFrame(values: .zero, count: 3))
        let recorder = try MeasureConfiguration(identifier: "accelerometer", format: .cwa, task: note).recorder(
            of: .vectors(ring), source: source,
            origin: RecordingOrigin(study: "s", participant: "p", deviceID: 1, bootID: boot, zone: .utc),
            folder: folder)
        let start = MonotonicTime.zero + .seconds(uptime)
        for index in 0..<50 {
            ring.push(
                VectorFrame(
                    values: SIMD8(0, 0, 8000, 0, 0, 0, 0, 0), count: 3, time: start + .milliseconds(20 * index),
                    isStamped: true))
        }
        let anchor = ClockAnchor(
            monotonic: start, instant: Instant(seconds: 1_795_255_200), source: .kernel,
            uncertainty: .milliseconds(5))
        let end = start + .seconds(1)
        let sealed = recorder.drain(at: end, anchors: [anchor]) + recorder.stop(at: end, anchors: [anchor])
        return try #require(sealed.first)
    }

    private func begin(_ boot: String, _ uptime: Double) -> EventStamp {
        EventStamp(
            wall: Instant(seconds: 1_795_255_200), monotonic: MonotonicTime.zero + .seconds(uptime), bootID: boot,
            zoneOffset: 0, enrolment: "e1")
    }

    /// What is recorded for a task alone, or has no description, is not what features are made of.
    @Test func aRunIsHereWhereSomethingWasMeasuredSinceItBegan() throws {
        let folder = try bench.folder()
        let first = try record(folder, boot: "one", at: 100)
        let walk = try record(folder, boot: "one", at: 300, task: "walk")
        let other = try record(folder, boot: "two", at: 50)
        try AtomicFile.write(BoundedFile.read(first.path), to: "\(bench.path)/000009-accelerometer.cwa")
        let runs = try RecordedRuns(in: bench.path)
        for (boot, uptime, latest, isHere) in [
            ("one", 0, 900, true), ("one", 99.9, 900, true), ("one", 100.1, 900, false), ("one", 299, 900, false),
            ("two", 49.9, 900, true), ("two", 50.1, 900, false), ("three", 0, 900, false),
            // What began later may be of the next run.
            ("one", 0, 100.1, true), ("one", 0, 99.9, false), ("two", 0, 49.9, false),
        ] as [(String, Double, Double, Bool)] {
            let time = MonotonicTime.zero + .seconds(latest)
            #expect(runs.hasRecording(since: begin(boot, uptime), by: time) == isHere, "\(boot) \(uptime) \(latest)")
        }
        func canRecompute(_ measured: (Double?, [Int]?)...) -> Bool {
            runs.canRecompute(measured.map { (value: $0.0, recordings: $0.1) })
        }
        #expect(canRecompute((1, [first.number, other.number]), (nil, nil)) && canRecompute())
        #expect(!canRecompute((1, [first.number]), (1, [walk.number])) && !canRecompute((nil, [9])))
        #expect(!canRecompute((1, nil)), "what was not recorded had no value")
        #expect(
            try !RecordedRuns(in: bench.path + "/nowhere").hasRecording(
                since: begin("one", 0), by: MonotonicTime.zero + .seconds(900)))
    }

    @Test func aRecordingThatIsHereIsTheOneThatWasSealed() throws {
        let folder = try bench.folder()
        let (first, walk) = (
            try record(folder, boot: "one", at: 100), try record(folder, boot: "one", at: 300, task: "walk")
        )
        let runs = try RecordedRuns(in: bench.path)
        func sealed(_ path: String, _ sha256: String) -> RecordingRecord {
            var record = Fixture.recording("1", .answers)
            record.path = String(path.split(separator: "/").last ?? "")
            record.sha256 = sha256
            return record
        }
        let other = String(repeating: "0", count: 64)
        try runs.check(sealed(first.path, first.sha256))
        #expect { try runs.check(sealed(first.path, other)) } throws: { ($0 as? FileError)?.path == first.path }
        // What is not here may have been delivered.
        try runs.check(sealed("000009-accelerometer.cwa", other))
        try runs.check(sealed(walk.path, other))
    }
}
