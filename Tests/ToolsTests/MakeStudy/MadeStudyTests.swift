// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit
import Testing

@testable import Agent
@testable import studyd_tools

@Suite struct MadeStudyTests {
    /// A recording of somebody's voice is not made by the way.
    @Test(
        arguments: [
            [], [.sound], [.magnetometer, .sound],
        ] as [[MeasureKind]])
    func soundIsMeasuredAsLevels(measures: [MeasureKind]) throws {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        var request = MadeStudy.Request(study: MadeBoard.package + "/studies/sleep-and-movement.json")
        request.measures = measures
        let made = try MadeStudy(request, board: board, into: "/tmp/made")
        let planned = try made.configuration(of: "P001", "http://127.0.0.1").measures
        #expect(planned.map(\.channel) == [.accelerometer] + measures)
        let formats: [MeasureKind: RecordingFormat] = [.accelerometer: .cwa, .sound: .levels, .magnetometer: .csv]
        for measure in planned { #expect(measure.format == formats[measure.channel], "\(measure)") }
    }
}
