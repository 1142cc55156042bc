// SPDX-License-Identifier: Apache-2.0
import Base

/// A decision of a rule as the log has it: `docs/rules.md` describes each member.
package struct DecisionRecord: LoggedRecord {
    package enum Result: String, LoggedRecord, CaseIterable {
        case treated, control, unavailable, missed
    }

    package let rule: String
    /// From 1, one more with each decision of the rule.
    package let index: Int
    package let task: String
    package let due: Instant
    package let at: Instant
    /// What the wall clock shows when it is due; of a time of day that a change of offset skips, that time.
    package let local: LocalDateTime
    package let result: Result
    package let available: Bool
    package let reasons: [String]
    package let state: [String: FeatureReading]?
    package let probability: Double?
    package let label: String?
    package let draw: Double?
    package let budget: BudgetState?
    /// The feature that is measured behind it; nil = none.
    package let outcome: String?
    /// The digest of the file.
    package let rules: String

    /// The budget as the next point finds it; nil without one.
    package var budgetAfter: BudgetState? {
        guard var budget else { return nil }
        if let probability { budget.spend(probability) }
        return budget
    }
    /// Of the prompt that a treated point raises.
    package var occurrence: String { Self.occurrence(task, rule, index) }

    static func occurrence(_ task: String, _ rule: String, _ index: Int) -> String { "\(task)/rule.\(rule).\(index)" }
}

/// What a feature said at a moment.
package struct FeatureReading: LoggedRecord {
    /// nil where too little of the window is covered.
    package let value: Double?
    /// 0...1.
    package let coverage: Double
    /// Of the epochs that counted; nil where none did.
    package let from: Instant?
    package let to: Instant?
    /// Numbers of the recordings that were open meanwhile, rising; nil where there was none.
    package let recordings: [Int]?
}

/// What was measured behind a decision point.
package struct OutcomeRecord: LoggedRecord {
    package enum Missing: String, LoggedRecord, CaseIterable {
        case coverage
        case deviceOff = "device-off"
        case clockStepped = "clock-stepped"
        case left
    }
    package let rule: String
    package let index: Int
    package let feature: String
    package let from: Instant
    package let to: Instant
    package let at: Instant
    package let value: Double?
    package let coverage: Double
    package let recordings: [Int]?
    package let missing: Missing?
    package let rules: String
}

/// Why there was no draw.
package enum DecisionReason {
    // Unavailable.
    package static let studyPaused = "study-paused"
    package static let taskLocked = "task-locked"
    package static let notWorn = "not-worn"
    package static let runOpen = "run-open"
    package static let promptsOff = "prompts-off"
    package static let recentPrompt = "recent-prompt"
    package static let condition = "condition"
    package static let coverage = "coverage"
    package static let otherRule = "other-rule"
    // Missed.
    package static let deviceOff = "device-off"
    package static let clockUnknown = "clock-unknown"
    package static let clockStepped = "clock-stepped"
    package static let zoneChanged = "zone-changed"
    package static let late = "late"
}
