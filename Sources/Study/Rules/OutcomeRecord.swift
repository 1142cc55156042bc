// SPDX-License-Identifier: Apache-2.0
import Base

/// What `RuleEngine` measured in the window after a decision point, as the log has it
/// (`StudyEvent.outcomeMeasured`): `docs/rules.md` describes each member.
package struct OutcomeRecord: LoggedRecord {
    /// Why there is no value.
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
