// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Glibc
import Logging
import Study
import SystemKit
import Testing

@testable import studyd_tools

/// A day of a participant through the real core, drivers and recorders; nothing is sent.
@Suite(.timeLimit(.minutes(10))) struct MadeDeviceTests {
    private final class Folder {
        let path: String
        init() throws {
            var template = Array("/tmp/studyd-made-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw FileError(path: "/tmp", message: "no folder") }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        deinit { FolderRemoval.remove(path) }
    }

    private static let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    /// Ten samples a second: everything but the number of samples is as at a hundred.
    private static func play(in folder: Folder, seed: UInt64) async throws -> StudyDatabase {
        let path = package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        let berlin = try Zone.load("Europe/Berlin")
        let life = MadeLife(
            number: 1, days: 1, from: try LocalDate(parsing: "2026-03-02"), home: berlin, abroad: berlin, seed: seed)
        let configuration = try AgentConfiguration(
            parsing: """
                board = "b"
                state = "\(folder.path)"
                zone = "Europe/Berlin"
                [[measure]]
                channel = "accelerometer"
                rate = 10
                rotate = "24h"
                [[measure]]
                channel = "buttons"
                """, file: "P001.toml")
        var participant = Participant(latency: .seconds(30), otherwise: .random)
        (participant.misses, participant.declines, participant.delays) = (0.2, 0.3, 0.2)
        let device = MadeDevice(
            "P001", life, try LoadedStudy.load(package + "/studies/sleep-and-movement.json"),
            participant: participant, configuration, on: board, panel: try Panel(board), address: "http://127.0.0.1:9",
            Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(try await device.play { _ in } == [])
        return try StudyDatabase(.file(folder.path + "/studyd.sqlite"), recordings: folder.path + "/recordings")
    }

    private static func recordings(_ folder: Folder) throws -> [String: [UInt8]] {
        let names = FolderListing.readable(folder.path + "/recordings").filter { !$0.hasPrefix("next") }
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try BoundedFile.read(folder.path + "/recordings/" + $0)) })
    }

    @Test func aDayLeavesWhatADeviceHoldsTheSameEachTime() async throws {
        let (folder, again) = (try Folder(), try Folder())
        let database = try await Self.play(in: folder, seed: 3)
        let other = try await Self.play(in: again, seed: 3)

        let (files, same) = (try Self.recordings(folder), try Self.recordings(again))
        #expect(
            files == same && files.keys.contains { $0.hasSuffix(".cwa") }
                && !files.keys.contains { $0.hasSuffix(".partial") })
        #expect(try await database.verifyLog() == nil)
        #expect(try await database.ledger().isEven)

        let rows = try await database.events(limit: 100_000).map(\.event)
        let twice = try await other.events(limit: 100_000).map(\.event)
        #expect(rows.count == twice.count)
        let answers = rows.filter { if case .submitted = $0 { true } else { false } }
        #expect(!answers.isEmpty && answers == twice.filter { if case .submitted = $0 { true } else { false } })

        var outcomes: Set<Outcome> = []
        for case .concluded(_, let outcome) in rows { outcomes.insert(outcome) }
        #expect(outcomes.isSuperset(of: [.completed, .missed(.deviceOff), .missed(.clockUnknown)]), "\(outcomes)")
        #expect(rows.contains { if case .enrolled = $0 { true } else { false } })
        // Three boots, the first two of which were cut, and a clock that was unknown in the last.
        #expect(rows.filter { if case .agentStarted = $0 { true } else { false } }.count == 3)
        #expect(rows.filter { if case .agentStopped = $0 { true } else { false } }.count == 1)
        #expect(rows.contains { if case .clockStepped = $0 { true } else { false } })
    }
}
