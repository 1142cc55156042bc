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
    /// Ten samples a second: everything but the number of samples is as at a hundred.
    private static func play(seed: UInt64) async throws -> MadeBoard {
        let made = try MadeBoard(
            """
            [[measure]]
            channel = "accelerometer"
            rate = 10
            rotate = "24h"
            [[measure]]
            channel = "buttons"
            """)
        var participant = Participant(latency: .seconds(30), otherwise: .random)
        (participant.misses, participant.declines, participant.delays) = (0.2, 0.3, 0.2)
        let device = MadeDevice(
            "P001", try MadeBoard.life(seed: seed), try MadeBoard.study(), participant: participant, made.configuration,
            on: made.board, panel: try made.panel, address: "http://127.0.0.1:9", MadeBoard.log)
        #expect(try await device.play { _ in } == [])
        return made
    }

    private static func recordings(_ made: MadeBoard) throws -> [String: [UInt8]] {
        let names = FolderListing.readable(made.recordings).filter { !$0.hasPrefix("next") }
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try BoundedFile.read(made.recordings + "/" + $0)) })
    }

    @Test func aDayLeavesWhatADeviceHoldsTheSameEachTime() async throws {
        let (made, again) = (try await Self.play(seed: 3), try await Self.play(seed: 3))
        let (database, other) = (try made.database, try again.database)

        let (files, same) = (try Self.recordings(made), try Self.recordings(again))
        #expect(
            files == same && files.keys.contains { $0.hasSuffix(".cwa") }
                && !files.keys.contains { $0.hasSuffix(".partial") })
        #expect(try await database.verifyLog() == nil)
        #expect(try await database.counts().isBalanced)

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
