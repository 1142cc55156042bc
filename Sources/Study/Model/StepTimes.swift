// SPDX-License-Identifier: Apache-2.0
import Base

/// When a step was presented and answered, of several presentations the last: `RunRecord` computes it, for
/// platforms' writers.
package struct StepTimes: Sendable, Hashable {
    /// When its presentation began.
    package let presented: Instant
    /// When the gesture that answered it was recognised: a hold at its release, with `HoldTimes.slow` a
    /// little later (`HoldTimes.bridge`). Nil where it was left out.
    package let answered: Instant?
    package init(presented: Instant, answered: Instant?) { (self.presented, self.answered) = (presented, answered) }
}
