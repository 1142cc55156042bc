// SPDX-License-Identifier: Apache-2.0
import Base

/// Prompts that are over, and how many of them were answered: of a `FleetDevice`, by which `FleetRules` judges
/// compliance.
struct PromptCount: Sendable, Hashable {
    var answered = 0
    var over = 0

    /// Nil where too few are over to say anything.
    func share(of least: Int = 5) -> Double? { over < least ? nil : Double(answered) / Double(over) }

    static func + (left: Self, right: Self) -> Self {
        Self(answered: left.answered + right.answered, over: left.over + right.over)
    }

    /// The UTC day since 1970.
    static func day(_ instant: Instant) -> Int { LocalDateTime(instant, offset: 0).date.daysSinceEpoch }
}
