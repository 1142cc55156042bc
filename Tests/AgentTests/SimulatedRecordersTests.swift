// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

/// A body on a table, with a tone of half the full scale beside it.
@Suite struct SimulatedRecordersTests {
    private static let body = SimulatedBody(
        acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in SIMD3(0, 0, 90) }, field: { _ in SIMD3(20, 0, -44) },
        sound: { sin(2 * Double.pi * 440 * $0) / 2 }, place: { _ in (52.5, 13.4) })

    /// 100 Hz of acceleration and rotation, 50 Hz of field, 16 kHz of sound and a fix each second; a file of
    /// acceleration ends with a whole block.
    @Test func everyKindIsRecordedForAsLongAsItRuns() throws {
        let bench = RecordingBench()
        let recorders = try SimulatedRecorders(bench.path, body: { _ in Self.body }, study: "s", zone: .utc)
        let recording = TaskRecording(
            id: "1", run: "r", task: "t", step: "s",
            recorder: TaskRecorder(identifier: "all", kinds: TaskRecorder.Kind.allCases))
        let begun = MonotonicTime.zero + .seconds(100)
        let ended = Moment(instant: Instant(seconds: 1_795_255_210), monotonic: begun + .seconds(10))
        recorders.start([recording], at: begun)
        #expect(recorders.stop(["2"], at: ended).isEmpty)
        let found = try #require(recorders.stop(["1"], at: ended).first)
        #expect(recorders.stop(["1"], at: ended).isEmpty, "it is over")
        #expect(found.recording == recording && found.failures.map(\.kind) == [.steps])
        let files = Dictionary(uniqueKeysWithValues: found.files.map { ($0.description.kind, $0) })
        #expect(files.keys.sorted() == ["accelerometer", "magnetometer", "position", "sound"])
        let stored = files.mapValues(\.description.samplesStored)
        #expect((1000...1120).contains(stored["accelerometer"] ?? 0), "\(stored)")
        #expect((499...501).contains(stored["magnetometer"] ?? 0), "\(stored)")
        #expect((159_750...160_000).contains(stored["sound"] ?? 0), "\(stored)")
        #expect((stored["position"] ?? 0) > 500, "\(stored)")
        let sound = try FLACReader.read(File(try #require(files["sound"]).path, .read))
        #expect((16_300...16_400).contains(sound.samples.max() ?? 0) && !sound.isDamaged)
    }

    /// It is longer than what waits in memory: 10 s of acceleration, 20 s of field, 32 fixes.
    @Test func aLongRunLosesNothing() throws {
        let bench = RecordingBench()
        let recorders = try SimulatedRecorders(bench.path, body: { _ in Self.body }, study: "s", zone: .utc)
        let recording = TaskRecording(
            id: "1", run: "r", task: "t", step: "s",
            recorder: TaskRecorder(identifier: "walk", kinds: [.accelerometer, .magnetometer, .position]))
        let begun = MonotonicTime.zero + .seconds(100)
        recorders.start([recording], at: begun)
        let ended = Moment(instant: Instant(seconds: 1_795_255_240), monotonic: begun + .seconds(40))
        let found = try #require(recorders.stop(["1"], at: ended).first)
        let files = Dictionary(uniqueKeysWithValues: found.files.map { ($0.description.kind, $0) })
        #expect(files.count == 3 && found.failures.isEmpty)
        #expect(files.values.allSatisfy { $0.description.samplesLost["ringFull"] == nil })
        let stored = files.mapValues(\.description.samplesStored)
        #expect((4000...4160).contains(stored["accelerometer"] ?? 0), "\(stored)")
        #expect((1999...2001).contains(stored["magnetometer"] ?? 0), "\(stored)")
        let track = try NMEATrack([RecordedFile(try #require(files["position"]).path)])
        var fixes = 0
        while try track.next() != nil { fixes += 1 }
        #expect((40...41).contains(fixes), "\(fixes)")
    }
}
