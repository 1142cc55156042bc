// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite struct ProofWalkTests {
    private static let text =
        "[rule.r]\ntask = \"mood\"\nat = [\"10:00\"]\navailable = [\"worn\"]\nprobability = 0.5\n"

    /// Recordings that were delivered are gone, and where a damaged log lacks the agent's start it is not known which
    /// there were: what they said of being worn is the log's.
    @Test(arguments: [true, false])
    func whetherItWasWornIsTakenFromTheLogWithoutRecordings(isStartThere: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let rules = try StudyRules.kept(Array(Self.text.utf8))
        let enrolled = try Instant(rfc3339: "2026-03-02T09:00:00Z")
        let seed = [UInt8](repeating: 1, count: 32)
        let enrolment = Enrolment(
            id: "e1", studyID: "S", participant: ParticipantID("ABC23456"), condition: nil, instant: enrolled,
            local: Zone.utc.local(enrolled), zone: .utc, seed: seed)
        let context = ScheduleContext(
            enrolment: enrolment, zone: .utc, chance: Chance(enrolmentSeed: seed), facts: StudyFacts())
        var walk = ProofWalk(rules, context, try RecordedRuns(in: folder.path))
        func take(_ event: StudyEvent, at seconds: Int64) throws {
            let stamp = EventStamp(
                wall: enrolled + .seconds(seconds), monotonic: MonotonicTime.zero + .seconds(seconds), bootID: "b",
                zoneOffset: 0, enrolment: "e1")
            try walk.take(LoggedEvent(sequence: seconds, stamp: stamp, event: event))
        }
        let due = enrolled + .seconds(3600)
        let decision = DecisionRecord(
            rule: "r", index: 1, task: "mood", due: due, at: due, local: Zone.utc.local(due), result: .unavailable,
            available: false, reasons: ["not-worn"], state: [:], probability: nil, label: nil, draw: nil, budget: nil,
            outcome: nil, rules: rules.digest)
        if isStartThere { try take(.agentStarted(version: "1"), at: 1) }
        try take(.decided(decision: decision), at: 3600)
        #expect(walk.verdict.contains("recordings that are not here, taken as logged: 1"))
    }
}
