// SPDX-License-Identifier: Apache-2.0
import Base

extension Ledger {
    /// The counts as JSON: `{"occurrences":{…},"samples":{…},"items":{…},"balanced":true}`. Where the ledger is
    /// blinded (`isBlinded`), neither form says who was treated.
    package var json: JSONText {
        .object([
            "occurrences": occurrences.json, "samples": samples.json, "items": items.json,
            "decisions": decisions.map { isBlinded ? $0.blindedJSON : $0.json }, "balanced": .boolean(isBalanced),
        ])
    }

    /// Lines for people, each a sum; one that does not come out even says so.
    package var text: String {
        ([
            Self.sum("occurrences", "due", occurrences.due, occurrences.parts, occurrences.isBalanced)
                + "; self-started \(occurrences.selfStarted)"
                + (occurrences.selfStartedLeft > 0 ? " and \(occurrences.selfStartedLeft) left" : "")
        ] + (decisions.map { isBlinded ? Self.blindedSums($0) : Self.sums($0) } ?? []) + [
            Self.sum("samples", "due", samples.due + samples.uncounted, samples.parts, samples.isBalanced)
                + (samples.uncounted > 0
                    ? "; \(samples.uncounted) of a run that was cut off: the next start counts what else was due" : ""),
            Self.sum("items", "produced", items.produced, items.parts, items.isBalanced),
        ]).joined(separator: "\n") + "\n"
    }

    fileprivate static func sums(_ decisions: DecisionCounts) -> [String] {
        [
            sum("decisions", "due", decisions.due, decisions.parts, decisions.isDecided),
            sum("treated", "raised", decisions.treated, decisions.promptParts, decisions.isPrompted),
            sum("outcomes", "due", decisions.outcomesDue, decisions.outcomeParts, decisions.isMeasured),
        ]
    }

    private static func blindedSums(_ decisions: DecisionCounts) -> [String] {
        [
            sum("decisions", "due", decisions.due, decisions.blindedParts, decisions.isDecided),
            sum("outcomes", "due", decisions.outcomesDue, decisions.outcomeParts, decisions.isMeasured),
        ]
    }

    /// `items        produced 54 = delivered 54 + waiting 0`; `≠` where the parts do not add up to the total.
    private static func sum(
        _ name: String, _ whole: String, _ total: Int, _ parts: [(String, Int)], _ isBalanced: Bool
    ) -> String {
        let padded = name + String(repeating: " ", count: max(0, 12 - name.count))
        let terms = parts.map { "\($0.0) \($0.1)" }.joined(separator: " + ")
        return "\(padded) \(whole) \(total) \(isBalanced ? "=" : "≠") \(terms)\(isBalanced ? "" : "  DOES NOT BALANCE")"
    }
}

extension Ledger.OccurrenceCounts {
    fileprivate var reasons: [(String, Int)] {
        MissReason.allCases.compactMap { reason in missed[reason].map { (reason.rawValue, $0) } }
    }

    fileprivate var parts: [(String, Int)] {
        let missing = reasons.map { ("missed(\($0.0))", $0.1) }
        return [("completed", completed), ("expired", expired)] + (missing.isEmpty ? [("missed", 0)] : missing)
            + [("declined", declined), ("interrupted", interrupted), ("open", open)]
    }

    fileprivate var json: JSONText {
        .object([
            .init("due", .integer(Int64(due))), .init("completed", .integer(Int64(completed))),
            .init("expired", .integer(Int64(expired))),
            .init("missed", .object(reasons.map { .init($0.0, .integer(Int64($0.1))) })),
            .init("declined", .integer(Int64(declined))), .init("interrupted", .integer(Int64(interrupted))),
            .init("open", .integer(Int64(open))), .init("selfStarted", .integer(Int64(selfStarted))),
            .init("selfStartedLeft", .integer(Int64(selfStartedLeft))),
        ])
    }
}

extension Ledger.DecisionCounts {
    /// A part for each reason: `missed(device-off) 3`.
    private static func parts(_ name: String, _ counts: [String: Int]) -> [(String, Int)] {
        counts.isEmpty ? [(name, 0)] : counts.sorted { $0.key < $1.key }.map { ("\(name)(\($0.key))", $0.value) }
    }

    fileprivate var parts: [(String, Int)] {
        [("treated", treated), ("control", control)] + Self.parts("unavailable", unavailable)
            + Self.parts("missed", missed)
    }

    /// Points that were decided, whatever came of them: all but the missed ones.
    private var decided: Int { due - missed.values.reduce(0, +) }

    fileprivate var blindedParts: [(String, Int)] { [("decided", decided)] + Self.parts("missed", missed) }

    fileprivate var promptParts: [(String, Int)] {
        [("presented", presented), ("waiting", waiting)] + Self.parts("not presented", notPresented)
    }

    fileprivate var outcomeParts: [(String, Int)] {
        [("measured", measured)] + Self.parts("missing", missing) + [("waiting", awaited)]
    }

    private static func object(_ counts: [String: Int]) -> JSONText {
        .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer(Int64($0.value))) })
    }

    package var json: JSONText {
        .object([
            .init("due", .integer(Int64(due))), .init("treated", .integer(Int64(treated))),
            .init("control", .integer(Int64(control))), .init("unavailable", Self.object(unavailable)),
            .init("missed", Self.object(missed)), .init("presented", .integer(Int64(presented))),
            .init("waiting", .integer(Int64(waiting))), .init("notPresented", Self.object(notPresented)),
            .init("outcomesDue", .integer(Int64(outcomesDue))), .init("measured", .integer(Int64(measured))),
            .init("missing", Self.object(missing)), .init("awaited", .integer(Int64(awaited))),
        ])
    }
}

extension Ledger.DecisionCounts {
    /// What rules decided, for those who may know who was treated: three sums.
    package var text: String {
        Ledger.sums(self).map { $0 + "\n" }.joined()
    }

    fileprivate var blindedJSON: JSONText {
        .object([
            .init("due", .integer(Int64(due))), .init("decided", .integer(Int64(decided))),
            .init("missed", Self.object(missed)), .init("outcomesDue", .integer(Int64(outcomesDue))),
            .init("measured", .integer(Int64(measured))), .init("missing", Self.object(missing)),
            .init("awaited", .integer(Int64(awaited))),
        ])
    }
}

extension Ledger.SampleCounts {
    private var reasons: [(String, Int)] { lost.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    fileprivate var parts: [(String, Int)] {
        [("stored", stored)] + (held > 0 ? [("in memory", held)] : [])
            + (reasons.isEmpty ? [("lost", 0)] : reasons.map { ("lost(\($0.0))", $0.1) })
            + (isBalanced && unaccounted != 0 ? [("unaccounted", unaccounted)] : [])
    }

    fileprivate var json: JSONText {
        .object(
            [
                .init("due", .integer(Int64(due))), .init("stored", .integer(Int64(stored))),
                .init("held", .integer(Int64(held))),
                .init("lost", .object(reasons.map { .init($0.0, .integer(Int64($0.1))) })),
                .init("unaccounted", .integer(Int64(unaccounted))),
            ] + (uncounted > 0 ? [.init("uncounted", .integer(Int64(uncounted)))] : []))
    }
}

extension Ledger.ItemCounts {
    fileprivate var parts: [(String, Int)] {
        [
            ("delivered", delivered), ("waiting", waiting), ("sending", sending), ("refused", refused),
            ("dropped", dropped), ("deleted", deleted),
        ]
    }

    fileprivate var json: JSONText {
        .object(
            [.init("produced", .integer(Int64(produced)))] + parts.map { .init($0.0, .integer(Int64($0.1))) })
    }
}
