// SPDX-License-Identifier: Apache-2.0
import Base

/// A prompt of the study, and how it ended, as reports (`LabFleet`) or a device's own folder (`DeviceFolder`)
/// say: a row of `prompts.csv`.
package struct StudyPrompt: Sendable, Hashable {
    /// The device's name of it, unique within an enrolment.
    package let occurrence: String
    package let enrolment: String?
    package let task: String
    package let due: StudyTime
    /// Nil when its signal was never given.
    package var presented: StudyTime?
    /// When its questions were opened for the first time.
    package var opened: StudyTime?
    package var ended: StudyTime?
    /// When that first run was left or broken off; nil = it was not, or a lab, whose reports do not say.
    package var left: StudyTime?
    /// `completed`, `expired`, `missed`, `declined` or `interrupted`.
    package let outcome: String
    /// Why it was missed, or that it was `not-signalled`.
    package var reason: String?
    /// Presses of the buttons, by question; empty where they are unknown.
    package var presses: [String: Int] = [:]
    /// How far off its times can be, one side, in seconds; nil = unknown.
    package var clockError: Double?
    /// The clock was set back by at least this many seconds before it ended; nil where no time shows that it was.
    package var setBack: Double? {
        guard let ended, let latest = [presented, opened].compactMap(\.self).max(), latest > ended else { return nil }
        return (latest.instant - ended.instant).seconds
    }

    /// Reasons for which the participant was never asked.
    private static let notAsked: Set = ["before-enrolment", "deleted", "not-signalled", "replaced", "study-paused"]

    package var isAnswered: Bool { outcome == "completed" }
    /// A rule raised the prompt. A blinded dataset leaves it out, since its presence shows what the rule drew.
    package var isOfRule: Bool { Self.isOfRule(occurrence) }
    package static func isOfRule(_ occurrence: String) -> Bool { occurrence.contains("/rule.") }
    /// Whether the prompt is in the denominator of compliance.
    package var counts: Bool { Self.counts(reason) }
    package static func counts(_ reason: String?) -> Bool { !notAsked.contains(reason ?? "") }
}
