// SPDX-License-Identifier: Apache-2.0
import Base

/// What a file of rules says, read and checked by `StudyRulesReader`, for `RuleEngine`: `docs/rules.md`.
package struct StudyRules: Sendable {
    /// SHA-256 of the file, in hexadecimal.
    package let digest: String
    /// By name.
    package let features: [RuleFeature]
    /// By name; points of the same moment are decided in this order.
    package let rules: [StudyRule]
    /// The last local day on which points fall due, day 1 being that of the enrolment; nil = they go on.
    package let days: Int?

    package func rule(_ name: String) -> StudyRule? { rules.first { $0.name == name } }

    /// Records, with `missing: .left`, for the outcomes that were still to be measured when the participant
    /// left.
    package func unmeasuredOutcomes(_ pending: [RuleMemory.Pending], at now: Instant) -> [OutcomeRecord] {
        pending.compactMap { one in
            guard let own = rule(one.rule)?.outcome else { return nil }
            let feature = features[own.feature]
            let from = FeatureWindow.edge(feature.epoch, after: one.due)
            return OutcomeRecord(
                rule: one.rule, index: one.index, feature: feature.name, from: from, to: from + own.window, at: now,
                value: nil, coverage: 0, recordings: nil, missing: .left, rules: digest)
        }
    }

    /// From then on no point falls due; nil = they go on.
    func end(of enrolment: Enrolment, in zone: Zone) -> Instant? {
        days.map { zone.resolve(LocalDateTime(enrolment.local.date.adding(days: $0), .midnight)).instant }
    }
}
