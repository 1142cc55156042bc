// SPDX-License-Identifier: Apache-2.0
import Base

/// When a step was presented and answered; of several times the last.
package struct StepTimes: Sendable, Hashable {
    /// When its presentation began.
    package let presented: Instant
    /// The press that answered it; nil where it was left out.
    package let answered: Instant?
    package init(presented: Instant, answered: Instant?) {
        self.presented = presented
        self.answered = answered
    }
}
