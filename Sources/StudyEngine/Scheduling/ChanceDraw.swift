// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// A draw as the event log keeps it: what was drawn, what came out, and how likely that was.
package struct ChanceDraw: Sendable, Hashable {
    /// The label of its generator: `module u-log/opening 3/group g`.
    package let what: String
    /// What came out.
    package let result: String
    /// Of this result, above 0 and at most 1.
    package let probability: Double

    package init(what: String, result: String, probability: Double) {
        self.what = what
        self.result = result
        self.probability = probability
    }

    /// The arm of a participant, drawn evenly at enrolment; nil where the study has none.
    ///
    /// An arm that the file names twice is twice as likely, as in the platforms' apps.
    package static func condition(of study: StudyProtocol, chance: Chance) -> ChanceDraw? {
        guard !study.conditions.isEmpty else { return nil }
        var generator = chance.generator(for: "condition")
        let drawn = study.conditions[generator.below(study.conditions.count)]
        let weight = study.conditions.count { $0 == drawn }
        return ChanceDraw(
            what: "condition", result: drawn, probability: Double(weight) / Double(study.conditions.count))
    }
}
