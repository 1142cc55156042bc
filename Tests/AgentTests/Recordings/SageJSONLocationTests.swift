// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Agent
@testable import Device

/// How far somebody went, as SageResearch's `RSDDistanceRecorder.swift` counts it
/// (Sage-Bionetworks/SageResearch, branch stable-3), and as gpsd's fixes and h3's great
/// circles have it.
@Suite struct SageJSONLocationTests {
    private static let log: String? = {
        let parts = #filePath.split(separator: "/")
        let logs = (4...7).map { "/" + parts.dropLast($0).joined(separator: "/") + "/shared/fixtures/nmea/bt451.log" }
        if let found = logs.first(where: { access($0, R_OK) == 0 }) { return found }
        print("SKIPPED: ../shared/fixtures/nmea/bt451.log is not there")
        return nil
    }()

    /// `_updateTotalDistance`: nothing before the second fix; a fix worse than 20 m adds nothing
    /// and is not gone on from; standing still is null; the moving step begins again, from the last
    /// good fix before it.
    @Test func metresAreCountedInTheMovingStepBetweenGoodFixes() {
        var way = MotionDistance()
        // A ten-thousandth of a degree of latitude is 11.12 m.
        let told: [(place: Double, accuracy: Double?, isMoving: Bool, total: Double?)] = [
            (0, 5, false, nil), (1, 5, false, nil), (2, 5, true, 11.12), (4, 5, true, 33.36), (40, 21, true, 33.36),
            (41, nil, true, 33.36), (5, 20, true, 44.48), (6, 5, false, nil), (7, 5, true, 11.12),
        ]
        for (index, fix) in told.enumerated() {
            let total = way.add((50 + fix.place / 10_000, 10), accuracy: fix.accuracy, isMoving: fix.isMoving)
            #expect((total == nil) == (fix.total == nil), "\(index)")
            #expect(abs((total ?? 0) - (fix.total ?? 0)) < 0.01, "\(index): \(total ?? -1)")
        }
        var only = MotionDistance()
        #expect(only.add((50, 10), accuracy: 5, isMoving: true) == nil)
    }

    /// Two stretches 1930.6 m apart: the fixes that gpsd reads out of the log (`bt451.log.chk`),
    /// summed up by PyPI's h3 (`great_circle_distance`), are 1963.9 m. Those of the first have a
    /// dilution of 2.72, which is more than 20 m; 32.48 m lie between those of the second.
    @Test(.enabled(if: log != nil, "needs ../shared/fixtures/nmea"))
    func theWayOfARealReceiverIsAsLongAsGpsdAndH3Say() throws {
        let path = "/tmp/studyd-way-\(getpid()).json"
        defer { unlink(path) }
        let output = try ExportOutput(path: path)
        try SageJSONLocationExporter.log(
            [RecordedFile(try #require(Self.log))], marks: [], until: .infinity, withPlaces: false, movingIn: nil,
            to: output)
        try output.finish()
        let file = try File(path, .read)
        let text = String(decoding: try file.read(file.size(), at: 0), as: UTF8.self)
        func values(_ key: String) -> [Double] {
            text.split(separator: "\n").compactMap { line in
                guard let found = line.firstRange(of: "\"\(key)\":") else { return nil }
                return Double(line[found.upperBound...].prefix { $0 != "," && $0 != "}" })
            }
        }
        // The last sentence of the log ends no epoch of gpsd's.
        #expect(abs(values("relativeDistance").dropLast().reduce(0, +) - 1963.9) < 0.5, "\(text)")
        #expect(values("latitude").isEmpty)
        #expect(abs(try #require(values("totalDistance").last) - 32.48) < 0.05)
    }
}
