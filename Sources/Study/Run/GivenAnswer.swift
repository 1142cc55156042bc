// SPDX-License-Identifier: Apache-2.0
import Base

/// One answer of a `RunRecord`, with when it was asked and given; the log keeps it as `AnswerRecord`.
package struct GivenAnswer: Sendable, Hashable {
    /// The question's key, unique within its task.
    package let question: String
    /// Its value when the run was submitted.
    package let value: AnswerValue
    /// When its presentation began.
    package let presented: MonotonicTime
    /// When the last press of its answer was recognised: at its release, or when a hold counted.
    package let answered: MonotonicTime
    /// Presses while it was open.
    package let presses: Int
}
