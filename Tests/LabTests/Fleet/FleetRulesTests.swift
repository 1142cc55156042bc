// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

/// Each thing that needs attention, at both sides of its limit.
@Suite struct FleetRulesTests {
    private let now = Instant(seconds: 1_780_000_000)
    private var today: Int { PromptCount.day(now) }

    private func kinds(
        _ changes: KeyValuePairs<String, String> = [:], age: Int = 60, days: [Int: PromptCount] = [:],
        limits: String = "", expected: String? = nil, keyWarnings: [String: KeyWarning] = [:], up: Int = 100_000,
        wasSilent: Instant? = nil
    ) throws -> [String] {
        let device = try FleetSamples.device(
            changes, first: now - .seconds(200_000), received: now - .seconds(age), days: days)
        let rules = FleetRules(
            now: now, listeningSince: now - .seconds(up), limits: try .init(parsing: Array(limits.utf8)),
            expectedVersion: expected, keyWarnings: keyWarnings)
        let standing = wasSilent.map { [FleetSamples.source: ["silent": $0]] } ?? [:]
        return rules.attention(of: [device], standing: standing)[device.id]?.map(\.key) ?? []
    }

    /// Seven days with today, and tomorrow, since a device's clock may be ahead; then seven more.
    @Test(
        arguments: [(2, 0, 0), (1, 1, 0), (0, 1, 0), (-6, 1, 0), (-7, 0, 1), (-13, 0, 1), (-14, 0, 0)])
    func aWeekHasSevenDays(day: Int, this: Int, before: Int) throws {
        let days = [today + day: PromptCount(answered: 1, over: 2)]
        let weeks = try FleetSamples.device(first: now, received: now, days: days).weeks(at: now)
        #expect(weeks.this == PromptCount(answered: this, over: 2 * this))
        #expect(weeks.before == PromptCount(answered: before, over: 2 * before))
    }

    @Test(arguments: [(3900, false), (3901, true)])
    func aDeviceIsSilentByItsOwnWord(age: Int, isSilent: Bool) throws {
        #expect(try kinds(age: age) == (isSilent ? ["silent"] : []))
    }

    @Test(arguments: [(7200, false), (7201, true)])
    func aStudyMayWaitLonger(age: Int, isSilent: Bool) throws {
        let limits = "[study.mood]\nsilent_after = \"2h\""
        #expect(try kinds(age: age, limits: limits) == (isSilent ? ["silent"] : []))
        #expect(try kinds(age: 3901, limits: "[study.mood]\nsilent_after = \"1m\"") == ["silent"])
        #expect(try kinds(age: 3899, limits: "[study.mood]\nsilent_after = \"1m\"") == [])
    }

    @Test func whatCouldNotBeHeardIsNoSilence() throws {
        #expect(try kinds(age: 50_000, up: 3900) == [])
        #expect(try kinds(age: 50_000, up: 3901) == ["silent"])
        // Nor does a restart of the receiver end one.
        #expect(try kinds(age: 50_000, up: 10, wasSilent: now - .seconds(40_000)) == ["silent"])
        #expect(try kinds(age: 10, up: 10, wasSilent: now - .seconds(40_000)) == [])
    }

    @Test(arguments: [("reason", "\"end\""), ("state", "\"ended\"")])
    func oneThatHasEndedIsNotMissed(field: String, value: String) throws {
        #expect(try kinds([field: value, "disk.low": "true"], age: 90_000) == [])
    }

