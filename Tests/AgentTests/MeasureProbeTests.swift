// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import SystemKit
import Testing

@testable import Agent

/// What `check` says of measures that the board has no part for. The parts are those of the boards'
/// data sheets: an LIS3DH has no gyroscope (ST DocID17530), the Sense HAT no microphone and no
/// receiver (raspberrypi.com, "Sense HAT"), a wearable's LSM6DSO no magnetometer (ST DS12140).
@Suite struct MeasureProbeTests {
    static func findings(_ name: String, _ measures: String) throws -> [CheckFinding] {
        let path = "\(AgentFixture.package)/boards/\(name).toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        var setting = CheckSetting(
            board: board, clock: VirtualClock(now: .epoch), trust: ClockTrust { (.simulated, .zero) }, folder: "/tmp")
        setting.measures = try AgentConfiguration(parsing: "board = 'b'\n" + measures, file: "studyd.toml").measures
        var findings: [CheckFinding] = []
        MeasureProbe(setting).run { findings.append($0) }
        return findings
    }

    static let missing = [
        ("simulated", "gyroscope"), ("sense-hat", "sound"), ("sense-hat", "position"), ("wearable", "magnetometer"),
    ]

    @Test(arguments: missing) func aChannelWithoutAPartIsNamedWithTheRemedy(_ board: String, _ channel: String) throws {
        let table = "[[measure]]\nchannel = '\(channel)'\n"
        let failed = try Self.findings(board, "[[measure]]\nchannel = 'accelerometer'\n" + table)
        #expect(failed.map(\.subject) == [CheckSubject(.measure, channel)])
        #expect(failed[0].result == .failed && failed[0].remedy?.contains("optional = true") == true, "\(failed)")
        let optional = try Self.findings(board, table + "optional = true")
        #expect(optional.map(\.result) == [.warning] && optional[0].detail.contains(channel), "\(optional)")
    }

    /// Of the board's files: an LSM6DSO has a gyroscope, an LIS3DH and an LIS3MDL have none.
    @Test func whatCouldMeasureItIsNamedAndTheRemedyIsSaidOnce() throws {
        let found = try #require(try Self.findings("simulated", "[[measure]]\nchannel = 'gyroscope'").first)
        #expect(found.detail.contains("LSM6DSO") && !found.detail.contains("LIS3"), "\(found)")
        #expect(found.remedy?.split(separator: "remove").count == 1, "\(found)")
    }

    @Test func whatFitsAloneAndNotTogetherIsSaidOnce() throws {
        let findings = try Self.findings(
            "wearable",
            "[[measure]]\nchannel = 'accelerometer'\nrate = 104\n[[measure]]\nchannel = 'gyroscope'\nrate = 52")
        #expect(findings.map(\.result) == [.failed] && findings[0].subject.name == "accelerometer, gyroscope")
    }

    @Test func whatTheBoardHasIsLeftToItsChips() throws {
        #expect(try Self.findings("simulated", "[[measure]]\nchannel = 'accelerometer'").isEmpty)
    }
}
