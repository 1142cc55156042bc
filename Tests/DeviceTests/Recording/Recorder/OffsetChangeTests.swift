import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

/// A description has one offset, and CWA wall time without a zone: a file ends where the offset changes.
@Suite struct OffsetChangeTests {
    private static let file = "/usr/share/zoneinfo/Europe/Berlin"

    private static func origin() throws -> RecordingOrigin {
        let bytes = try File(file, .read)
        let zone = try Zone(identifier: "Europe/Berlin", file: bytes.read(bytes.size(), at: 0))
        return RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "boot-a", zone: zone)
    }

    // 2026-10-25T01:00:00Z: back from 3 to 2 o'clock, and 2026-03-29T01:00:00Z: on from 2 to 3.
    private static let changes = [(1_792_890_000, "+02:00", "+01:00"), (1_774_746_000, "+01:00", "+02:00")]

    @Test(arguments: changes)
    func theFileEndsAtTheChangeAndNothingIsLost(change: Int, before: String, after: String) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: try Self.origin(), folder: bench.folder())
        // The first sample is a minute before the change, at 100 s after booting.
        let anchor = Example.anchor(at: 160, Instant(seconds: Int64(change)))
        var sealed: [SealedRecording] = []
        for second in 0..<120 {
            Example.fill(ring, samples: second * 100..<second * 100 + 100)
            sealed += recorder.drain(at: MonotonicTime(seconds: Double(101 + second)), anchors: [anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 220), anchors: [anchor])
        #expect(
            sealed.map(\.description.offset) == [before, after]
                && sealed.map(\.description.zone) == ["Europe/Berlin", "Europe/Berlin"])
        #expect(recorder.counts.stored == 12_000 && recorder.counts.totalLost == 0)
        let files = try sealed.map { try readAll($0.path) }
        #expect(files.map { $0.reader.header?["offset"] } == [before, after])
        // The block that began before the change is the last at the old offset.
        let first = try #require(sealed.first).description
        #expect(first.samplesStored == 6000)
        for (file, description) in zip(files, sealed.map(\.description)) {
            let moments = file.blocks.compactMap { $0.local(of: 0)?.instant(offset: description.offsetSeconds) }
            let start = try #require(description.startDate.flatMap(Instant.parsed))
            for (index, moment) in moments.enumerated() {
                #expect(abs((moment - start).seconds - 0.8 * Double(index)) < 0.001)
            }
        }
        let starts = sealed.compactMap { $0.description.startDate.flatMap(Instant.parsed) }
        #expect(abs((starts[1] - starts[0]).seconds - 60) < 0.001)
    }

    /// What is on the disk in UTC is told by the wall clock too, by the description's offset.
    @Test(arguments: changes)
    func samplesInUTCHaveOneOffsetAFile(change: Int, before: String, after: String) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "field", format: .csv).recorder(
            of: .vectors(ring), source: Example.magnetometer, origin: try Self.origin(), folder: bench.folder())
        let anchor = Example.anchor(at: 160, Instant(seconds: Int64(change)))
        var sealed: [SealedRecording] = []
        // Batches of 2.5 s: the change lies within one.
        for batch in 0..<47 {
            Example.fill(ring, samples: batch * 25..<batch * 25 + 25, rate: 10, start: 101)
            sealed += recorder.drain(at: MonotonicTime(seconds: 103.5 + 2.5 * Double(batch)), anchors: [anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 218.5), anchors: [anchor])
        let descriptions = sealed.map(\.description)
        #expect(descriptions.map(\.offset) == [before, after])
        #expect(descriptions.map { $0.endDate?.suffix(6) } == [before.suffix(6), after.suffix(6)])
        #expect(recorder.counts.stored == 1175 && recorder.counts.totalLost == 0)
        // 59 s of samples lie before the change; one is due at the change itself.
        #expect(abs((descriptions.first?.samplesStored ?? 0) - 590) <= 1)
    }

    /// Presses are far apart, and features come hours late: the first one behind the change begins a file.
    @Test(arguments: changes, [0.05, 7200])
    func whatHasItsOwnTimesHasOneOffsetAFile(change: (Int, String, String), late: Double) throws {
        let bench = Workbench()
        let source = SourceDescription(
            kind: .buttons, device: "gpio", location: "gpiochip0",
            channels: ["button", "edge"].map { Channel(name: $0, unit: .text, scale: 1) }, nominalRate: 0, fullScale: 0)
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "buttons", format: .events).recorder(
            of: .vectors(ring), source: source, origin: try Self.origin(), folder: bench.folder())
        let anchor = Example.anchor(at: 160, Instant(seconds: Int64(change.0)))
        var sealed: [SealedRecording] = []
        for time in [110, 130, 159.9, 161, 200] {
            ring.push(
                VectorFrame(
                    values: [2, 1, 0, 0, 0, 0, 0, 0], count: 2, time: MonotonicTime(seconds: time), isStamped: true))
            sealed += recorder.drain(at: MonotonicTime(seconds: time + late), anchors: [anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 220 + late), anchors: [anchor])
        #expect(sealed.map(\.description.offset) == [change.1, change.2])
        #expect(sealed.map(\.description.samplesStored) == [3, 2])
    }
}
