import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct RecordingCatalogTests {
    @Test func openAndSealedRecordingsAreListedInOrder() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa, rotation: .seconds(10)).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<1500)
        _ = recorder.drain(at: MonotonicTime(seconds: 115), anchors: [Example.anchor])
        let summaries = try RecordingCatalog(DiskFolder(creating: bench.path)).summaries()
        #expect(summaries.map(\.state) == ["sealed", "recording"])
        #expect(summaries[0].stored == 1040 && summaries[0].coverage == 1 && summaries[0].durationText == "0:00:10")
        let table = RecordingCatalog.table(summaries)
        #expect(table.split(separator: "\n").count == 3)
        #expect(table.contains("000001-accelerometer.cwa") && table.contains("100.0 %"))
        let shown = try FileInspector.summary(of: bench.path + "/000001-accelerometer.cwa")
        #expect(shown == summaries[0] && shown.text.contains("device    LIS3DH"))
    }

    @Test(.enabled(if: Fixture.has("accel/ax3_testfile.cwa"), "needs the recordings in ../shared/fixtures"))
    func aForeignCWAFileSpeaksForItself() throws {
        let path = try #require(Fixture.path("accel/ax3_testfile_corrupt_blocks_0_13_14_142_143_144.cwa"))
        let summary = try FileInspector.summary(of: path)
        #expect(summary.stored == 139 * 120 && summary.state == "foreign" && summary.rate == 100)
        #expect(summary.remarks.contains("6 of 145 blocks damaged"))
        #expect(summary.lost > 200 && summary.lost < 260)
    }

    @Test(.enabled(if: Fixture.has("nmea/bu353s4.log"), "needs the logs in ../shared/fixtures"))
    func aForeignNMEALogSpeaksForItself() throws {
        let summary = try FileInspector.summary(of: try #require(Fixture.path("nmea/bu353s4.log")))
        #expect(summary.format == "nmea" && summary.stored > 50 && summary.start != nil && summary.duration > 1)
    }

    @Test func anythingElseIsRefused() throws {
        let bench = Workbench()
        try bench.write("x", Array("nothing of the kind\n".utf8))
        #expect(throws: FileError.self) { try FileInspector.summary(of: bench.path + "/x") }
    }
}