    @Test(arguments: [
        ("power.underVoltage", "true", ["under-voltage"]), ("power.underVoltage", "null", []),
        ("disk.low", "true", ["disk"]), ("disk.low", "null", []), ("power.battery", "0.2", []),
        ("power.battery", "0.199", ["battery"]), ("clock.source", "\"none\"", []),
        ("clock", #"{"source":"none"}"#, ["clock"]),
        ("clock.trusted", "false", ["clock"]), ("clock", "null", []), ("clock.source", "\"battery\"", []),
        (
            "faults", #"[{"place":"i2c-1/0x68","fault":"stalled"},{"place":"sound","fault":"gone"}]"#,
            ["fault:i2c-1/0x68", "fault:sound"]
        ),
        ("faults", #"[{"place":null,"fault":"a thread has made no progress","since":null}]"#, ["fault"]),
    ]) func whatAReportSaysIsHeeded(field: String, value: String, found: [String]) throws {
        #expect(try kinds([field: value]) == found)
    }

    @Test(arguments: [("1230000", []), ("1229999", ["disk"])])
    func theDiskHasALimitOfTheStudy(free: String, found: [String]) throws {
        #expect(try kinds(["disk.free": free], limits: "[study.mood]\ndisk = \"1230 kB\"") == found)
        #expect(try kinds(["disk.free": free], limits: "[study.other]\ndisk = \"1230 kB\"") == [])
    }

    @Test(arguments: [
        (7, 10, []), (6, 10, ["compliance"]), (0, 4, []), (0, 5, ["compliance"]),
    ]) func complianceIsThatOfSevenDays(answered: Int, over: Int, found: [String]) throws {
        let one = PromptCount(answered: answered, over: over)
        #expect(try kinds(days: [today - 6: one]) == found)
        #expect(try kinds(days: [today - 7: one]) == [])
        // A device's clock may be a day ahead, and no more.
        #expect(try kinds(days: [today + 1: one]) == found)
        #expect(try kinds(days: [today + 2: one]) == [])
        #expect(try kinds(days: [today: one], limits: "[study.mood]\ncompliance = 0") == [])
    }

    @Test(arguments: [(8, ["falling-compliance"]), (9, [])])
    func aFallOfAFifthIsTold(answered: Int, found: [String]) throws {
        let days = [today: PromptCount(answered: answered, over: 10), today - 8: PromptCount(answered: 10, over: 10)]
        #expect(try kinds(days: days) == found)
    }

    /// Debian orders them the same: `dpkg --compare-versions 0.9.1 lt 0.10.0`.
    @Test(arguments: [
        ("0.9.1", "0.10.0", true), ("0.10.0", "0.9.1", false), ("0.9", "0.9.0", false), ("0.9", "0.9.1", true),
        ("0.9.0~rc1", "0.9.0", false), ("dev", "0.9.0", false), ("1.0.0", "1.0.0", false),
        ("0.9.0", "0.9", false), ("0.9.1", "0.9", false), ("0.8.9", "0.9", true), ("0.9", "dev", false),
    ]) func versionsAreNumbers(own: String, expected: String, isOld: Bool) throws {
        #expect(try kinds(["program.version": "\"\(own)\""], expected: expected) == (isOld ? ["version"] : []))
    }

    @Test func withoutAWordTheNewestSeenCounts() throws {
        let old = try FleetSamples.device(first: now, received: now)
        let new = try FleetSamples.device(
            ["device": "\"board-2\"", "participant": "\"P008\"", "program.version": "\"0.9.1\""], first: now,
            received: now)
        let found = rules().attention(of: [old, new])
        #expect(found.mapValues { $0.map(\.key) } == [old.id: ["version"]])
    }

    private func rules(keyWarnings: [String: KeyWarning] = [:]) -> FleetRules {
        FleetRules(now: now, listeningSince: now - .seconds(1_000_000), limits: .init(), keyWarnings: keyWarnings)
    }

    /// Each by when it was heard first and last, in seconds ago.
    private func pair(_ one: (Int, Int), _ other: (Int, Int), _ field: String, _ value: String) throws -> [FleetDevice]
    {
        [
            try FleetSamples.device(first: now - .seconds(one.0), received: now - .seconds(one.1)),
            try FleetSamples.device([field: value], first: now - .seconds(other.0), received: now - .seconds(other.1)),
        ]
    }

    /// studyd calls its device by the participant's name: a clone of it has another enrolment.
    @Test(arguments: [("device", "\"board-2\""), ("enrolment", "\"e2\"")])
    func twoThatTakeTurnsUnderOneNameAreClones(field: String, value: String) throws {
        let devices = try pair((9000, 10), (5000, 100), field, value)
        let found = rules().attention(of: devices).mapValues { $0.map(\.key) }
        #expect(found == [devices[0].id: ["cloned"], devices[1].id: ["cloned"]])
    }

    @Test func theEndOfAnEnrolmentMayComeAfterTheNext() throws {
        var devices = try pair((5000, 100), (9000, 10), "enrolment", "\"e0\"")
        devices[1].report = try FleetSamples.report(["enrolment": "\"e0\"", "reason": "\"end\""]).withoutPrompts
        #expect(rules().attention(of: devices).isEmpty)
    }

    @Test(arguments: [("device", "\"board-2\""), ("enrolment", "\"e2\"")])
    func aDeviceThatWasExchangedIsNotMissed(field: String, value: String) throws {
        let devices = try pair((90_000, 50_000), (40_000, 10), field, value)
        #expect(rules().attention(of: devices).isEmpty)
        #expect(rules().isReplaced(devices[0], by: [devices[1]]) && !rules().isReplaced(devices[1], by: [devices[0]]))
    }

    @Test(arguments: [("true", ["deletion"]), ("false", []), ("null", [])])
    func aParticipantsWishForDeletionStays(value: String, found: [String]) throws {
        let end: KeyValuePairs = ["deletionAsked": value, "reason": "\"end\"", "state": "\"ended\""]
        #expect(try kinds(end, age: 90_000) == found)
        #expect(try kinds(end, keyWarnings: ["P007": .init(revoked: now - .seconds(5))]) == found + ["revoked"])
    }

    /// What the participant's earlier devices delivered is still there.
    @Test(arguments: [("device", "\"board-2\""), ("enrolment", "\"e2\"")])
    func theNextDeviceOfANameDoesNotEndTheWishForDeletion(field: String, value: String) throws {
        var devices = try pair((90_000, 50_000), (40_000, 10), field, value)
        let end: KeyValuePairs = ["deletionAsked": "true", "reason": "\"end\"", "state": "\"ended\""]
        devices[0].report = try FleetSamples.report(end).withoutPrompts
        #expect(rules().attention(of: devices).mapValues { $0.map(\.key) } == [devices[0].id: ["deletion"]])
    }

    @Test func aRevokedNameIsOnlyThat() throws {
        let found = try kinds(
            ["disk.low": "true"], age: 90_000, keyWarnings: ["P007": .init(revoked: now - .seconds(5))])
        #expect(found == ["revoked"])
    }

    @Test(arguments: [(86_399, ["cloned"]), (86_400, [])])
    func anotherKeyIsAClonesForADay(age: Int, found: [String]) throws {
        #expect(try kinds(keyWarnings: ["P007": .init(foreignKey: now - .seconds(age))]) == found)
    }
}
