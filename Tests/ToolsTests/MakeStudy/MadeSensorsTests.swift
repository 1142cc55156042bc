// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Glibc
import Logging
import Study
import SystemKit
import Testing

@testable import studyd_tools

/// Ten minutes of a made participant with everything that the simulated board measures.
@Suite(.timeLimit(.minutes(10))) struct MadeSensorsTests {
    private final class Folder {
        let path: String
        init() throws {
            var template = Array("/tmp/studyd-sensors-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw FileError(path: "/tmp", message: "no folder") }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        deinit { FolderRemoval.remove(path) }

        func table(_ end: String) throws -> (table: CSVTable, rows: [CSVTable.Row]) {
            let name = try #require(FolderListing.readable(path + "/recordings").first { $0.hasSuffix(end) })
            let table = try CSVTable(RecordedFile(path + "/recordings/" + name))
            var rows: [CSVTable.Row] = []
            while let row = try table.next() { rows.append(row) }
            return (table, rows)
        }
    }

    private static let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    private static func life() throws -> MadeLife {
        let berlin = try Zone.load("Europe/Berlin")
        return MadeLife(
            number: 1, days: 1, from: try LocalDate(parsing: "2026-03-02"), home: berlin, abroad: berlin, seed: 7)
    }

    private static func play(_ life: MadeLife, in folder: Folder) async throws {
        let path = package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        let configuration = try AgentConfiguration(
            parsing: """
                board = "b"
                state = "\(folder.path)"
                zone = "Europe/Berlin"
                [[measure]]
                channel = "accelerometer"
                rate = 10
                [[measure]]
                channel = "magnetometer"
                [[measure]]
                channel = "sound"
                format = "levels"
                [[measure]]
                channel = "position"
                [features]
                is = ["sound", "visits"]
                """, file: "P001.toml")
        let first = life.powerOns[0]
        let boot = PlayedBoot(id: first.boot.id, length: .seconds(600), isCut: false, zone: first.boot.zone)
        let power = MadeLife.PowerOn(start: first.start, shown: first.start, boot: boot)
        let surroundings = try SimulatedSurroundings(power, of: life, on: board)
        let device = try await PlayedDevice(
            PlayedDevice.Setting(
                configuration, board: board, panel: try Panel(board), deviceID: 1,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            participant: Participant(), seed: 1, boot: boot, in: surroundings)
        var wish = Enroller.Wish(
            loaded: try LoadedStudy.load(package + "/studies/sleep-and-movement.json"), participant: "P001", seed: 1,
            postURL: "http://127.0.0.1:9")
        wish.allowsSilence = true
        _ = try await device.enrol(wish)
        try await device.live(boot, in: surroundings)
    }

    /// The earth's field in central Europe has 48 µT to 50 µT (NOAA, World Magnetic Model 2025), however the
    /// wearer turns; levels are those of what is done, by the recorder's A-weighting of IEC 61672-1.
    @Test func soundAndTheFieldGoThroughTheirOwnChipsAndRecorders() async throws {
        let (folder, life) = (try Folder(), try Self.life())
        try await Self.play(life, in: folder)

        let field = try folder.table("-magnetometer.csv.gz").rows
        #expect(abs(field.count - 12_000) < 250, "20 Hz for 600 s: \(field.count)")
        let strengths = field.map { row in row.values.reduce(0) { $0 + ($1 ?? 0) * ($1 ?? 0) }.squareRoot() }
        let mean = strengths.reduce(0, +) / Double(max(1, strengths.count))
        #expect((48...50).contains(mean) && strengths.allSatisfy { abs($0 - mean) < 5 }, "\(mean)")

        let (table, seconds) = try folder.table("-sound.csv.gz")
        #expect(abs(seconds.count - 599) < 4 && table.units.first == "dB", "\(seconds.count)")
        let offset = (life.enrolled - life.start).seconds - 3
        let errors = try seconds.map { row in
            let time = offset + (try #require(row.uptime))
            return abs((row.values[0] ?? 0) - life.body.soundLevel(at: time + 0.5))
        }
        // Where a conversation begins within a second, that second is between the two.
        #expect(errors.count { $0 > 4 } < 30, "\(errors.count { $0 > 4 })")
    }

    @Test func whatTheyAreIsInFeaturesBesideThem() async throws {
        let (folder, life) = (try Folder(), try Self.life())
        try await Self.play(life, in: folder)
        let names = FolderListing.readable(folder.path + "/recordings").filter { $0.hasSuffix("-features.csv.gz") }
        let tables = try names.map { try CSVTable(RecordedFile(folder.path + "/recordings/" + $0)) }
        #expect(
            Set(tables.map(\.columns)) == [
                ["laeq", "sound", "sound_coverage"], ["dwell", "visit", "position_coverage"],
            ])
        for table in tables {
            var rows: [CSVTable.Row] = []
            while let row = try table.next() { rows.append(row) }
            #expect((10...11).contains(rows.count), "\(table.columns)")
            #expect(rows.dropFirst().dropLast().allSatisfy { ($0.values[2] ?? 0) > 0.95 }, "\(table.columns)")
        }
    }
}
