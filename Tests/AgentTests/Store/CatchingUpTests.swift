// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A change of projections is read from the log in steps. What has to come out is not ours to say
/// twice: the tables of a database that followed its log from the beginning.
@Suite struct CatchingUpTests {
    private func withFile(_ body: (String) async throws -> Void) async throws {
        let path = "/tmp/studyd-catching-up-\(getpid())-\(UInt64.random(in: 0 ... .max)).sqlite"
        defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
        try await body(path)
    }

    private func outdate(_ path: String) throws {
        try Connection(.file(path)).execute("UPDATE projection SET version = 0")
    }

    @Test func aRestartInTheMiddleGoesOnWhereItWas() async throws {
        try await withFile { path in
            var expected: [String] = []
            do {
                let database = try StudyDatabase(.file(path))
                for (index, event) in Fixture.everything.enumerated() {
                    try await database.append(
                        [event], sending: [Fixture.draft("draft \(index)")], at: Fixture.stamp(Int64(index)))
                }
                expected = try await database.projectionDump()
            }
            try outdate(path)
            var steps = 0
            var isDone = false
            while !isDone {
                // Each step in a separate process, as if the power went after each.
                let log = try EventLog(Connection(.file(path)), catchesUp: false)
                #expect(!log.isCurrent)
                isDone = try !log.catchUp(rows: 4)
                steps += 1
            }
            #expect(steps > 5)
            let again = try StudyDatabase(.file(path), catchesUp: false)
            #expect(await again.isCurrent)
            #expect(try await again.projectionDump() == expected)
            #expect(try await again.verifyLog() == nil)
        }
    }

    /// Its tables are of no use here; where that version comes back, it begins at the first row.
    @Test func whatAnotherVersionWasMakingAgainIsForgotten() async throws {
        try await withFile { path in
            do {
                let database = try StudyDatabase(.file(path))
                try await database.append(Fixture.everything, sending: [], at: Fixture.stamp(1))
            }
            try Connection(.file(path)).execute(
                "INSERT INTO projection VALUES ('later', 1); INSERT INTO projection_step VALUES ('later', 5)")
            let database = try StudyDatabase(.file(path), catchesUp: false)
            #expect(await database.isCurrent)
            let left = try Connection(.file(path)).first(
                "SELECT (SELECT count(*) FROM projection WHERE name = 'later') + (SELECT count(*) FROM projection_step)"
            ) { try $0.int(0) }
            #expect(left == 0)
        }
    }

    @Test func whatIsWrittenMeanwhileIsNotForgottenAndNothingIsSent() async throws {
        try await withFile { path in
            do {
                let database = try StudyDatabase(.file(path))
                try await database.append(Fixture.everything, sending: [Fixture.draft("a")], at: Fixture.stamp(1))
            }
            try outdate(path)
            let database = try StudyDatabase(.file(path), catchesUp: false)
            try await database.append(
                [.recordingSealed(recording: Fixture.recording("7", .motion))], at: Fixture.stamp(2))
            #expect(try await database.highestRecordingNumber() == 7, "the table is behind, the log is not")
            let hidden = try await database.nextItem(
                for: "study", at: Fixture.stamp(900).wall, longestWait: .seconds(9))
            #expect(hidden == nil)
            while try await database.catchUp() {}
            #expect(try await database.recordingViews().map(\.recording.id) == ["1", "2", "7"])
            let item = try await database.nextItem(for: "study", at: Fixture.stamp(900).wall, longestWait: .seconds(9))
            #expect(item != nil)
            let dump = try await database.projectionDump()
            try await database.rebuildProjections()
            #expect(try await database.projectionDump() == dump)
        }
    }

    /// Of half a log the ledger would not balance.
    @Test func statusSaysThatTheLogIsBeingReadAndShowsNoLedgerOfHalf() async throws {
        try await withFile { path in
            try await StudyDatabase(.file(path)).append([.listOpened, .listLeft], at: Fixture.stamp(1))
            try outdate(path)
            let database = try StudyDatabase(.file(path), catchesUp: false)
            let reader = StatusReader(
                database: database, view: nil, stamps: EventClock(clock: SystemClock(), bootID: "boot", zone: .utc),
                folder: "/tmp")
            for isCurrent in [false, true] {
                #expect(await database.isCurrent == isCurrent)
                let text = try await reader.text(json: false, uploads: false)
                #expect(text.contains("being rebuilt: counts are not complete yet") != isCurrent, "\(text)")
                let json = try JSONNode(Array(try await reader.text(json: true, uploads: false).utf8))
                #expect((json["readingLog"]?.value == .boolean(true)) != isCurrent)
                #expect((json["ledger"] != nil) == isCurrent)
                while try await database.catchUp() {}
            }
        }
    }

    /// The counters against SQLite's own count.
    @Test func countersSayWhatACountSays() async throws {
        try await withFile { path in
            let database = try StudyDatabase(.file(path))
            var chance = SplitMix64(seed: 4)
            for index in 0..<60 {
                try await database.append([], sending: [Fixture.draft("d\(index)")], at: Fixture.stamp(Int64(index)))
            }
            let items = try await database.items().map(\.item.id)
            for step in 0..<300 {
                let id = items[chance.below(items.count)]
                let events: [StudyEvent] = [
                    .uploadStarted(item: id), .uploadDelivered(item: id, receipt: "r"),
                    .uploadRefused(item: id, reason: "n"), .itemDropped(item: id, reason: "d"),
                    .itemRequeued(item: id), .agentStarted(version: "2"),
                ]
                try await database.append([events[chance.below(events.count)]], at: Fixture.stamp(Int64(100 + step)))
            }
            let counted = try Connection(.file(path)).rows("SELECT state, count(*) FROM outbox GROUP BY 1") {
                (try $0.string(0), Int(try $0.int(1)))
            }
            for (state, count) in counted {
                let state = try #require(ItemState(rawValue: state))
                #expect(try await database.counts().items[state] == count)
            }
            #expect(try await database.counts().isBalanced)
        }
    }

    /// What is removed is what the policy removes when it sees everything.
    @Test(arguments: 1...6 as ClosedRange<UInt64>) func retentionLooksAtFewAndTakesTheSame(seed: UInt64) async throws {
        let database = try StudyDatabase(.memory)
        var chance = SplitMix64(seed: seed)
        for number in 1...700 {
            let recording = Fixture.recording(
                "\(number)", [.motion, .sound, .position][chance.below(3)], bytes: Int64(100 + chance.below(900)))
            let stamp = Fixture.stamp(Int64(number * 60))
            try await database.append(
                [.recordingSealed(recording: recording)], sending: [Fixture.file(of: recording)], at: stamp)
            guard chance.below(3) > 0, let item = try await database.items(in: .waiting).last?.item.id else { continue }
            try await database.append(
                [.uploadStarted(item: item), .uploadDelivered(item: item, receipt: "r")], at: stamp)
        }
        let now = Fixture.stamp(700 * 60 + Int64(chance.below(80_000)))
        let policy = RetentionPolicy(
            diskCap: Int64(chance.below(400_000)), keepDelivered: .seconds(20_000 + chance.below(40_000)))
        let expected = Set(policy.removals(of: try await database.recordingViews(), at: now.wall))
        let removed = try await database.applyRetention(policy, at: now)
        #expect(Set(removed) == expected && removed.count == expected.count)
        #expect(try await database.applyRetention(policy, at: now).isEmpty)
    }
}
