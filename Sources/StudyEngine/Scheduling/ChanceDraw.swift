// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// A draw as the event log keeps it: what was drawn, what came out, and how likely that was.
public struct ChanceDraw: Sendable, Hashable {
    /// The label of its generator: `module u-log/opening 3/group g`.
    public let what: String
    /// What came out.
    public let result: String
    /// Of this result, above 0 and at most 1.
    public let probability: Double

    public init(what: String, result: String, probability: Double) {
        self.what = what
        self.result = result
        self.probability = probability
    }

    /// The arm of a participant, drawn evenly at enrolment; nil where the study has none.
    ///
    /// An arm that the file names twice is twice as likely, as in the platforms' apps.
    public static func condition(of study: StudyProtocol, chance: Chance) -> ChanceDraw? {
        guard !study.conditions.isEmpty else { return nil }
        var generator = chance.generator(for: "condition")
        let drawn = study.conditions[generator.below(study.conditions.count)]
        let weight = study.conditions.count { $0 == drawn }
        return ChanceDraw(
            what: "condition", result: drawn, probability: Double(weight) / Double(study.conditions.count))
    }
}
