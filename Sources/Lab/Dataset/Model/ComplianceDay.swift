// SPDX-License-Identifier: Apache-2.0
import Base

/// How a participant's prompts of one day of the wall clock ended: a row of `compliance.csv`, which `TableSet`
/// writes.
package struct ComplianceDay: Sendable, Hashable {
    package let day: LocalDate
    package private(set) var (completed, late, expired, missed, declined, interrupted) = (0, 0, 0, 0, 0, 0)
    /// Prompts that the participant was never asked (`StudyPrompt.counts`).
    package private(set) var notCounted = 0
    /// Completed later than this after it was due, a prompt counts as late as well.
    private static let lateness: Duration = .seconds(15 * 60)

    package var due: Int { completed + expired + missed + declined + interrupted }

    private init(_ day: LocalDate) { self.day = day }

    /// Each day on which a prompt was due.
    package static func days(of prompts: [StudyPrompt]) -> [ComplianceDay] {
        var days: [LocalDate: ComplianceDay] = [:]
        for prompt in prompts {
            days[prompt.due.day, default: ComplianceDay(prompt.due.day)].count(prompt)
        }
        return days.values.sorted { $0.day < $1.day }
    }

    private mutating func count(_ prompt: StudyPrompt) {
        guard prompt.counts else {
            notCounted += 1
            return
        }
        switch prompt.outcome {
        case "completed":
            completed += 1
            if let ended = prompt.ended, ended.instant - prompt.due.instant > Self.lateness { late += 1 }
        case "expired": expired += 1
        case "declined": declined += 1
        case "interrupted": interrupted += 1
        default: missed += 1
        }
    }
}
