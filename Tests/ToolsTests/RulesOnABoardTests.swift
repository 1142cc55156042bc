// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Logging
import SystemKit
import Testing

@testable import Agent
@testable import Device
@testable import Study
@testable import studyd_tools

/// Rules beside a study on the simulated board: the agent's core, its drivers and its recorders, in
/// virtual time, with chips made of software below them.
@Suite(.timeLimit(.minutes(10))) struct RulesOnABoardTests {
    private static let rules = """
        [feature.effort]
        from = "accelerometer"
        is = "enmo"
        window = "10m"
        [rule.walk]
        task = "moment"
        every = "15m"
        available = ["no run open", "prompts on", "clock trusted", "40m since prompt"]
        probability = [{ when = "effort < 0.02g", p = 0.6 }, { p = 0.3 }]
        outcome = { feature = "effort", window = "+10m" }
        [rule.sit]
        task = "moment"
        when = "effort < 0.02g for 20m"
        rearm = "1h"
        available = ["no run open"]
        probability = 0.5
        """

    private struct Played {
        let folder: MadeBoard
        let life: MadeLife
        let device: PlayedDevice
        let record: EnrolmentRecord
        let rows: [LoggedEvent]

        var decided: [DecisionRecord] {
            rows.compactMap { if case .decided(let decision) = $0.event { decision } else { nil } }
        }
    }

    /// Five hours and a power cut; twenty minutes later two hours more, the clock known after ten minutes.
    private static func play() async throws -> Played { try await play(rules, rate: 10, hours: 5) }

    private static func play(_ rules: String, rate: Int, hours: Int) async throws -> Played {
        let folder = try MadeBoard("[[measure]]\nchannel = \"accelerometer\"\nrate = \(rate)")
        let (life, berlin) = (try MadeBoard.life(), try Zone.load("Europe/Berlin"))
        let start = life.powerOns[0].start
        let boots = [
            (start, PlayedBoot(id: "one", length: .seconds(hours * 3600), isCut: true, zone: berlin)),
            (
                start + .seconds(hours * 3600 + 1200),
                PlayedBoot(
                    id: "two", length: .seconds(7200), isCut: false, zone: berlin, clockKnownAfter: .seconds(600))
            ),
        ].map { MadeLife.PowerOn(start: $0.0, shown: $0.0, boot: $0.1) }
        let (device, record) = try await folder.play(boots, of: life, rules: rules)
        let rows = try await device.database.events(limit: -1)
        return Played(folder: folder, life: life, device: device, record: record, rows: rows)
    }

    private static func walk(_ played: Played) throws -> ProofWalk {
        let zone = try Zone.load("Europe/Berlin")
        let enrolment = try #require(played.record.enrolment(in: zone))
        return ProofWalk(
            try StudyRules.kept(Array(rules.utf8)),
            ScheduleContext(
                enrolment: enrolment, zone: zone, chance: Chance(enrolmentSeed: enrolment.seed), facts: StudyFacts()),
            try RecordedRuns(in: played.folder.recordings))
    }

    @Test func whatTheBodyDoesIsDecidedLoggedCountedAndProved() async throws {
        let played = try await Self.play()
        let decided = played.decided
        let every = decided.filter { $0.rule == "walk" }
        // A point each quarter of an hour of seven hours and twenty minutes.
        #expect((29...30).contains(every.count), "\(every.count)")
        #expect(every.map(\.index) == Array(1...every.count))
        let results = Set(decided.map(\.result))
        #expect(results == Set(DecisionRecord.Result.allCases), "\(results)")
        #expect(
            Set(every.filter { $0.result == .missed }.flatMap(\.reasons)).isSubset(of: ["device-off", "clock-unknown"]))
        #expect(decided.contains { $0.rule == "sit" })

        // Who walks moves more than who sits: the world says when that is, the chips' samples how much.
        func efforts(_ activities: Set<String>) -> [Double] {
            every.compactMap { decision in
                guard let value = decision.state?["effort"]?.value else { return nil }
                let end = (decision.due - played.life.start).seconds
                let all = stride(from: end - 600, to: end, by: 5).map { "\(played.life.body.activity(at: $0))" }
                return activities.isSuperset(of: all) ? value : nil
            }
        }
        let still = efforts(["sit", "sleep"])
        #expect(!still.isEmpty && still.allSatisfy { $0 < 0.03 }, "\(still)")
        let all = every.compactMap { $0.state?["effort"]?.value }
        #expect((all.max() ?? 0) > 3 * (still.max() ?? 1), "\(all)")

        // Every treated point raised its prompt, and only these.
        let raised = played.rows.compactMap { if case .raised(_, _, let id, _) = $0.event { id } else { nil } }
        let prompted = Set(
            played.rows.compactMap { if case .prompted(let one) = $0.event { one.id } else { nil } }
        ).filter { $0.contains("/rule.") }
        let treated = decided.filter { $0.result == .treated }.map(\.occurrence)
        #expect(!treated.isEmpty && treated == raised && prompted.isSubset(of: Set(raised)))

        // The ledger is of the same rows.
        let counts = try await played.device.database.decisionCounts(of: played.record.id)
        #expect(counts.isBalanced && counts.due == decided.count && counts.treated == treated.count)
        let outcomes = played.rows.compactMap { if case .outcomeMeasured(let one) = $0.event { one } else { nil } }
        #expect(counts.measured == outcomes.count { $0.value != nil } && counts.measured > 10)
        let status = StatusReader(
            database: played.device.database, view: nil,
            stamps: EventClock(clock: SystemClock(), bootID: "b", zone: .utc), folder: played.folder.path)
        let text = try await status.text(json: false, uploads: false)
        #expect(text.contains("decisions    due \(decided.count) = decided "), "\(text)")
        #expect(!text.contains("treated") && !text.contains("control"), "\(text)")

        var walk = try Self.walk(played)
        for row in played.rows { try walk.take(row) }
        #expect(
            walk.verdict.hasPrefix("\(decided.count) of \(decided.count) decisions, \(outcomes.count) outcomes"),
            "\(walk.verdict)")
        #expect(!walk.verdict.contains("recordings that are not here"), "\(walk.verdict)")
    }

    private static let python: String? = {
        let variables: [String] = ["STUDYD_FEATURES_PYTHON", "STUDYD_PYTHON"]
        let names = variables.compactMap { getenv($0) }.map { String(cString: $0) }
        let found = (names + ["python3"]).first { system("'\($0)' -c 'import agcounts, numpy' 2>/dev/null") == 0 }
        if found == nil { print("SKIPPED: agcounts is not installed; STUDYD_FEATURES_PYTHON may name a Python") }
        return found
    }()

    /// Counts of acceleration by PyPI's agcounts, of the files that the device recorded: every sum that was
    /// decided by is the same whole number, and another program finds the same decisions.
    @Test(.enabled(if: python != nil, "needs agcounts")) func agcountsReproducesEveryLoggedCount() async throws {
        let played = try await Self.play(
            """
            [feature.move]
            from = "accelerometer"
            is = "agcounts"
            window = "5m"
            reduce = "sum-x"
            [rule.walk]
            task = "moment"
            every = "5m"
            probability = [{ when = "move < 500", p = 0.6 }, { p = 0.3 }]
            outcome = { feature = "move", window = "+5m" }
            """, rate: 50, hours: 1)
        let said = played.folder.path + "/said"
        let words = [
            "'\(try #require(Self.python))'", "'\(MadeBoard.package)/Tests/Decisions/reading.py'",
            "'\(played.folder.path)'",
            "--cwa", "'\(played.folder.path)'/recordings/*-accelerometer.cwa", ">'\(said)'", "2>&1",
        ]
        let code = system(words.joined(separator: " "))
        let verdict = try BoundedFile.text(said)
        #expect(code == 0, "\(verdict)")
        let decided = played.decided.count
        #expect(decided > 35 && verdict.contains("\(decided) of \(decided) decisions"), "\(verdict)")
        let counts = try #require(verdict.firstMatch(of: #/same whole number: (\d+) of (\d+)/#), "\(verdict)")
        #expect(counts.1 == counts.2 && (Int(counts.1) ?? 0) > 40, "\(verdict)")
    }

    /// One bit of one sample; and a sample that the log never sealed.
    @Test func anotherRecordingIsFound() async throws {
        let played = try await Self.play()
        let sealed = played.rows.compactMap { if case .recordingSealed(let one) = $0.event { one } else { nil } }
        let file = try #require(sealed.first { $0.path.hasSuffix("-accelerometer.cwa") })
        let runs = try RecordedRuns(in: played.folder.recordings)
        try runs.check(file)
        let path = "\(played.folder.path)/recordings/\(file.path)"
        var bytes = try BoundedFile.read(path, limit: 64 << 20)
        bytes[bytes.count / 2] ^= 1
        try AtomicFile.write(bytes, to: path)
        #expect { try runs.check(file) } throws: { "\($0)".contains(file.path) }
    }

    /// The participant leaves while outcomes are awaited.
    @Test func outcomesOfWhoLeavesAreMissingForThatReason() async throws {
        let played = try await Self.play()
        let database = played.device.database
        let last = try #require(played.rows.last)
        let before = try await database.decisionCounts(of: played.record.id)
        try #require(before.awaited > 0)
        _ = try await database.withdraw(
            deletesUnsent: false, erasesAnswers: false, sending: [], at: last.stamp.of(played.record.id))
        let counts = try await database.decisionCounts(of: played.record.id)
        #expect(counts.missing["left"] == before.awaited && counts.awaited == 0 && counts.isBalanced)
        let left = try await database.events(from: last.sequence + 1, limit: -1).compactMap {
            if case .outcomeMeasured(let one) = $0.event { one } else { nil }
        }
        #expect(left.allSatisfy { $0.to == $0.from + .seconds(600) && $0.missing == .left && $0.value == nil })
    }
}
