// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite struct RulesFileTests {
    private static let text = """
        [feature.move]
        from = "accelerometer"
        is = "agcounts"
        window = "30m"
        reduce = "sum-vm"
        [rule.walk]
        task = "survey"
        every = "1h"
        available = ["prompts on"]
        budget = { per_day = 3, decay = 0.3 }
        outcome = { feature = "move", window = "+30m" }
        """

    @Test func aFileThatIsNotThereIsSaidToBeTheRules() {
        let error = #expect(throws: FileError.self) { try RulesFile("/nowhere/rules.toml") }
        #expect(
            error?.description
                == "/nowhere/rules.toml: the rules cannot be read: No such file or directory; check its name and its folder"
        )
    }

    private static func study() throws -> LoadedStudy {
        try LoadedStudy(
            AgentFixture.protocolText(days: 3, times: [(9, 0)], questions: AgentFixture.yesNo), origin: "generated.json"
        )
    }

    private static func file(_ study: LoadedStudy) throws -> RulesFile {
        let key = try #require(study.study.tasks.first?.key)
        return RulesFile(path: "rules.toml", bytes: Array(text.replacingOccurrences(of: "survey", with: key).utf8))
    }

    private static func enroller(_ database: StudyDatabase) throws -> Enroller {
        let zone = try Zone.load(AgentFixture.berlin)
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        return Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: zone,
            stamps: EventClock(clock: clock, bootID: "boot", zone: zone),
            media: MediaCache(folder: "/tmp/studyd-no-media"))
    }

    @Test func rulesAreKeptWithTheEnrolmentUnderTheirDigest() async throws {
        let database = try StudyDatabase(.memory)
        let enroller = try Self.enroller(database)
        let study = try Self.study()
        var options = EnrolmentOptions(loaded: study, participant: "P-1", seed: 1)
        options.rules = try Self.file(study)
        let record = try await enroller.enrol(options)
        let bytes = try #require(options.rules?.bytes)
        #expect(record.rules == (try Digest(of: bytes).description))
        #expect(try await database.studyFile(record.rules ?? "") == bytes)
        #expect(try await database.loadedStudy(record)?.study.rules?.rules.map(\.name) == ["walk"])
        let logged = try await database.events(kind: "enrolled").map(\.event)
        #expect(logged == [.enrolled(enrolment: record)])
    }

    @Test func rulesThatAreWrongAreRefusedBeforeAnythingIsWritten() async throws {
        let database = try StudyDatabase(.memory)
        let enroller = try Self.enroller(database)
        var options = EnrolmentOptions(loaded: try Self.study(), participant: "P-1", seed: 1)
        options.rules = RulesFile(path: "rules.toml", bytes: Array("[rule.r]\ntask = \"nowhere\"\n".utf8))
        await #expect(throws: StudyRulesError.self) { try await enroller.enrol(options) }
        #expect(try await database.latestEnrolment() == nil)
    }

    /// The catalog's own columns, and what the standard epochs serve.
    @Test func everyFeatureOfTheCatalogCanBeNamed() throws {
        let study = try Self.study()
        let key = try #require(study.study.tasks.first?.key)
        for kind in RuleSensors.catalog.kinds {
            let column = try #require(kind.columns(.seconds(60))?.first)
            let end = column.name.split(separator: "_").last ?? ""
            let text = """
                [feature.f]
                from = "\(kind.source)"
                is = "\(kind.name)"
                reduce = "max-\(end)"
                [rule.r]
                task = "\(key)"
                every = "1h"
                probability = 0.5
                """
            let rules = try RulesFile(path: "r", bytes: Array(text.utf8)).read(for: study.study)
            #expect(rules.features.map(\.column) == [column.name] && rules.features.map(\.unit) == [column.unit])
        }
    }

    @Test(arguments: [(true, ["note"]), (false, [])])
    func aBoardSaysWhichMarkersItHas(isMarker: Bool, markers: [String]) throws {
        let button = "[[button]]\nname = \"note\"\ndevice = \"/dev/gpiochip0:27\"\nmarker = \(isMarker)\n"
        let board = try BoardDescription(parsing: BoardDescriptionTests.least + button, file: "b.toml")
        #expect(RuleSensors(on: board).markers == markers && RuleSensors.catalog.markers == nil)
    }

    private static func decision(
        _ index: Int, _ result: DecisionRecord.Result, _ budget: BudgetState?,
        at: Instant = Instant(seconds: 1_800_000_001)
    ) -> DecisionRecord {
        let isDrawn = result == .treated || result == .control
        return DecisionRecord(
            rule: "walk", index: index, task: "mood", due: Instant(seconds: 1_800_000_000 + Int64(index) * 3600),
            at: at, local: Fixture.enrolment.local, result: result, available: isDrawn,
            reasons: isDrawn ? [] : [result == .missed ? "device-off" : "not-worn"], state: nil,
            probability: isDrawn ? 0.25 : nil, label: isDrawn ? "rule walk/\(index)" : nil,
            draw: isDrawn ? 0.1 : nil,
            budget: budget, outcome: result == .missed ? nil : "move", rules: "digest")
    }

    @Test func theLogGivesBackWhatTheEngineGoesOnWith() async throws {
        let database = try StudyDatabase(.memory)
        let budget = BudgetState(
            RuleBudget(perDay: 1.5, decay: 0.3, expected: 9), day: LocalDate(daysSinceEpoch: 20_833))
        let treated = Self.decision(1, .treated, budget)
        let occurrence = Occurrence(
            id: treated.occurrence, task: "mood", taskIndex: 0, number: 1, local: Fixture.enrolment.local,
            due: treated.due, expires: nil)
        let outcome = OutcomeRecord(
            rule: "walk", index: 1, feature: "move", from: treated.due, to: treated.due, at: treated.due, value: 3,
            coverage: 1, recordings: nil, missing: nil, rules: "digest")
        let record = OccurrenceRecord(occurrence)
        try await database.append(
            [
                .decided(decision: treated),
                .raised(rule: "walk", index: 1, occurrence: treated.occurrence, at: treated.at),
                .prompted(occurrence: record), .presented(occurrence: treated.occurrence),
                .outcomeMeasured(outcome: outcome), .decided(decision: Self.decision(2, .unavailable, budget)),
                .decided(decision: Self.decision(3, .treated, budget)),
                .decided(decision: Self.decision(4, .missed, nil)),
            ], sending: [], at: Fixture.stamp(5))
        let memory = try await database.ruleMemory(of: "e1")
        #expect(memory.rules["walk"]?.last == Self.decision(4, .missed, nil))
        #expect(memory.rules["walk"]?.budget?.spent == 0.25 && memory.rules["walk"]?.budget?.seen == 1)
        #expect(memory.pending.map(\.index) == [2, 3])
        #expect(memory.lastPrompt == Fixture.stamp(5).wall)
        let counts = try await database.decisionCounts(of: "e1")
        #expect(counts.isBalanced)
        #expect((counts.due, counts.treated, counts.presented, counts.waiting) == (4, 2, 1, 1))
        #expect((counts.outcomesDue, counts.measured, counts.awaited) == (3, 1, 2))
        #expect(counts.unavailable == ["not-worn": 1] && counts.missed == ["device-off": 1])
        let dump = try await database.projectionDump()
        try await database.rebuildProjections()
        #expect(try await database.projectionDump() == dump)
    }

    /// The last row of an older version does not say until when the device was on in the zone before.
    @Test func theLogGivesBackTheZonesThatTheWallClockHasLeft() async throws {
        let database = try StudyDatabase(.memory)
        let untils = [Instant(seconds: 1_800_000_000), Instant(seconds: 1_800_090_000)]
        let (berlin, tokyo) = ("Europe/Berlin", "Asia/Tokyo")
        try await database.append(
            [
                .zoneChanged(from: berlin, to: tokyo, until: untils[0]),
                .zoneChanged(from: tokyo, to: "UTC", until: untils[1]), .zoneChanged(from: "UTC", to: berlin),
            ], sending: [], at: Fixture.stamp(5))
        let stays = try await database.ruleMemory(of: "e1").stays
        #expect(stays.map(\.zone.identifier) == [berlin, tokyo] && stays.map(\.until) == untils)
        #expect(try await database.ruleMemory(of: "e2").stays.isEmpty)
    }

    /// A clock that was ahead had dated its end later.
    @Test func theFirstDecisionInANewZoneEndsTheOneBefore() async throws {
        let database = try StudyDatabase(.memory)
        let times = (0..<4).map { Instant(seconds: 1_800_000_000 + Int64($0) * 3600) }
        let (berlin, tokyo) = ("Europe/Berlin", "Asia/Tokyo")
        try await database.append(
            [
                .decided(decision: Self.decision(1, .missed, nil, at: times[0])),
                .zoneChanged(from: berlin, to: tokyo, until: times[3]),
                .decided(decision: Self.decision(2, .missed, nil, at: times[1])),
                .decided(decision: Self.decision(3, .missed, nil, at: times[2])),
                .zoneChanged(from: tokyo, to: berlin, until: times[2]),
                .decided(decision: Self.decision(4, .missed, nil, at: times[3])),
                .zoneChanged(from: berlin, to: tokyo, until: times[3]),
            ], sending: [], at: Fixture.stamp(5))
        #expect(try await database.ruleMemory(of: "e1").stays.map(\.until) == [times[1], times[2], times[3]])
    }

    @Test func aTableOfFeaturesIsATimeline() throws {
        let path = FileManager.default.temporaryDirectory.path + "/studyd-world-\(UUID().uuidString).csv"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let table = """
            #features of 000001-accelerometer.cwa
            #epoch 1m, from multiples of it in UTC
            time,local,counts_vm,worn,coverage
            2026-03-01T10:00:00Z,,12.5,1,1.000
            2026-03-01T10:01:00Z,,,0,0.500
            2026-03-01T10:02:00Z,,3,1,1

            """
        try Data(table.utf8).write(to: URL(fileURLWithPath: path))
        let timeline = try SensorTimeline(table: path)
        let epochs = timeline.entries.compactMap { if case .epoch(let epoch) = $0.news { epoch } else { nil } }
        #expect(epochs.map(\.values) == [[12.5], [nil], [3]] && epochs.map(\.coverage) == [1, 0.5, 1])
        #expect(timeline.start == Instant.parsed("2026-03-01T10:00:00Z"))
        let worn = timeline.entries.compactMap {
            if case .notWorn(let since) = $0.news { since?.seconds ?? 0 } else { nil }
        }
        #expect(worn == [try #require(Instant.parsed("2026-03-01T10:01:00Z")).seconds, 0])
        for (text, problem) in [
            ("#epoch 1m\ntime,enmo\nx,1\n", "line 3"), ("time,enmo\n", "says no epoch"),
            ("#epoch 1m\ntime,enmo\n2026-03-01T10:00:00Z,one\n", "line 3"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect { try SensorTimeline(table: path) } throws: { "\($0)".contains(problem) }
        }
    }
}
