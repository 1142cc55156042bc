// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device
@testable import Exports

@Suite struct CWACSVExporterTests {
    private func lines(_ path: String, _ bench: Workbench) throws -> [Substring] {
        let source = try RecordedFile(path)
        return try bench.lines("out.csv") { try CWACSVExporter.export(MotionSource([source]), to: $0) { _ in } }
    }

    @Test func rowsCarryTimeUptimeAndGravitiesAndTheGapIsAComment() throws {
        let bench = Workbench()
        let sealed = try bench.motion()
        let lines = try lines(sealed.path, bench)
        let rows = lines.filter { $0.first?.isNumber == true }
        #expect(rows.count == sealed.description.samplesStored)
        #expect(lines.first == "#export of 000001-accelerometer.cwa, 100.0 per second")
        #expect(rows.first == "2026-11-21T10:00:00.000000+01:00,100.000000,1.000000,-2.000000,0.000000")
        #expect(lines.filter { $0.hasPrefix("#gap") }.count == 1)
        #expect(lines.allSatisfy { line in line.first.map { $0.isNumber || $0 == "#" || $0 == "t" } ?? false })
        #expect(lines.contains("#units g,g,g") && lines.contains("time,uptime,x,y,z"))
    }

    @Test func aGapOfAFewSamplesShowsWhereTheTrueRateIsKnown() throws {
        let bench = Workbench()
        let gaps = try lines(bench.motion().path, bench).first { $0.hasPrefix("#gap") }
        // 3000 samples are 37.5 blocks: half a block is torn by the gap of 3.6 s.
        #expect(gaps?.hasSuffix("seconds=4.000") == true)
    }

    @Test func rotationHasColumnsOfItsOwn() throws {
        let bench = Workbench()
        let lines = try lines(bench.motion(gap: false, gyroscope: true).path, bench)
        #expect(lines.contains("time,uptime,x,y,z,gyro_x,gyro_y,gyro_z"))
        let fields = try #require(lines.last).split(separator: ",")
        #expect(fields.count == 8 && abs((Double(fields[5]) ?? 0) - 175) < 0.02)
    }

    @Test func withoutAClockTheTimeIsEmptyAndTheUptimeRight() throws {
        let bench = Workbench()
        let lines = try lines(bench.motion(gap: false, anchored: false).path, bench)
        #expect(lines.first { $0.hasPrefix(",") }?.hasPrefix(",100.000") == true)
        #expect(lines.contains("#clock unknown: only uptimes are right"))
    }

    @Test(.enabled(if: Fixture.has("accel/example-610-steps.cwa"), "needs ../shared/fixtures"))
    func realFilesAreExportedInFullAndInOrder() throws {
        let bench = Workbench()
        let names = ["ax3_testfile", "ax3_testfile_corrupt_blocks_0_13_14_142_143_144", "example-610-steps"]
        let counts = [17_400, 16_680, 71_400]
        for (name, count) in zip(names, counts) {
            let path = try #require(Fixture.path("accel/\(name).cwa"))
            let rows = try lines(path, bench).filter { $0.first?.isNumber == true }
            #expect(rows.count == count)
            let times = rows.map { $0.prefix { $0 != "," } }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
