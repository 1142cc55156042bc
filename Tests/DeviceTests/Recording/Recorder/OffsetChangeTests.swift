import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

/// CWA has wall time without a zone, so a file ends where the offset changes.
@Suite struct OffsetChangeTests {
    private static let file = "/usr/share/zoneinfo/Europe/Berlin"

    @Test(arguments: [
        // 2026-10-25T01:00:00Z: back from 3 to 2 o'clock, and 2026-03-29T01:00:00Z: on from 2 to 3.
        (1_792_890_000, "+02:00", "+01:00"), (1_774_746_000, "+01:00", "+02:00"),
    ])
    func theFileEndsAtTheChangeAndNothingIsLost(change: Int, before: String, after: String) throws {
        let bench = Workbench()
        let bytes = try File(Self.file, .read)
        let zone = try Zone(identifier: "Europe/Berlin", file: bytes.read(bytes.size(), at: 0))
        let origin = RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "boot-a", zone: zone)
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: origin, folder: bench.folder())
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
}
