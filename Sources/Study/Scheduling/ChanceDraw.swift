// SPDX-License-Identifier: Apache-2.0

/// A draw as the event log keeps it: what was drawn, what came out, and how likely that was. `Enroller` (the
/// arm) and `OpenedTask` make it.
package struct ChanceDraw: Sendable, Hashable {
    /// The label of its generator: `module u-log/opening 3/group g`.
    package let what: String
    package let result: String
    /// Of this result when it was drawn, above 0 and at most 1.
    package let probability: Double

    /// `what` of a draw of the arm. The log takes such a draw as the enrolment's new arm
    /// (`EnrolmentRecord.arm` is the same text).
    private static let arm = "condition"

    /// The arm of a participant, drawn evenly at enrolment; nil where the study has none.
    ///
    /// An arm that the file names twice is twice as likely, as in the platforms' apps.
    package static func condition(of study: StudyProtocol, chance: Chance) -> ChanceDraw? {
        condition(of: study, chance.generator(for: arm))
    }

    /// A new draw of the arm, where a new version of the study no longer has the arm `present` and its
    /// platform then draws again; an empty result = the new version has no arms. nil = the arm stays.
    package static func redrawnCondition(_ present: String?, of study: StudyProtocol, chance: Chance) -> ChanceDraw? {
        guard study.arms?.redrawsLost == true, let present, !study.conditions.contains(present) else { return nil }
        return condition(of: study, chance.generator(for: "\(arm)/version \(study.version ?? "")"))
            ?? ChanceDraw(what: arm, result: "", probability: 1)
    }

    var event: StudyEvent { .drawn(what: what, value: result, probabilities: [result: probability]) }

    private static func condition(of study: StudyProtocol, _ generator: SplitMix64) -> ChanceDraw? {
        guard !study.conditions.isEmpty else { return nil }
        var generator = generator
        let drawn = study.conditions[generator.below(study.conditions.count)]
        let weight = study.conditions.count { $0 == drawn }
        return ChanceDraw(what: arm, result: drawn, probability: Double(weight) / Double(study.conditions.count))
    }
}
