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
    private static func play(_ life: MadeLife) async throws -> MadeBoard {
        let board = try MadeBoard(
            """
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
            """)
        let first = life.powerOns[0]
        let boot = PlayedBoot(id: first.boot.id, length: .seconds(600), isCut: false, zone: first.boot.zone)
        _ = try await board.play([.init(start: first.start, shown: first.start, boot: boot)], of: life)
        return board
    }

    private static func table(_ end: String, _ board: MadeBoard) throws -> (table: CSVTable, rows: [CSVTable.Row]) {
        let name = try #require(FolderListing.readable(board.recordings).first { $0.hasSuffix(end) })
        let table = try CSVTable(RecordedFile(board.recordings + "/" + name))
        return (table, try rows(table))
    }

    private static func rows(_ table: CSVTable) throws -> [CSVTable.Row] {
        var rows: [CSVTable.Row] = []
        while let row = try table.next() { rows.append(row) }
        return rows
    }

    /// The earth's field in central Europe has 48 µT to 50 µT (NOAA, World Magnetic Model 2025), however the
    /// wearer turns; levels are those of what is done, by the recorder's A-weighting of IEC 61672-1.
    @Test func soundAndTheFieldGoThroughTheirOwnChipsAndRecorders() async throws {
        let life = try MadeBoard.life()
        let board = try await Self.play(life)

        let field = try Self.table("-magnetometer.csv.gz", board).rows
        #expect(abs(field.count - 12_000) < 250, "20 Hz for 600 s: \(field.count)")
        let strengths = field.map { row in row.values.reduce(0) { $0 + ($1 ?? 0) * ($1 ?? 0) }.squareRoot() }
        let mean = strengths.reduce(0, +) / Double(max(1, strengths.count))
        #expect((48...50).contains(mean) && strengths.allSatisfy { abs($0 - mean) < 5 }, "\(mean)")

        let (table, seconds) = try Self.table("-sound.csv.gz", board)
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
        let board = try await Self.play(MadeBoard.life())
        let names = FolderListing.readable(board.recordings).filter { $0.hasSuffix("-features.csv.gz") }
        let tables = try names.map { try CSVTable(RecordedFile(board.recordings + "/" + $0)) }
        #expect(
            Set(tables.map(\.columns)) == [
                ["laeq", "sound", "sound_coverage"], ["dwell", "visit", "position_coverage"],
            ])
        for table in tables {
            let rows = try Self.rows(table)
            #expect((10...11).contains(rows.count), "\(table.columns)")
            #expect(rows.dropFirst().dropLast().allSatisfy { ($0.values[2] ?? 0) > 0.95 }, "\(table.columns)")
        }
    }
}
