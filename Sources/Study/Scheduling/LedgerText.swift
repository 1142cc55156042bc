// SPDX-License-Identifier: Apache-2.0
import Base

extension Ledger {
    /// The counts as JSON, for `studyd status --json`:
    /// `{"occurrences":{…},"samples":{…},"items":{…},"balanced":true}`. Where the ledger is blinded
    /// (`isBlinded`), neither form says who was treated.
    package var json: JSONText {
        .object([
            "occurrences": occurrences.json, "samples": samples.json, "items": items.json,
            "decisions": decisions.map { isBlinded ? $0.blindedJSON : $0.json }, "balanced": .boolean(isBalanced),
        ])
    }

    /// A line for each sum; one that does not come out even says so.
    package var text: String {
        let decided = decisions.map { $0.lines(isBlinded: isBlinded) } ?? []
        return ([occurrences.line] + decided + [samples.line, items.line]).map { $0 + "\n" }.joined()
    }

    /// `items        produced 54 = delivered 54 + waiting 0`; `≠` where the parts do not add up to the total.
    fileprivate static func sum(
        _ name: String, _ whole: String, _ total: Int, _ parts: [(String, Int)], _ isBalanced: Bool
    ) -> String {
        let padded = name + String(repeating: " ", count: max(0, 12 - name.count))
        let terms = parts.map { "\($0.0) \($0.1)" }.joined(separator: " + ")
        return "\(padded) \(whole) \(total) \(isBalanced ? "=" : "≠") \(terms)\(isBalanced ? "" : "  DOES NOT BALANCE")"
    }
}

extension JSONText {
    fileprivate static func count(_ count: Int) -> JSONText { .integer(Int64(count)) }

    fileprivate static func counts(_ counts: [(String, Int)]) -> JSONText {
        .object(counts.map { .init($0.0, .count($0.1)) })
    }
}

extension [String: Int] {
    /// By name, so that the order is the same each time.
    fileprivate var inOrder: [(String, Int)] { sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}

extension Ledger.OccurrenceCounts {
    fileprivate var line: String {
        Ledger.sum("occurrences", "due", due, parts, isBalanced) + "; self-started \(selfStarted)"
            + (selfStartedLeft > 0 ? " and \(selfStartedLeft) left" : "")
    }

    fileprivate var json: JSONText {
        .object([
            "due": .count(due), "completed": .count(completed), "expired": .count(expired),
            "missed": .counts(reasons), "declined": .count(declined), "interrupted": .count(interrupted),
            "open": .count(open), "selfStarted": .count(selfStarted), "selfStartedLeft": .count(selfStartedLeft),
        ])
    }

    private var parts: [(String, Int)] {
        let missing = reasons.map { ("missed(\($0.0))", $0.1) }
        return [("completed", completed), ("expired", expired)] + (missing.isEmpty ? [("missed", 0)] : missing)
            + [("declined", declined), ("interrupted", interrupted), ("open", open)]
    }

    private var reasons: [(String, Int)] {
        MissReason.allCases.compactMap { reason in missed[reason].map { (reason.rawValue, $0) } }
    }
}

extension Ledger.DecisionCounts {
    /// What rules decided, for those who may know who was treated: three sums.
    package var text: String { lines(isBlinded: false).map { $0 + "\n" }.joined() }

    fileprivate func lines(isBlinded: Bool) -> [String] {
        let decided = Ledger.sum("decisions", "due", due, isBlinded ? blindedParts : parts, isDecided)
        let prompted = Ledger.sum("treated", "raised", treated, promptParts, isPrompted)
        let measured = Ledger.sum("outcomes", "due", outcomesDue, outcomeParts, isMeasured)
        return isBlinded ? [decided, measured] : [decided, prompted, measured]
    }

    package var json: JSONText {
        .object([
            "due": .count(due), "treated": .count(treated), "control": .count(control),
            "unavailable": .counts(unavailable.inOrder), "missed": .counts(missed.inOrder),
            "presented": .count(presented), "waiting": .count(waiting), "notPresented": .counts(notPresented.inOrder),
            "outcomesDue": .count(outcomesDue), "measured": .count(measured), "missing": .counts(missing.inOrder),
            "awaited": .count(awaited),
        ])
    }

    fileprivate var blindedJSON: JSONText {
        .object([
            "due": .count(due), "decided": .count(decided), "missed": .counts(missed.inOrder),
            "outcomesDue": .count(outcomesDue), "measured": .count(measured), "missing": .counts(missing.inOrder),
            "awaited": .count(awaited),
        ])
    }

    private var parts: [(String, Int)] {
        [("treated", treated), ("control", control)] + Self.parts("unavailable", unavailable)
            + Self.parts("missed", missed)
    }

    private var blindedParts: [(String, Int)] { [("decided", decided)] + Self.parts("missed", missed) }

    /// Points that were decided, whatever came of them: all but the missed ones.
    private var decided: Int { due - missed.values.reduce(0, +) }

    private var promptParts: [(String, Int)] {
        [("presented", presented), ("waiting", waiting)] + Self.parts("not presented", notPresented)
    }

    private var outcomeParts: [(String, Int)] {
        [("measured", measured)] + Self.parts("missing", missing) + [("waiting", awaited)]
    }

    /// A part for each reason: `missed(device-off) 3`.
    private static func parts(_ name: String, _ reasons: [String: Int]) -> [(String, Int)] {
        reasons.isEmpty ? [(name, 0)] : reasons.inOrder.map { ("\(name)(\($0.0))", $0.1) }
    }
}

extension Ledger.SampleCounts {
    fileprivate var line: String {
        Ledger.sum("samples", "due", due + uncounted, parts, isBalanced)
            + (uncounted > 0
                ? "; \(uncounted) of a run that was cut off: the next start counts what else was due" : "")
    }

    fileprivate var json: JSONText {
        .object([
            "due": .count(due), "stored": .count(stored), "held": .count(held), "lost": .counts(lost.inOrder),
            "unaccounted": .count(unaccounted), "uncounted": uncounted > 0 ? JSONText.count(uncounted) : nil,
        ])
    }

    private var parts: [(String, Int)] {
        [("stored", stored)] + (held > 0 ? [("in memory", held)] : [])
            + (lost.isEmpty ? [("lost", 0)] : lost.inOrder.map { ("lost(\($0.0))", $0.1) })
            + (isBalanced && unaccounted != 0 ? [("unaccounted", unaccounted)] : [])
    }
}

extension Ledger.ItemCounts {
    fileprivate var line: String { Ledger.sum("items", "produced", produced, parts, isBalanced) }

    fileprivate var json: JSONText { .counts([("produced", produced)] + parts) }

    private var parts: [(String, Int)] {
        [
            ("delivered", delivered), ("waiting", waiting), ("sending", sending), ("refused", refused),
            ("dropped", dropped), ("deleted", deleted),
        ]
    }
}
