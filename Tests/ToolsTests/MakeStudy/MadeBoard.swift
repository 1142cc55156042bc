// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Logging
import Study
import SystemKit

@testable import studyd_tools

/// The simulated board as participants have it that are made, with a folder that goes with this object.
final class MadeBoard {
    static let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let board: BoardDescription
    let configuration: AgentConfiguration
    private let folder: TemporaryFolder

    /// `measures` are TOML tables.
    init(_ measures: String) throws {
        folder = try TemporaryFolder("simulate")
        let path = Self.package + "/boards/simulated.toml"
        board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        configuration = try AgentConfiguration(
            parsing: "board = \"b\"\nstate = \"\(folder.path)\"\nzone = \"Europe/Berlin\"\n" + measures,
            file: "P001.toml")
    }

    var path: String { folder.path }
    var recordings: String { folder.path + "/recordings" }
    var panel: Panel { get throws { try Panel(board) } }
    var database: StudyDatabase {
        get throws { try StudyDatabase(.file(path + "/studyd.sqlite"), recordings: recordings) }
    }

    static func life(seed: UInt64 = 7) throws -> MadeLife {
        let berlin = try Zone.load("Europe/Berlin")
        return MadeLife(
            number: 1, days: 1, from: try LocalDate(parsing: "2026-03-02"), home: berlin, abroad: berlin, seed: seed)
    }

    static func study() throws -> LoadedStudy { try LoadedStudy.load(package + "/studies/sleep-and-movement.json") }

    /// One who enrols in the first of these boots, and lives through them all.
    func play(
        _ powers: [MadeLife.PowerOn], of life: MadeLife, rules: String? = nil
    ) async throws -> (device: PlayedDevice, record: EnrolmentRecord) {
        let first = try SimulatedSurroundings(powers[0], of: life, on: board)
        let device = try await PlayedDevice(
            PlayedDevice.Setting(configuration, board: board, panel: panel, deviceID: 1, log: Self.log),
            participant: Participant(), seed: 1, boot: powers[0].boot, in: first)
        var options = EnrolmentOptions(
            loaded: try Self.study(), participant: "P001", seed: 1, postURL: "http://127.0.0.1:9")
        options.allowsSilence = true
        options.rules = rules.map { RulesFile(path: "rules.toml", bytes: Array($0.utf8)) }
        let record = try await device.enrol(options)
        try await device.live(powers[0].boot, in: first)
        for power in powers.dropFirst() {
            try await device.live(power.boot, in: SimulatedSurroundings(power, of: life, on: board))
        }
        return (device, record)
    }
}
