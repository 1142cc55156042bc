// SPDX-License-Identifier: Apache-2.0

/// Why `RuleEngine` made no draw at a decision point: it was unavailable or missed. The texts are in logs.
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
