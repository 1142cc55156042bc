// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// What was decided at the decision points of an enrolment's rules, and with what outcome: for a restart (`memory`),
/// `studyd status` (`counts`), leaving (`outcomesLeft`) and the records of days (`rules`).
struct DecisionHistory {
    private let connection: Connection

    init(_ store: OpenStore) { connection = store.connection }

    /// The state from which its rules go on after a restart.
    func memory(of enrolment: String) throws -> RuleMemory {
        var memory = RuleMemory()
        let states = try connection.rows("SELECT rule, last, budget FROM rule_state WHERE enrolment = ?", enrolment) {
            (try $0.string(0), try $0.string(1), try $0.stringOrNil(2))
        }
        for (rule, last, budget) in states {
            memory.rules[rule] = RuleMemory.Rule(
                last: try StoredJSON.value(DecisionRecord.self, from: last),
                budget: try budget.map { try StoredJSON.value(BudgetState.self, from: $0) })
        }
        memory.pending = try connection.rows(
            """
            SELECT rule, number, due FROM decision WHERE enrolment = ? AND outcome = 'awaited' ORDER BY due, rule
            """, enrolment
        ) {
            RuleMemory.Pending(
                rule: try $0.string(0), index: Int(try $0.int(1)), due: try $0.instant(2))
        }
        memory.lastPrompt =
            try connection.first(
                "SELECT max(prompted) FROM occurrence WHERE enrolment = ?", enrolment
            ) { try $0.instantOrNil(0) } ?? nil
        memory.stays = try stays(of: enrolment)
        return memory
    }

    /// The newest zones that the wall clock has left. A row of an older version does not say when; one by a clock that
    /// was ahead says it too late, and the first decision in the next zone ends it.
    private func stays(of enrolment: String) throws -> [RuleMemory.Stay] {
        let changes = try connection.rows(
            """
            SELECT body, (
                SELECT json_extract(later.body, '$.decision.at') FROM event AS later WHERE later.kind = 'decided'
                AND later.enrolment = event.enrolment AND later.sequence > event.sequence
                ORDER BY later.sequence LIMIT 1)
            FROM event WHERE kind = 'zoneChanged' AND enrolment = ? ORDER BY sequence DESC LIMIT 100
            """, enrolment
        ) { (try $0.string(0), try $0.instantOrNil(1)) }
        return changes.reversed().compactMap { body, decided in
            guard case .zoneChanged(let from, _, let until?)? = try? StudyEvent(kind: "zoneChanged", body: body),
                let zone = try? Zone.load(from)
            else { return nil }
            return RuleMemory.Stay(zone: zone, until: min(until, decided ?? until))
        }
    }

    /// The events to be logged for outcomes that are still awaited when the participant leaves.
    func outcomesLeft(of enrolment: String, at now: Instant) throws -> [StudyEvent] {
        let pending = try memory(of: enrolment).pending
        guard !pending.isEmpty, let bytes = try rules(of: enrolment) else { return [] }
        return try StudyRules.kept(bytes).unmeasuredOutcomes(pending, at: now).map { .outcomeMeasured(outcome: $0) }
    }

    /// The text of its rules; nil where there are none, or they are damaged.
    func rules(of enrolment: String) throws -> [UInt8]? {
        let file = try connection.first(
            """
            SELECT digest, bytes FROM enrolment JOIN study_file ON digest = json_extract(record, '$.rules')
            WHERE id = ?
            """, enrolment
        ) { (digest: try $0.string(0), bytes: try $0.bytes(1)) }
        return try file.flatMap { try Digest(of: $0.bytes).description == $0.digest ? $0.bytes : nil }
    }

    func counts(of enrolment: String) throws -> Ledger.DecisionCounts {
        var counts = Ledger.DecisionCounts()
        let decided = try connection.rows(
            "SELECT result, reason, outcome, count(*) FROM decision WHERE enrolment = ? GROUP BY 1, 2, 3", enrolment
        ) { (try $0.string(0), try $0.stringOrNil(1), try $0.stringOrNil(2), Int(try $0.int(3))) }
        for (result, reason, outcome, count) in decided {
            guard let result = DecisionRecord.Result(rawValue: result) else { continue }
            counts.add(result, reason: reason, count: count)
            counts.addOutcome(outcome, count: count)
        }
        let prompts = try connection.rows(
            """
            SELECT o.presented IS NOT NULL, o.outcome FROM decision d LEFT JOIN occurrence o
            ON o.enrolment = d.enrolment AND o.id = d.occurrence WHERE d.enrolment = ? AND d.occurrence IS NOT NULL
            """, enrolment
        ) { (try $0.bool(0), try $0.stringOrNil(1).flatMap { Outcome(stored: $0) }) }
        for (isPresented, outcome) in prompts { counts.addPrompt(isPresented: isPresented, outcome: outcome) }
        return counts
    }
}
